public import CurlewCore

/// Snapshots of one direction of a transfer, as they come.
///
/// Each iterator sees the newest snapshot when it asks, at most ten a second, and computes `recent` for itself, so that
/// a slow reader misses nothing but intermediate steps. It ends after the final snapshot, or without one when the
/// transfer failed or was cancelled, or when the reading task is cancelled.
public struct TransferProgressSequence: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = TransferProgress
  /// It never fails.
  public typealias Failure = Never

  let board: ProgressBoard

  /// The exact state now, whatever was published; `recent` is 0.
  public var current: TransferProgress { board.current }

  /// Calls a handler with each snapshot from now on, and with a final one that was there before.
  ///
  /// A handler that is slow misses intermediate steps and no bytes: `recent` is counted for each handler by itself. It is
  /// let go when the transfer is over.
  public func observe(on executor: CallbackExecutor, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
    board.listen(on: executor, handler)
  }

  /// Starts to look.
  public func makeAsyncIterator() -> Iterator { Iterator(board: board) }

  /// Looks at the snapshots one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let board: ProgressBoard
    var cursor = ProgressCursor()

    init(board: ProgressBoard) { self.board = board }

    /// The newest snapshot, waiting for one where it was seen already; nil at the end.
    public mutating func next() async -> TransferProgress? {
      guard let (progress, seen) = await board.next(after: cursor) else { return nil }
      cursor = seen
      return progress
    }
  }
}
