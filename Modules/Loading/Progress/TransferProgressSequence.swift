public import CurlewCore

/// The progress of one direction of a transfer, as a sequence of snapshots.
///
/// Each iterator gets the newest snapshot when it asks, at most ten per second, and computes `recent` for itself, so a
/// slow reader only misses intermediate snapshots. The sequence ends after the final snapshot (`TransferProgress.isFinal`). A
/// transfer that fails may have none; the sequence then ends when the transfer does. It also ends when the reading task is
/// cancelled.
public struct TransferProgressSequence: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = TransferProgress
  /// The sequence never fails.
  public typealias Failure = Never

  let board: ProgressBoard

  /// The current state, whether published or not; `recent` is 0.
  public var current: TransferProgress { board.current }

  /// Calls a handler with each snapshot, including an earlier final one.
  ///
  /// A slow handler misses intermediate snapshots but no bytes: `recent` is computed for each handler. The handler is
  /// released after the final snapshot, or at the end of the transfer.
  public func observe(on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
    board.listen(on: executor, handler)
  }

  /// Starts to read the snapshots.
  public func makeAsyncIterator() -> Iterator { Iterator(board: board) }

  /// Reads the snapshots one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let board: ProgressBoard
    var cursor = ProgressCursor()

    init(board: ProgressBoard) { self.board = board }

    /// Returns the newest snapshot; nil at the end.
    ///
    /// It waits if that snapshot was already returned.
    public mutating func next() async -> TransferProgress? {
      guard let (progress, seen) = await board.next(after: cursor) else { return nil }
      cursor = seen
      return progress
    }
  }
}
