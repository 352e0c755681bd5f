import CLibcurl
import CurlewCore

/// The times that the loop keeps itself, since libcurl does not or not always.
extension CurlFlight {
  /// When it has waited too long; nil when it has no limit that the loop keeps.
  var deadline: UInt64? {
    var idle = plan.limits.idle.map { lastMotion &+ $0 }
    if let due = phase.continueDue { idle = min(idle ?? .max, due) }
    return phase.isConnected ? idle : min(idle ?? .max, takenOffAt &+ plan.limits.toBegin)
  }

  /// The same after a look at what libcurl sent by itself; time in which it is paused does not count as idle.
  func observedDeadline(at now: UInt64) -> UInt64? {
    // Before there is a handle, a file is being opened.
    guard let easy else { return deadline }
    if let due = phase.continueDue, due <= now { endAwaitingContinue() }
    if plan.limits.idle != nil {
      let bytes = Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
      if bytes != lastSeenBytes || !pauses.isEmpty || isUploadPaused || channel.isFull {
        lastSeenBytes = bytes
        lastMotion = now
      }
    }
    return deadline
  }

  /// Whether the request is paused while it has a body, also once all of the body has left.
  private var isUploadPaused: Bool { upload != nil && exchange.pause?.isPaused == true }

  /// Notes which of its times has passed.
  func failLate(at now: UInt64) {
    guard easy != nil else {
      return fail(
        NetworkError(.fileError, stage: .sending, message: "The body's file could not be opened in time."))
    }
    if !phase.isConnected, takenOffAt &+ plan.limits.toBegin <= now {
      return fail(FailureTable(self, CURLE_OPERATION_TIMEDOUT).error)
    }
    fail(NetworkError(.idleTimedOut, stage: phase.stage, message: "No byte came or went for too long."))
  }
}
