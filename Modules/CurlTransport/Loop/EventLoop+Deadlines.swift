/// The times that the loop keeps for its flights.
extension EventLoop {
  /// Has a flight looked at when its next time is over.
  func scheduleCheck(_ flight: CurlFlight) {
    guard let due = flight.deadline else { return }
    nextCheck = min(nextCheck ?? .max, due)
  }

  /// Looks at every flight; the next look is when the first could be due, but not sooner than 5 ms from now.
  func checkDeadlines(at now: UInt64) {
    var next = UInt64.max
    var expired: [CurlFlight] = []
    for flight in running {
      guard let due = flight.observedDeadline(at: now) else { continue }
      if due <= now { expired.append(flight) } else { next = min(next, due) }
    }
    nextCheck = next == .max ? nil : max(next, now + 5_000_000)
    for flight in expired {
      flight.failLate(at: now)
      abort(flight)
    }
  }
}
