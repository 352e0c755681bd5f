public import CurlewCore
public import CurlewLoading

/// A task whose response becomes a value.
///
/// The response is validated and decoded by the serializer that the task was made with. A `GET` that is suspended keeps the bytes
/// in memory, and requests the rest after `resume` if its connection was released and the server can prove that the bytes belong
/// together (`ResumePlan`).
///
/// ```swift
/// let task = session.dataTask(try Request(.get, "https://example.com/birds"), .json([Bird].self))
/// let birds = try await task.value
/// ```
public class DataTask<Value: Sendable>: SessionTask, @unchecked Sendable {  // Safe because it adds no properties.
  /// The outcome; nil before the end.
  public final var outcome: TransferOutcome<Value>? { core.state.withLock { $0.outcome }.map(Self.typed) }

  /// The value; starts the task if it was never resumed, and waits.
  ///
  /// Cancelling the waiting task cancels a task that only readers have started; for one that was resumed it only ends the wait. A
  /// suspended task waits for its `resume`.
  ///
  /// - Throws: The error of the task; `CancellationError` when it or the waiting task was cancelled.
  public final var value: Value {
    get async throws {
      defer { extendLifetime(self) }
      return try Self.value(of: try await core.read())
    }
  }

  /// Calls a handler once with the outcome, even if the task has ended.
  public final func onFinish(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferOutcome<Value>) -> Void
  ) {
    core.onEnd(on: executor) { outcome in handler(Self.typed(outcome)) }
  }

  private static func typed(_ outcome: TransferOutcome<TaskProduct>) -> TransferOutcome<Value> {
    switch outcome {
    case .success(.value(let box as ValueBox<Value>)): .success(box.value)
    case .success: .failure(NetworkError.lostProduct)
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }

  /// Returns the value of an outcome, without the cost of a `TransferOutcome` of the value's type.
  private static func value(of outcome: TransferOutcome<TaskProduct>) throws -> Value {
    guard case .value(let box as ValueBox<Value>) = try outcome.get() else { throw NetworkError.lostProduct }
    return box.value
  }
}

extension NetworkError {
  /// An error for a case that cannot happen but must not trap.
  static let lostProduct = NetworkError(
    .internal, stage: .decoding, message: "A session task lost its value.", advice: "Please report it.")
}

/// A data task whose body is the point: bytes, a file or a stream.
///
/// It is a sequence of the progress of its body, at most ten snapshots per second, and `value` is its result. Reading either of them
/// starts it:
///
/// ```swift
/// let upload = session.upload(.file(photo), to: "photos")
/// for try await progress in upload { print(progress.fraction ?? 0) }
/// let response = try await upload.value
/// ```
///
/// The progress reaches the whole body once, before the response is handed over, and this snapshot is the last. A body that can be
/// sent again (bytes, files and replayable streams) survives retries, redirects and challenges; for any other,
/// `SessionTaskHooks.newBody` is asked.
public final class UploadTask<Value: Sendable>: DataTask<Value>, AsyncSequence, @unchecked Sendable {
  // Safe because it adds no properties.

  /// A snapshot of the progress.
  public typealias Element = TransferProgress

  /// Starts the upload if it was never resumed, and reads its progress; throws its error.
  public func makeAsyncIterator() -> ProgressIterator { ProgressIterator(self, core.boards.uploadProgress) }
}
