import CurlewCore
import HTTPTypes

/// The requests of one cache that are on their way, so that equal ones wait and overtaken ones store nothing.
final class CacheFlights: Sendable {
  /// What a request may do.
  enum Entry {
    /// Go, and keep the flight until the response is stored or will not be.
    case lead(CacheFlight)
    /// Wait for an equal request.
    case follow(CacheFlightEnd)
    /// Go alone.
    case alone
  }

  /// A request that is on its way, and who waits for it.
  private struct Leader {
    let request: Request
    var end: CacheFlightEnd?

    /// Whether another request asks the same, and would wait as long.
    func isEqual(to other: Request) -> Bool {
      request.headerFields == other.headerFields && request.options == other.options
    }

    mutating func followed() -> CacheFlightEnd {
      let end = end ?? CacheFlightEnd()
      self.end = end
      return end
    }
  }

  private struct State {
    var flights: [CacheKey: Leader] = [:]
    var fillings: [CacheKey: [ObjectIdentifier: CacheFilling]] = [:]
  }

  private let state = Guarded(State())

  func enter(_ key: CacheKey, _ request: Request, mayFollow: Bool, mayLead: Bool) -> Entry {
    state.withLock { state in
      func enter(_ leader: inout Leader?) -> Entry {
        if let present = leader {
          guard mayFollow, present.isEqual(to: request), let end = leader?.followed() else { return .alone }
          return .follow(end)
        }
        guard mayLead else { return .alone }
        leader = Leader(request: request)
        return .lead(CacheFlight(self, key))
      }
      return enter(&state.flights[key])
    }
  }

  fileprivate func end(_ key: CacheKey) {
    state.withLock { $0.flights.removeValue(forKey: key) }?.end?.come()
  }

  func add(_ filling: CacheFilling) {
    state.withLock { $0.fillings[filling.key, default: [:]][ObjectIdentifier(filling)] = filling }
  }

  func remove(_ filling: CacheFilling) {
    state.withLock { state in
      state.fillings[filling.key]?[ObjectIdentifier(filling)] = nil
      if state.fillings[filling.key]?.isEmpty == true { state.fillings[filling.key] = nil }
    }
  }

  /// Keeps what is on its way under a key from being stored.
  func revoke(_ key: CacheKey) {
    let fillings = state.withLock { $0.fillings[key] } ?? [:]
    for filling in fillings.values { filling.revoke() }
  }
}

/// One request that equal ones wait for; it is over with its last reference.
final class CacheFlight: Sendable {
  private let flights: CacheFlights
  private let key: CacheKey

  init(_ flights: CacheFlights, _ key: CacheKey) {
    self.flights = flights
    self.key = key
  }

  deinit { flights.end(key) }
}

/// The end of a flight, for those who wait for it.
final class CacheFlightEnd: Sendable {
  private struct State {
    var isOver = false
    var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Returns when the flight is over.
  func wait() async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          if state.isOver { return .success(()) }
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          state.waiters[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        // Cancelled before it came to wait.
        if waiter == nil, !state.isOver { state.cancelled.insert(id) }
        return waiter
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  func come() {
    let waiters = state.withLock { state in
      state.isOver = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }
}
