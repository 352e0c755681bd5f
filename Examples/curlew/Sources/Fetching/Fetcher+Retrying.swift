import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Synchronization

extension Fetcher {
  /// Fetches with retries, until bytes were written to standard output.
  func carryRetrying(_ fetch: Fetch, _ meter: TransferMeter, _ redirects: RedirectCount) async -> FetchResult {
    let delivered = Mutex(FetchResult(fetch: fetch))
    let number = Mutex(0)
    let hasPrinted = Mutex(false)
    let sink = DeliverySink { response in
      if self.options.printsHead { hasPrinted.withLock { $0 = true } }
      let own = FetchResult(fetch: fetch)
      defer { delivered.withLock { $0 = own } }
      try await self.deliver(response, meter, own)
    }
    var configuration = Transfer<TransferResult>.Configuration(
      fetch.request, to: sink, settings: settings(for: fetch.request, redirects)
    ) { $0 }
    let request = configuration.request
    configuration.request = { attempt in
      number.withLock { $0 = attempt.number }
      return try await request(attempt)
    }
    configuration.validate = { head, request in
      // The response of the last attempt is printed completely, whatever its status.
      guard let policy = self.options.retry, number.withLock({ $0 }) <= policy.limit ?? .max, request.mayBeRepeated,
        policy.conditions.statuses.contains(head.status.code)
      else { return }
      try TransferValidation.successStatus(head)
    }
    configuration.retry = options.retry
    configuration.shouldRetry = { _, _ in
      let printsBytes = fetch.destination == .standardOutput && self.options.decoder == nil && meter.completed > 0
      return printsBytes || hasPrinted.withLock { $0 } ? .finish : .byPolicy
    }
    let transfer = Transfer(loader, configuration)
    let result: FetchResult
    do {
      _ = try await transfer.run()
      result = delivered.withLock { $0 }
    } catch {
      await transfer.settled()
      result = delivered.withLock { $0 }
      result.head = transfer.response ?? result.head
      result.failure = FetchFailure(error)
      // The response was refused in favor of another attempt, which was then not made.
      if options.printsErrors, fetch.destination == .standardOutput,
        let start = (error as? NetworkError)?.details.responseBody
      {
        await turns.wait(for: fetch.index)
        _ = start.withUnsafeBytes { try? StandardOutput.write($0) }
      }
    }
    result.metrics = transfer.metrics
    result.attempts = transfer.attemptCount
    return result
  }
}

/// Says that another attempt will be made, why and when.
struct RetryNotice: EventObserver {
  private let name: String
  private let announce: @Sendable (String) -> Void

  init(_ request: Request, _ announce: @escaping @Sendable (String) -> Void) {
    name = "\(request.method.rawValue) \(Redaction.standard.redacted(request.url))"
    self.announce = announce
  }

  /// Returns which attempt follows, and when.
  static func text(of attempt: Int, after wait: Duration) -> String {
    "attempt \(attempt) " + (wait > .zero ? "in \(DecimalText.of(wait.inSeconds, digits: 1)) s" : "now")
  }

  func observe(_ event: ExchangeEvent) {
    guard case .retrying(let attempt, let wait, let error) = event.kind else { return }
    let reason = error.map { FetchFailure($0).message } ?? "The response is not accepted."
    announce("curlew: \(name): \(FailureLine.clause(reason)); \(Self.text(of: attempt, after: wait)).")
  }
}

/// A sink that passes the response of each attempt to a function.
private struct DeliverySink: TransferSink {
  let deliver: @Sendable (Response) async throws -> Void

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    DeliveryWriter(head, deliver)
  }
}

/// Passes chunks from a transfer to the reading function, one at a time.
private final class DeliveryWriter: TransferWriter {
  private let chunks: AsyncThrowingStream<Data, any Error>.Continuation
  private let demands: AsyncStream<Void>
  private let delivery: Task<Void, any Error>

  init(_ head: ResponseHead, _ deliver: @escaping @Sendable (Response) async throws -> Void) {
    let (stream, chunks) = AsyncThrowingStream.makeStream(of: Data.self)
    let (demands, demand) = AsyncStream.makeStream(of: Void.self)
    self.chunks = chunks
    self.demands = demands
    delivery = Task {
      defer { demand.finish() }
      try await deliver(Response(head: head, body: ResponseBody(DeliveredBody(stream, demand))))
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    chunks.yield(Data(bytes))
    return .pause
  }

  func ready() async throws {
    for await _ in demands { return }
    try Task.checkCancellation()
    // The reading function has ended; its error is the one to report.
    try await delivery.value
    throw CancellationError()
  }

  func finish() async throws -> TransferContent {
    chunks.finish()
    try await delivery.value
    return .taken
  }

  func abandon() async {
    chunks.finish(throwing: CancellationError())
    _ = await delivery.result
  }
}

/// The reader's side: requesting a chunk means that the previous one was processed.
private final class DeliveredBody: ResponseBodySource, @unchecked Sendable {
  // Safe because one task at a time calls `next`.
  private var iterator: AsyncThrowingStream<Data, any Error>.AsyncIterator
  private let demand: AsyncStream<Void>.Continuation
  private var hasChunk = false

  init(_ stream: AsyncThrowingStream<Data, any Error>, _ demand: AsyncStream<Void>.Continuation) {
    iterator = stream.makeAsyncIterator()
    self.demand = demand
  }

  var trailers: HTTPFields? { nil }

  func next() async throws -> Data? {
    if hasChunk { demand.yield() }
    hasChunk = true
    return try await iterator.next()
  }

  func cancel() { demand.finish() }
}
