import CurlewCore
import CurlewLoading
import Foundation

/// Calls the steps of an operation, one at a time and in order.
final class OperationSteps: Sendable {
  private struct State {
    var openChallenge: Challenge?
    var upload = UploadReport()
    /// Whether the response was delivered and the cache was not asked yet.
    var mayAskToCache = false
    var isOver = false
  }

  private let executor: CallbackExecutor
  private let state = Guarded(State())

  init(_ executor: CallbackExecutor) { self.executor = executor }

  /// Runs work after all previous steps.
  func run(_ work: @escaping @Sendable () -> Void) { executor.run(work) }

  /// Runs a step and returns its answer.
  ///
  /// - Throws: `CancellationError` when the operation has finished or was released, or the waiting task is cancelled.
  func ask<Answer: Sendable>(
    _ link: OperationLink, _ step: @escaping @Sendable (URLConnectionOperation) -> Answer
  ) async throws -> Answer {
    try await ExecutorQuestions(executor).ask { [self] in try call(link, step) }
  }

  /// Runs a step; called on the executor.
  func call<Answer>(_ link: OperationLink, _ step: (URLConnectionOperation) -> Answer) throws -> Answer {
    guard let operation = link.operation, !operation.isFinished else { throw CancellationError() }
    return step(operation)
  }

  /// Records a challenge that is being answered; nil clears it.
  func note(_ challenge: Challenge?) { state.withLock { $0.openChallenge = challenge } }

  /// Returns and clears the challenge that waits for an answer.
  func takeOpenChallenge() -> Challenge? {
    state.withLock { state in
      defer { state.openChallenge = nil }
      return state.openChallenge
    }
  }

  /// Records a head: from now on the cache may ask, and uploads are not reported.
  func respond() {
    state.withLock { state in
      state.upload.close()
      state.mayAskToCache = true
    }
  }

  /// Returns whether to ask about caching; true at most once.
  func asksToCache() -> Bool {
    state.withLock { state in
      defer { state.mayAskToCache = false }
      return state.mayAskToCache
    }
  }

  /// Handles the start of an upload, or the bytes that were sent.
  func upload(_ link: OperationLink, _ event: ExchangeEvent.Kind) {
    switch event {
    case .sending: state.withLock { $0.upload.restart() }
    case .sent(let bytes, let expected):
      guard state.withLock({ $0.upload.take(bytes, expected: expected) }) else { return }
      executor.run { [self] in
        guard let news = state.withLock({ $0.upload.tell() }) else { return }
        try? call(link) { $0.didSendBodyData(news.bytes, total: news.total, expected: news.expected) }
      }
    default: break
    }
  }
}

/// Receives the number of sent bytes from a transport's events.
struct UploadSteps: EventObserver {
  let link: OperationLink
  let steps: OperationSteps

  /// True, because numbers contain no secrets, and redaction would copy each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) { steps.upload(link, event.kind) }
}

/// Calls an operation's steps for the response and each piece of its body.
///
/// The body is stored in another sink.
struct StepSink: TransferSink {
  let inner: any TransferSink
  let link: OperationLink
  let steps: OperationSteps
  /// Whether each piece of the body waits for its step.
  let tellsPieces: Bool

  func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request {
    try await inner.prepare(request, attempt)
  }

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try await steps.ask(link) { [steps] operation in
      steps.respond()
      operation.didReceive(head)
    }
    let writer = try await inner.open(head, attempt)
    guard tellsPieces else { return writer }
    return PieceWriter(to: writer, ReplacingParts(head)) { [link, steps] piece in
      try await steps.ask(link) { operation in
        switch piece {
        case .head(let part): operation.didReceive(part)
        case .data(let data): operation.didReceive(data)
        }
      }
    }
  }

  /// Streamed if steps receive the body, because a step may take its time.
  var delivery: ResponseDelivery? { tellsPieces ? .streamed : inner.delivery }
}
