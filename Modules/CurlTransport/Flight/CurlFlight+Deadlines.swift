import CLibcurl
import CurlewCore

/// The times that the loop keeps itself, since libcurl does not or not always.
extension CurlFlight {
  /// When it has waited too long; nil when it has no limit that the loop keeps.
  var deadline: UInt64? {
    var idle = plan.limits.idle.map { lastMotion &+ $0 }
    if awaitsContinue { idle = min(idle ?? .max, continueDue) }
    return prereqCalls > 0 ? idle : min(idle ?? .max, takenOffAt &+ plan.limits.toBegin)
  }

  /// The same after a look at what libcurl sent by itself; time in which it is paused does not count as idle.
  func observedDeadline(at now: UInt64) -> UInt64? {
    // Before there is a handle, a file is being opened.
    guard let easy else { return deadline }
    if awaitsContinue, continueDue <= now { endAwaitingContinue() }
    if plan.limits.idle != nil {
      let bytes = Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
      if bytes != lastSeenBytes || receivePaused || isUploadPaused || sinkWaits || receivePaced || sendPaced {
        lastSeenBytes = bytes
        lastMotion = now
      }
    }
    return deadline
  }

  /// Whether the request's body waits: for its source, or since the request is paused, also once all of it has left.
  private var isUploadPaused: Bool { sendPaused || (upload != nil && exchange.pause?.isPaused == true) }

  /// Notes which of its times has passed.
  func failLate(at now: UInt64) {
    guard easy != nil else {
      return fail(
        NetworkError(.fileError, stage: .sending, message: "The body's file could not be opened in time."))
    }
    if prereqCalls == 0, takenOffAt &+ plan.limits.toBegin <= now {
      return fail(FailureTable(self, CURLE_OPERATION_TIMEDOUT).error)
    }
    let stage: NetworkError.Stage = sawHead ? .receivingBody : prereqCalls > 0 ? .awaitingHead : .connecting
    fail(NetworkError(.idleTimedOut, stage: stage, message: "No byte came or went for too long."))
  }
}
