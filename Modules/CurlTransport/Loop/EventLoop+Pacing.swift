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

/// Limits the rate of one direction of a transfer, without I/O.
///
/// Each piece takes its share of time, and the next piece waits until that has passed. Unused time is not made up for later.
struct Pacer {
  /// The bytes per second; nil sets no limit.
  private let rate: Int64?
  /// When the next piece may move, in nanoseconds of the monotonic clock.
  private(set) var nextAt: UInt64 = 0

  init(bytesPerSecond rate: Int64?) { self.rate = rate.map { max(1, $0) } }

  /// The largest piece to move at once; nil sets no limit.
  ///
  /// It is a tenth of a second's bytes, between 1 kB and 16 kB.
  var piece: Int? { rate.map { Int(min(max($0 / 10, 1_024), 16_384)) } }

  /// Returns whether the next piece must wait.
  func mustWait(at now: UInt64) -> Bool { rate != nil && now < nextAt }

  /// Records bytes that have moved.
  mutating func moved(_ bytes: Int, at now: UInt64) {
    guard let rate else { return }
    let nanoseconds = Double(bytes) / Double(rate) * 1e9
    nextAt = max(nextAt, now) &+ UInt64(min(nanoseconds, 1e18))
  }
}
