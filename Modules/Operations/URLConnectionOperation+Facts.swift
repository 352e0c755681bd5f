public import CurlewCore
public import CurlewLoading
import CurlewSerialization
public import Foundation

extension URLConnectionOperation {
  /// The request as given; pauses, redirects and resumptions do not change it.
  public var request: Request { state.withLock { $0.request } }

  /// The request that was sent last; nil before the first.
  ///
  /// It includes the fields that a resumption added.
  public var currentRequest: Request? { transfer?.request }

  /// The latest head of a response; nil before the first.
  public var response: ResponseHead? {
    let (outcome, transfer) = state.withLock { ($0.outcome, $0.transfer) }
    if case .success(let result) = outcome { return result.head }
    return transfer?.response
  }

  /// The error of the operation; nil before the end and after a success.
  ///
  /// It is a `CancellationError` if the operation was cancelled. An error of the serializer takes precedence over one of the
  /// transport.
  public var error: (any Error)? { state.withLock { $0.outcome }?.error }

  /// The body of the response; of a refused one, its start.
  ///
  /// A response that was refused by its head, such as a 404, is read up to the limit of errors (`NetworkError.Details`).
  /// Nil before the end, after a failure without a response, after a cancellation, and if the body went to a sink.
  public var responseData: Data? {
    switch state.withLock({ $0.outcome }) {
    case .success(let result): result.content.data
    case .failure(let error): (error as? NetworkError)?.details.responseBody
    case .cancelled, nil: nil
    }
  }

  /// The charset of the response's text.
  ///
  /// It is that of `Content-Type`, or UTF-8 if there is none that is known.
  public var responseStringEncoding: Charset {
    guard let charset = response?.charset, (try? CharsetDecoder.string(Data(), as: charset)) != nil else {
      return .utf8
    }
    return charset
  }

  /// The body as text in `responseStringEncoding`.
  ///
  /// Nil if there is no body, or if it is malformed in that charset.
  public var responseString: String? {
    guard let data = responseData else { return nil }
    return try? CharsetDecoder.string(data, as: responseStringEncoding)
  }

  /// The progress of the response's body; zero before the start.
  public var downloadProgress: TransferProgress {
    transfer?.downloadProgress.current ?? TransferProgress(recent: 0, completed: 0, total: nil)
  }

  /// The progress of the request's body; zero before the start.
  public var uploadProgress: TransferProgress {
    transfer?.uploadProgress.current ?? TransferProgress(recent: 0, completed: 0, total: nil)
  }

  /// The attempts so far, oldest first; only the newest 100 are kept.
  public var attempts: [TransferAttempt] { transfer?.attempts ?? [] }

  /// The metrics so far, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics] { transfer?.metrics ?? [] }

  /// Waits for the outcome without starting the operation.
  ///
  /// The value is the body as `Data`, or the value of a subclass. Cancelling the waiting task cancels the operation.
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

  /// Waits until the operation is paused and nothing is running, or has settled.
  ///
  /// It waits for an attempt that releases its connection during the pause, and not for one that keeps it. Before the start it
  /// returns at once.
  public func halted() async { await transfer?.halted() }

  /// Waits until the operation has finished, nothing of it is running, and its blocks have returned.
  ///
  /// It does not start the operation. Await it before you use anything that a cancelled operation has written. Cancelling the
  /// waiting task does not end the wait. `completionQueue` must run, and a block must not wait for this.
  public func settled() async {
    // Whoever starts the operation may still be creating its transfer when another thread cancels it.
    try? await state.wait(leavesWhenCancelled: false) { $0.isConcluded ? .success(()) : nil }
    await transfer?.settled()
    try? await state.wait(leavesWhenCancelled: false) { $0.isTold ? .success(()) : nil }
  }

  /// Waits for the outcome, even if the task is cancelled.
  private func outcomeValue() async throws -> any Sendable {
    try await state.wait(leavesWhenCancelled: false) { $0.outcome == nil ? nil : .success(()) }
    guard let outcome = state.withLock({ $0.outcome }) else { throw CancellationError() }
    return try outcome.get().value
  }

  var transfer: Transfer<OperationResult>? { state.withLock { $0.transfer } }
}

extension OperationResult {
  /// Returns a value as a type.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`, whose message names both types.
  static func cast<Value>(_ value: any Sendable, to type: Value.Type) throws(NetworkError) -> Value {
    if let value = value as? Value { return value }
    throw NetworkError(
      .serializationFailed, stage: .decoding,
      message:
        "The operation's value is of type \(Swift.type(of: value)) and not \(type).",
      advice: "Ask for its serializer's output."
    )
  }
}
