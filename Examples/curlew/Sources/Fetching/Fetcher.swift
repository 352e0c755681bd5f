import CurlewCore
import CurlewLoading
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// Fetches one URL after another over one loader.
struct Fetcher: Sendable {
  let loader: Loader
  /// Settings for a request's exchange.
  let settings: @Sendable (Request) -> ExchangeSettings
  /// Whether the head goes to standard output before the body.
  var printsHead = false
  /// The most bytes of a body; nil is no limit.
  var maxSize: Int64?
  /// Whether results are hashed.
  var hashes = false
  /// How often to try again; nil makes one attempt.
  var retry: RetryPolicy?
  /// Makes the lines that are printed in place of the body; nil prints the body.
  var decoder: (any ResponseSerializer<[String]>)?

  let turns = OutputTurns()
  private let names = NameTable()

  init(loader: Loader, settings: @escaping @Sendable (Request) -> ExchangeSettings) {
    self.loader = loader
    self.settings = settings
  }

  /// Fetches; never throws, since a failure is a result too.
  func fetch(_ fetch: Fetch, meter: TransferMeter) async -> FetchResult {
    let redirects = RedirectCount()
    var settings = settings(fetch.request)
    settings.observers.append(redirects)
    let begin = ContinuousClock.now
    var result = FetchResult(fetch: fetch)
    if let retry {
      await carry(fetch, meter, retry, settings, &result)
    } else {
      let exchange = Exchange(settings)
      do {
        try await deliver(try await loader.load(fetch.request, in: exchange), fetch, meter, &result)
      } catch {
        result.failure = FetchFailure(error)
      }
      result.metrics = exchange.metrics
    }
    await turns.done(fetch.index)
    result.redirects = redirects.value
    // A refused body that was printed whole has a size and a digest too.
    let isWhole = result.failure == nil || result.file != nil || result.digest != nil
    result.bytes = isWhole ? meter.completed : 0
    result.duration = begin.duration(to: .now)
    return result
  }

  /// Brings a response to where it belongs.
  func deliver(
    _ response: Response, _ fetch: Fetch, _ meter: TransferMeter, _ result: inout FetchResult
  ) async throws {
    result.head = response.head
    let isRefused = response.head.status.code >= 400
    if printsHead || fetch.destination == .standardOutput { await turns.wait(for: fetch.index) }
    if printsHead { try response.head.printed.withUnsafeBytes { try StandardOutput.write($0) } }
    if let maxSize, let expected = response.head.expectedLength, expected > maxSize {
      throw BodyConsumer.tooLarge(maxSize)
    }
    meter.begin(expecting: response.head.expectedLength)
    switch fetch.destination {
    case .standardOutput:
      if let decoder {
        result.digest = try await printDecoded(response, decoder, meter)
      } else {
        result.digest = try await print(response.body, meter)
      }
    case .file where isRefused, .directory where isRefused:
      await response.body.discard()
    case .file(let path):
      result.digest = try await store(response.body, in: TargetFile(path), meter, &result)
    case .directory(let directory):
      try LocalFileSystem().createDirectory(directory)
      let path = names.path(in: directory, for: response.head.suggestedFileName)
      result.digest = try await store(response.body, in: TargetFile(path), meter, &result)
    }
    if isRefused { throw FetchFailure(status: response.head) }
  }

  private func print(_ body: ResponseBody, _ meter: TransferMeter) async throws -> String? {
    let consumer = try BodyConsumer(meter: meter, limit: maxSize, hashing: hashes) { bytes in
      try StandardOutput.write(bytes)
    }
    try await pull(body, into: consumer)
    return consumer.finish()
  }

  /// A refused response whose body cannot be decoded is printed as it is, since it says why.
  private func printDecoded(
    _ response: Response, _ decoder: any ResponseSerializer<[String]>, _ meter: TransferMeter
  ) async throws -> String? {
    let body = Guarded(Data())
    let limit = maxSize ?? Int64(decoder.validation.maximumBytes)
    let consumer = try BodyConsumer(meter: meter, limit: limit, hashing: hashes) { bytes in
      body.withLock { $0.append(contentsOf: bytes) }
    }
    try await pull(response.body, into: consumer)
    let document = body.withLock { $0 }
    do {
      for line in try decoder.lines(of: response.head, document) { try StandardOutput.write(line + "\n") }
    } catch {
      guard response.head.status.code >= 400 else { throw error }
      // Safe because the bytes are read inside the call only.
      try document.withUnsafeBytes { try StandardOutput.write($0) }
    }
    return consumer.finish()
  }

  private func store(
    _ body: ResponseBody, in file: TargetFile, _ meter: TransferMeter, _ result: inout FetchResult
  ) async throws -> String? {
    let consumer = try BodyConsumer(meter: meter, limit: maxSize, hashing: hashes) { bytes in try file.write(bytes) }
    do {
      // A pipe may wait for its reader, which the transport's thread must not.
      if file.isSpecial { try await pull(body, into: consumer) } else { try await body.drain(into: consumer) }
      try file.publish()
    } catch {
      file.discard()
      throw error
    }
    result.file = file.path
    return consumer.finish()
  }

  private func pull(_ body: ResponseBody, into consumer: BodyConsumer) async throws {
    for try await chunk in body {
      try chunk.withUnsafeBytes { bytes in _ = try consumer.receive(bytes) }
    }
  }
}

extension ResponseSerializer<[String]> {
  /// What is to be printed of a response.
  ///
  /// - Throws: `FetchFailure` that names line and column where they are known.
  fileprivate func lines(of head: ResponseHead, _ body: Data) throws -> [String] {
    // The status is looked at by who prints; a failing answer is decoded too.
    do {
      return try output(of: head, body)
    } catch {
      let cause = error.details.underlying.map { "The body cannot be decoded: \($0)." }
      throw FetchFailure(kind: error.kind.rawValue, stage: .decoding, message: cause ?? error.message)
    }
  }
}
