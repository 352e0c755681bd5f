import CLibcurl
import CurlewCore

/// The timeouts that the loop checks, because libcurl does not always do so.
extension CurlFlight {
  /// The time of the next timeout that the loop checks; nil without one.
  var deadline: UInt64? {
    var idle = plan.limits.idle.map { lastMotion &+ $0 }
    if let due = phase.continueDue { idle = min(idle ?? .max, due) }
    return phase.isConnected ? idle : min(idle ?? .max, takenOffAt &+ plan.limits.toBegin)
  }

  /// Returns the time of the next timeout, after asking libcurl for its progress.
  ///
  /// libcurl reports the bytes that it sends only when asked. Time during which the request is paused does not count as idle.
  func observedDeadline(at now: UInt64) -> UInt64? {
    // Without a handle, a file is still being opened.
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

  /// Whether a request with a body is paused, even after all of its body was sent.
  private var isUploadPaused: Bool { upload != nil && exchange.pause?.isPaused == true }

  /// A space and the path of the request's file; empty if it has none.
  private var fileName: String {
    if case .file(let region) = plan.request.body.source { " \(region.path)" } else { "" }
  }

  /// Fails the flight with the error of the timeout that passed.
  func failLate(at now: UInt64) {
    guard easy != nil else {
      return fail(
        NetworkError(
          .fileError, stage: .sending,
          message: "The body's file\(fileName) could not be opened in time; its disk does not answer."
        ))
    }
    if !phase.isConnected, takenOffAt &+ plan.limits.toBegin <= now {
      return fail(FailureTable(self, CURLE_OPERATION_TIMEDOUT).error)
    }
    fail(.timeout(.idleTimedOut, stage: phase.stage, of: plan.limits.timeouts))
  }
}
