/// Transfers that wait for their rate limit.
///
/// libcurl has limits of its own, which let megabytes through at once and count the wait behind them as idle.
extension EventLoop {
  /// Has a flight go on when its pacers let it.
  func pace(_ flight: CurlFlight) { paced.append(flight) }

  /// When the first of them goes on; nil when none waits.
  var nextPaced: UInt64? { paced.isEmpty ? nil : paced.lazy.map(\.pacedUntil).min() }

  /// Lets those go on whose time has come, and drops those that have ended.
  func releasePaced(at now: UInt64) {
    guard !paced.isEmpty else { return }
    let due = paced.filter { $0.pacedUntil <= now || $0.easy == nil }
    paced.removeAll { $0.pacedUntil <= now || $0.easy == nil }
    for flight in due { flight.endPaces(at: now) }
  }
}

extension CurlFlight {
  /// When the first direction that waits may go on.
  var pacedUntil: UInt64 {
    min(
      pauses.contains(.receiveLimit) ? receivePacer.nextAt : .max, pauses.contains(.sendLimit) ? sendPacer.nextAt : .max
    )
  }

  /// Has libcurl wait before it hands over more of the response; false when it need not.
  func mustPaceReceiving() -> Bool {
    guard receivePacer.mustWait(at: loop.now) else { return false }
    if pauses.isDisjoint(with: .limits) { loop.pace(self) }
    pauses.insert(.receiveLimit)
    return true
  }

  /// Has libcurl wait before it asks for more of the request's body; false when it need not.
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
