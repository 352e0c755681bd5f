public import CurlewCore
public import CurlewLoading
import CurlewSerialization
public import Foundation

extension URLConnectionOperation {
  /// The request as it was given; a pause, a redirect or a resumption does not change it.
  public var request: Request { state.withLock { $0.request } }

  /// The request that was sent last, with what a resumption added; nil before one was sent.
  public var currentRequest: Request? { engine?.request }

  /// The latest head of a response; nil before the first.
  public var response: ResponseHead? {
    let (outcome, engine) = state.withLock { ($0.outcome, $0.engine) }
    if case .success(let result) = outcome { return result.head }
    return engine?.response
  }

  /// Why it failed; `CancellationError` when it was cancelled. Nil before the end and after a success.
  ///
  /// An error of the serializer takes precedence over one of the transport; there is never more than one.
  public var error: (any Error)? { state.withLock { $0.outcome }?.error }

  /// The body of a success; nil before the end, after a failure, and where it went to a sink or an output stream.
  public var responseData: Data? {
    guard case .success(let result) = state.withLock({ $0.outcome }) else { return nil }
    return result.content.data
  }

  /// The charset of the response's text: that of its `Content-Type`, and UTF-8 where it has none that is known.
  public var responseStringEncoding: Charset {
    guard let charset = response?.charset, (try? CharsetDecoder.string(Data(), as: charset)) != nil else {
      return .utf8
    }
    return charset
  }

  /// The body of a success as text in `responseStringEncoding`; nil where there is none or it is malformed.
  public var responseString: String? {
    guard let data = responseData else { return nil }
    return try? CharsetDecoder.string(data, as: responseStringEncoding)
  }

  /// The progress of the response's body; empty before the start.
  public var downloadProgress: TransferProgress {
    engine?.received.current ?? TransferProgress(recent: 0, completed: 0, total: nil)
  }

  /// The progress of the request's body; empty before the start.
  public var uploadProgress: TransferProgress {
    engine?.sent?.current ?? TransferProgress(recent: 0, completed: 0, total: nil)
  }

  /// The attempts so far, oldest first; only the newest 100 are kept.
  public var attempts: [TransferAttempt] { engine?.attempts ?? [] }

  /// The metrics so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { engine?.metrics ?? [] }

  /// Waits for the outcome; starts nothing.
  ///
  /// It is the body as `Data`, or what a subclass makes of it. Cancelling the waiting task cancels the operation.
  ///
  /// - Throws: `error`.
  public var value: any Sendable {
    get async throws {
      try await withTaskCancellationHandler {
        try await outcomeValue()
      } onCancel: {
        cancel()
      }
    }
  }

  /// Waits for the outcome and returns it as a type.
  ///
  /// - Throws: `error`; `NetworkError` of kind `serializationFailed` for a value of another type.
  public func value<Value: Sendable>(as type: Value.Type) async throws -> Value {
    try OperationResult.cast(try await value, to: type)
  }

  /// Returns when it is paused and nothing of a released attempt is running, or when it has settled.
  ///
  /// Before the start it returns at once. An attempt that keeps its connection during the pause is not waited for.
  public func halted() async { await engine?.halted() }

  /// Returns when it is over and no attempt, hook or write of it is running; starts nothing.
  ///
  /// Await it before using what a cancelled operation has written. Cancelling the waiting task does not end the wait.
  public func settled() async {
    _ = try? await outcomeValue()
    await engine?.settled()
  }

  /// Waits for the outcome, whatever becomes of the task.
  private func outcomeValue() async throws -> any Sendable {
    try await state.wait(leavesWhenCancelled: false) { $0.outcome == nil ? nil : .success(()) }
    guard let outcome = state.withLock({ $0.outcome }) else { throw CancellationError() }
    return try outcome.get().value
  }

  var engine: (any OperationEngine)? { state.withLock { $0.engine } }
}

extension OperationResult {
  /// Returns a value as a type.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed` that names both types.
  static func cast<Value>(_ value: any Sendable, to type: Value.Type) throws(NetworkError) -> Value {
    if let value = value as? Value { return value }
    throw NetworkError(
      .serializationFailed, stage: .decoding,
      message:
        "The operation's value is of type \(Swift.type(of: value)) and not \(type); ask for its serializer's output."
    )
  }
}
