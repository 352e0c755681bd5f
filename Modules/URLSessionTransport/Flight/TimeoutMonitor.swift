import CurlewCore

/// Ends flights after their timeouts, with one sleeping task for all of them.
///
/// The runtime keeps a cancelled sleep until its end, so one sleep for each request would accumulate. Flights therefore share
/// a sleep until the earliest deadline, which only the end of the transport interrupts.
final class TimeoutMonitor: Sendable {
  private struct State {
    var flights: [ObjectIdentifier: URLSessionFlight] = [:]
    /// The deadline of the current sleeper; nil if no task sleeps.
    var next: ContinuousClock.Instant?
    var sleepers: [Int: Task<Void, Never>] = [:]
    var lastSleeper = 0
    var isClosed = false

    /// Returns the number of a new sleeper, if one must sleep until the deadline.
    mutating func sleeper(until deadline: ContinuousClock.Instant) -> Int? {
      guard !isClosed else { return nil }
      if let next, next <= deadline { return nil }
      next = deadline
      lastSleeper += 1
      return lastSleeper
    }
  }

  private let clock: any NetworkClock
  private let state = Guarded(State())

  init(_ clock: any NetworkClock) { self.clock = clock }

  /// Watches a flight until it is dismissed.
  func watch(_ flight: URLSessionFlight) {
    guard let deadline = flight.deadline else { return }
    state.withLock { $0.flights[ObjectIdentifier(flight)] = flight }
    beAwake(at: deadline)
    // The flight may have ended before it was added to the list.
    if flight.deadline == nil { dismiss(flight) }
  }

  func dismiss(_ flight: URLSessionFlight) {
    state.withLock { _ = $0.flights.removeValue(forKey: ObjectIdentifier(flight)) }
  }

  /// Ends all sleeps.
  func close() {
    let sleepers = state.withLock { state in
      state.isClosed = true
      state.flights = [:]
      defer { state.sleepers = [:] }
      return state.sleepers.values
    }
    for sleeper in sleepers { sleeper.cancel() }
  }

  private func beAwake(at deadline: ContinuousClock.Instant) {
    guard let number = state.withLock({ $0.sleeper(until: deadline) }) else { return }
    let sleeper = Task {
      try? await clock.sleep(until: deadline)
      wake(number, at: deadline)
    }
    let isLate = state.withLock { state in
      // A sleeper that has already woken is not stored.
      if !state.isClosed, state.next == deadline { state.sleepers[number] = sleeper }
      return state.isClosed
    }
    if isLate { sleeper.cancel() }
  }

  private func wake(_ number: Int, at deadline: ContinuousClock.Instant) {
    let flights = state.withLock { state -> [URLSessionFlight] in
      state.sleepers[number] = nil
      // Another sleeper with an earlier deadline has taken over.
      guard !state.isClosed, state.next == deadline else { return [] }
      state.next = nil
      return Array(state.flights.values)
    }
    let now = clock.now
    for flight in flights { flight.checkTime(at: now) }
    if let next = flights.compactMap(\.deadline).min() { beAwake(at: next) }
  }
}
