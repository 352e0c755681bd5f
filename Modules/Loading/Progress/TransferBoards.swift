public import CurlewCore

/// The progress of both directions of a transfer that does not exist yet.
///
/// A session task makes its transfer when it is resumed, but its progress can be observed before that. The task makes the boards
/// and passes them to its transfer. The board of the request's body is made when somebody asks, since most requests have none.
package final class TransferBoards: Sendable {
  private struct State {
    var upload: ProgressBoard?
    var hasResponse = false
    var end: (success: Bool, at: Moment)?
  }

  let download: ProgressBoard
  private let clock: any NetworkClock
  private let state = Guarded(State())

  package init(_ clock: any NetworkClock) {
    self.clock = clock
    download = ProgressBoard(clock)
  }

  var upload: ProgressBoard {
    // The clock may be the app's code, which does not run under the lock.
    let now = clock.now
    return state.withLock { state in
      if let board = state.upload { return board }
      let board = ProgressBoard(clock)
      if state.hasResponse { board.respond(now: now) }
      if let end = state.end { board.endSending(success: end.success, now: end.at.instant) }
      state.upload = board
      return board
    }
  }

  /// The progress of the response's body.
  package var downloadProgress: TransferProgressSequence { TransferProgressSequence(board: download) }

  /// The progress of the request's body.
  package var uploadProgress: TransferProgressSequence { TransferProgressSequence(board: upload) }

  /// Records that the head of a response has arrived, before anybody else learns of it.
  func respond() {
    let upload = state.withLock { state in
      state.hasResponse = true
      return state.upload
    }
    upload?.respond()
  }

  /// Ends the progress of the request's body.
  func endSending(success: Bool, now: ContinuousClock.Instant) {
    let upload = state.withLock { state in
      state.end = (success, Moment(now))
      return state.upload
    }
    upload?.endSending(success: success, now: now)
  }

  /// Ends the progress of a transfer that was never made.
  package func abandon() {
    let now = ContinuousClock.now
    endSending(success: false, now: now)
    download.end(success: false, now: now)
  }
}

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
