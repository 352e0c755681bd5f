public import CurlewCore
public import Dispatch
public import Foundation

extension NetworkError.Kind {
  /// An operation was put into a second batch.
  public static let operationInAnotherBatch = NetworkError.Kind(rawValue: "operation-in-another-batch")
}

extension URLConnectionOperation {
  /// Makes a batch: counts operations as they end, and tells when all of them have.
  ///
  /// Nothing is added to a queue; add the returned operations, which are the given ones and one that is ready when all of them
  /// have ended.
  /// Both blocks are called on `queue`, one at a time. Failures and cancellations count as ends; look at each operation's
  /// `error` afterwards.
  ///
  /// ```swift
  /// let operations = try URLConnectionOperation.batchOfRequestOperations(
  ///   requests, progress: { finished, total in show(finished, total) }, completion: { operations in showAll(operations) })
  /// for operation in operations { queue.addOperation(operation) }
  /// ```
  ///
  /// - Parameters:
  ///   - operations: Each belongs to no batch yet. One that is over already counts at once.
  ///   - queue: Where the blocks are called; the main queue unless given.
  ///   - progress: Called once for each operation with the number of those that ended, 1 to the total, after the blocks of
  ///     that operation.
  ///   - completion: Called once with the given operations, after the last call of `progress`. For no operations it is
  ///     called when the one returned operation ends. It does not depend on that operation otherwise, so that a batch whose
  ///     operations are all cancelled still completes.
  /// - Throws: `NetworkError` of kind `operationInAnotherBatch`; no operation is in the batch then.
  public static func batchOfRequestOperations(
    _ operations: [URLConnectionOperation], on queue: DispatchQueue = .main,
    progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)? = nil,
    completion: (@Sendable ([URLConnectionOperation]) -> Void)? = nil
  ) throws(NetworkError) -> [Operation] {
    for (index, operation) in operations.enumerated() where !operation.joinBatch() {
      for joined in operations[..<index] { joined.leaveBatch() }
      throw NetworkError(
        .operationInAnotherBatch, stage: .preparing,
        message: "The operation \(operation) belongs to a batch already; make a copy of it, or one batch of both.")
    }
    let last = BatchEnd(after: operations.count)
    let batch = BatchCount(operations.count, queue, progress, completion)
    if operations.isEmpty { last.onEnd { batch.completeEmpty() } }
    for (index, operation) in operations.enumerated() {
      operation.follow(early: { last.countOne() }, late: { batch.count($0, at: index) })
    }
    return operations + [last]
  }

  /// Marks the operation as one of a batch.
  ///
  /// - Returns: Whether it was in none.
  private func joinBatch() -> Bool {
    state.withLock { state in
      defer { state.isInBatch = true }
      return !state.isInBatch
    }
  }

  private func leaveBatch() { state.withLock { $0.isInBatch = false } }

  /// Calls followers at the end, before and after the app's own blocks; at once where these were handed over already.
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

/// Counts the ends of a batch's operations.
///
/// It holds operations that have ended and no others, so that a batch that is never run is released.
private final class BatchCount: Sendable {
  private struct State {
    var progress: (@Sendable (Int, Int) -> Void)?
    var completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    var ended: [Int: URLConnectionOperation] = [:]
  }

  /// Serial, so that the numbers arrive in their order on a concurrent queue too.
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

  /// Completes a batch of no operations.
  func completeEmpty() { queue.async { [self] in complete() } }

  private func complete() {
    // The blocks are released, and with them what they hold.
    let last = state.withLock { state in
      defer { state = State() }
      return state
    }
    last.completion?(last.ended.sorted { $0.key < $1.key }.map(\.value))
  }
}

/// The last operation of a batch, which is ready when all others have ended.
///
/// It has no dependencies of Foundation's. Those point from each operation to this one without holding it, and it may be
/// cancelled and released, or never used, while they go on.
// Safe because its state is guarded.
private final class BatchEnd: Operation, @unchecked Sendable {
  private struct State {
    var missing: Int
    var onEnd: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  init(after count: Int) { state = Guarded(State(missing: count)) }

  override var isReady: Bool { (isCancelled || state.withLock { $0.missing } == 0) && super.isReady }

  /// Sets what is called once when it runs or is cancelled.
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
