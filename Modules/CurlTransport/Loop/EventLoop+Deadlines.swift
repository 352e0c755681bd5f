/// The timeouts that the loop itself enforces for its flights.
extension EventLoop {
  /// Schedules a check at the flight's next deadline.
  func scheduleCheck(_ flight: CurlFlight) {
    guard var due = flight.deadline else { return }
    if flight.mayShareConnection { due = min(due, flight.boardedAt &+ ConnectHaste.patience) }
    nextCheck = min(nextCheck ?? .max, due)
  }

  /// Checks every flight and schedules the next check.
  ///
  /// The next check is when the first flight can be due, at least 5 ms from now.
  func checkDeadlines(at now: UInt64) {
    var next = UInt64.max
    var expired: [CurlFlight] = []
    for flight in running {
      guard let due = flight.observedDeadline(at: now) else { continue }
      if due <= now { expired.append(flight) } else { next = min(next, due) }
    }
    for flight in expired {
      flight.failLate(at: now)
      abort(flight)
    }
    leaveSilent()
    if let due = hasten(at: now) { next = min(next, due) }
    nextCheck = next == .max ? nil : max(next, now + 5_000_000)
  }
}
