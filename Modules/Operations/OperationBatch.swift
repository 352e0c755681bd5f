public import CurlewBatch
public import CurlewCore
public import Dispatch
public import Foundation

extension NetworkError.Kind {
  /// An operation was added to a second batch.
  public static let operationInAnotherBatch = NetworkError.Kind(rawValue: "operation-in-another-batch")
}

extension URLConnectionOperation {
  /// Creates a batch, which counts operations as they finish.
  ///
  /// Nothing is added to a queue. Add the returned operations: the given ones, and one that becomes ready when all others have
  /// finished. Both blocks are called on `queue`, one at a time. Failed and cancelled operations count too; check each
  /// operation's `error` afterwards.
  ///
  /// ```swift
  /// let operations = try URLConnectionOperation.batchOfRequestOperations(
  ///   requests, progress: { finished, total in show(finished, total) }, completion: { operations in showAll(operations) })
  /// for operation in operations { queue.addOperation(operation) }
  /// ```
  ///
  /// - Parameters:
  ///   - operations: The operations, which must not belong to another batch. A finished operation counts at once.
  ///   - queue: The queue on which the blocks are called; by default the main queue.
  ///   - progress: Called once for each operation, after that operation's blocks, with the number of finished operations.
  ///   - completion: Called once with the given operations, after the last call of `progress`. Without operations it is called
  ///     when the single returned operation finishes. Otherwise it does not depend on that operation, so a batch completes
  ///     even if all its operations are cancelled.
  /// - Throws: `NetworkError` of kind `operationInAnotherBatch`; no operation is then added to the batch.
  public static func batchOfRequestOperations(
    _ operations: [URLConnectionOperation], on queue: DispatchQueue = .main,
    progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)? = nil,
    completion: (@Sendable ([URLConnectionOperation]) -> Void)? = nil
  ) throws(NetworkError) -> [Operation] {
    for (index, operation) in operations.enumerated() where !operation.joinBatch() {
      for joined in operations[..<index] { joined.leaveBatch() }
      throw NetworkError(
        .operationInAnotherBatch, stage: .preparing,
        message: "The operation \(operation) belongs to a batch already.",
        advice: "Make a copy of it, or one batch of both.")
    }
    let last = BatchEnd(after: operations.count)
    let batch = BatchCount(operations.count, queue, progress, completion)
    if operations.isEmpty { last.onEnd { batch.completeEmpty() } }
    for (index, operation) in operations.enumerated() {
      operation.follow(early: { last.countOne() }, late: { batch.count($0, at: index) })
    }
    return operations + [last]
  }

  /// Marks the operation as part of a batch.
  ///
  /// - Returns: Whether it was in no other batch.
  private func joinBatch() -> Bool {
    state.withLock { state in
      defer { state.isInBatch = true }
      return !state.isInBatch
    }
  }

  private func leaveBatch() { state.withLock { $0.isInBatch = false } }

  /// Calls followers at the end: before and after the app's own blocks.
  ///
  /// If those blocks were already submitted, the followers are called at once.
  private func follow(
    early: @escaping @Sendable () -> Void, late: @escaping @Sendable (URLConnectionOperation) -> Void
  ) {
    let isOver = state.withLock { state in
      if !state.isConcluded {
        state.earlyFollowers.append(early)
        state.followers.append(late)
      }
      return state.isConcluded
    }
    guard isOver else { return }
    early()
    late(self)
  }
}

/// Counts the operations of a batch as they finish.
///
/// It retains only finished operations, so a batch that never runs is released.
private final class BatchCount: Sendable {
  private struct State {
    var progress: (@Sendable (Int, Int) -> Void)?
    var completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    var ended: [Int: URLConnectionOperation] = [:]
  }

  /// The queue of the blocks; serial, so that numbers stay in order on any target.
  private let queue: DispatchQueue
  private let total: Int
  private let state: Guarded<State>

  init(
    _ total: Int, _ target: DispatchQueue, _ progress: (@Sendable (Int, Int) -> Void)?,
    _ completion: (@Sendable ([URLConnectionOperation]) -> Void)?
  ) {
    queue = DispatchQueue(label: "curlew.batch", target: target)
    self.total = total
    state = Guarded(State(progress: progress, completion: completion))
  }

  func count(_ operation: URLConnectionOperation, at index: Int) {
    queue.async { [self] in
      let (progress, ended) = state.withLock { state in
        state.ended[index] = operation
        return (state.progress, state.ended.count)
      }
      progress?(ended, total)
      if ended == total { complete() }
    }
  }

  /// Completes a batch without operations.
  func completeEmpty() { queue.async { [self] in complete() } }

  private func complete() {
    // Release the blocks and everything that they hold.
    let last = state.withLock { state in
      defer { state = State() }
      return state
    }
    last.completion?(last.ended.sorted { $0.key < $1.key }.map(\.value))
  }
}

/// The last operation of a batch, which becomes ready after all others.
///
/// It does not use Foundation's dependencies. Those are unowned references from each operation to this one, which may be
/// cancelled and released, or never be used, before the others finish.
// Safe because its state is guarded.
private final class BatchEnd: Operation, @unchecked Sendable {
  private struct State {
    var missing: Int
    var onEnd: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  init(after count: Int) { state = Guarded(State(missing: count)) }

  override var isReady: Bool { (isCancelled || state.withLock { $0.missing } == 0) && super.isReady }

  /// Sets a closure that is called once, when the operation runs or is cancelled.
  func onEnd(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = work } }

  func countOne() {
    let isLast = state.withLock { state in
      state.missing -= 1
      return state.missing == 0
    }
    if isLast { didChangeValue(forKey: "isReady") }
  }

  override func main() { end() }

  override func cancel() {
    super.cancel()
    end()
  }

  private func end() {
    let work = state.withLock { state in
      defer { state.onEnd = nil }
      return state.onEnd
    }
    work?()
  }
}

extension BatchJob {
  /// Returns a job that runs an operation of this module as an item of a batch.
  ///
  /// The batch starts the operation. The operation must be in no queue, because the batch's limits and priorities apply to it.
  /// Pausing or cancelling the item cancels the operation, and a resumed item creates a new one. The product has the number of
  /// downloaded bytes and no output.
  ///
  /// - Parameter make: Creates the operation; it is called for each run and must return a new one.
  public static func operation(
    _ make: @escaping @Sendable (BatchJobContext) async throws -> URLConnectionOperation
  ) -> BatchJob {
    BatchJob { context in
      let operation = try await make(context)
      try Task.checkCancellation()
      operation.start()
      _ = try await operation.value
      return BatchProduct(bytes: operation.downloadProgress.completed)
    }
  }
}
