/// Transfers that wait for their rate limit.
///
/// libcurl's own limits let megabytes pass at once, and count the following wait as idle time.
extension EventLoop {
  /// Adds a flight to those that wait for their rate limit.
  func pace(_ flight: CurlFlight) { paced.append(flight) }

  /// When the first of the waiting flights resumes; nil when none waits.
  var nextPaced: UInt64? { paced.isEmpty ? nil : paced.lazy.map(\.pacedUntil).min() }

  /// Resumes the flights whose time has come, and removes those that have ended.
  func releasePaced(at now: UInt64) {
    guard !paced.isEmpty else { return }
    let due = paced.filter { $0.pacedUntil <= now || $0.easy == nil }
    paced.removeAll { $0.pacedUntil <= now || $0.easy == nil }
    for flight in due { flight.endPaces(at: now) }
  }
}

extension CurlFlight {
  /// When the first waiting direction may resume.
  var pacedUntil: UInt64 {
    min(
      pauses.contains(.receiveLimit) ? receivePacer.nextAt : .max, pauses.contains(.sendLimit) ? sendPacer.nextAt : .max
    )
  }

  /// Returns whether receiving must pause for its rate limit, and starts the pause.
  func mustPaceReceiving() -> Bool {
    guard receivePacer.mustWait(at: loop.now) else { return false }
    if pauses.isDisjoint(with: .limits) { loop.pace(self) }
    pauses.insert(.receiveLimit)
    return true
  }

  /// Returns whether sending must pause for its rate limit, and starts the pause.
  func mustPaceSending() -> Bool {
    guard sendPacer.mustWait(at: loop.now) else { return false }
    if pauses.isDisjoint(with: .limits) { loop.pace(self) }
    pauses.insert(.sendLimit)
    return true
  }

  fileprivate func endPaces(at now: UInt64) {
    guard easy != nil else { return }
    if receivePacer.nextAt <= now { pauses.remove(.receiveLimit) }
    if sendPacer.nextAt <= now { pauses.remove(.sendLimit) }
    if !pauses.isDisjoint(with: .limits) { loop.pace(self) }
    lastMotion = now
    applyPause()
  }
}
