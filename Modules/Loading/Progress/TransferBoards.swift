package import CurlewCore

/// The progress of both directions of a transfer that does not exist yet.
///
/// A session task makes its transfer when it is resumed, but its progress can be observed before that. The task makes the boards
/// and passes them to its transfer.
package final class TransferBoards: Sendable {
  let download: ProgressBoard
  let upload: ProgressBoard

  package init(_ clock: any NetworkClock) {
    download = ProgressBoard(clock)
    upload = ProgressBoard(clock)
  }

  /// The progress of the response's body.
  package var downloadProgress: TransferProgressSequence { TransferProgressSequence(board: download) }

  /// The progress of the request's body.
  package var uploadProgress: TransferProgressSequence { TransferProgressSequence(board: upload) }

  /// Ends the progress of a transfer that was never made.
  package func abandon() {
    let now = ContinuousClock.now
    upload.endSending(success: false, now: now)
    download.end(success: false, now: now)
  }
}
