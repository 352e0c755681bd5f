import CurlewCore
import HTTPTypes

/// The requests of one cache that are in flight.
///
/// A request waits for an equal one in flight. A request that was overtaken by an invalidation stores nothing.
final class CacheFlights: Sendable {
  /// What a request may do.
  enum Entry {
    /// It is sent, and keeps the flight until its response is stored or dropped.
    case lead(CacheFlight)
    /// It waits for an equal request.
    case follow(CacheFlightEnd)
    /// It is sent, and no other request waits for it.
    case alone
  }

  /// A request in flight that others may wait for.
  private struct Leader {
    let id: UInt64
    let request: Request
    var end: CacheFlightEnd?

    /// Returns whether another request is equal and would wait as long.
    func isEqual(to other: Request) -> Bool {
      request.headerFields == other.headerFields && request.options == other.options
    }

    mutating func followed() -> CacheFlightEnd {
      let end = end ?? CacheFlightEnd(id)
      self.end = end
      return end
    }
  }

  private struct State {
    var last: UInt64 = 0
    var flights: [CacheKey: Leader] = [:]
    var fillings: [CacheKey: [ObjectIdentifier: CacheWriteThrough]] = [:]
    var invalidations = CacheInvalidations()
  }

  /// The progress of the flight under a key; it changes with every byte.
  struct Progress: Equatable {
    var fillings = 0
    var bytes: Int64 = 0
  }

  private let state = Guarded(State())

  /// Decides what a request may do.
  ///
  /// - Parameter pause: The signal that can pause the request. Nobody waits for a paused request: waiting ones continue
  ///   at once.
  func enter(
    _ key: CacheKey, _ request: Request, mayFollow: Bool, mayLead: Bool, pause: PauseSignal? = nil
  ) -> Entry {
    let entry = state.withLock { state in
      state.last += 1
      let id = state.last
      func enter(_ leader: inout Leader?) -> Entry {
        if let present = leader {
          guard mayFollow, present.isEqual(to: request), let end = leader?.followed() else { return .alone }
          return .follow(end)
        }
        guard mayLead else { return .alone }
        leader = Leader(id: id, request: request)
        return .lead(CacheFlight(self, key, id))
      }
      return enter(&state.flights[key])
    }
    if case .lead(let flight) = entry, let pause { flight.end(with: pause) }
    return entry
  }

  /// Ends the wait for a flight, which itself continues.
  ///
  /// Does nothing if another flight has replaced it.
  func end(_ key: CacheKey, _ id: UInt64) {
    let leader: Leader? = state.withLock { state in
      guard let place = state.flights.index(forKey: key), state.flights[place].value.id == id else { return nil }
      return state.flights.remove(at: place).value
    }
    leader?.end?.come()
  }

  func progress(_ key: CacheKey) -> Progress {
    let fillings = state.withLock { $0.fillings[key] } ?? [:]
    return fillings.values.reduce(into: Progress()) { progress, filling in
      progress.fillings += 1
      progress.bytes += filling.length
    }
  }

  /// The moment at which a request is sent, for `isOvertaken`.
  var moment: CacheInvalidations.Moment { state.withLock { $0.invalidations.now } }

  /// Returns whether the entry under a key was invalidated since a moment.
  func isOvertaken(_ key: CacheKey, since moment: CacheInvalidations.Moment) -> Bool {
    state.withLock { $0.invalidations.concern(key, since: moment) }
  }

  /// Registers a response that is being stored, so that `revoke` can stop it.
  ///
  /// - Returns: False when it is too late: its key was invalidated since the request was sent.
  func add(_ filling: CacheWriteThrough, since moment: CacheInvalidations.Moment) -> Bool {
    state.withLock { state in
      guard !state.invalidations.concern(filling.key, since: moment) else { return false }
      state.fillings[filling.key, default: [:]][ObjectIdentifier(filling)] = filling
      return true
    }
  }

  func remove(_ filling: CacheWriteThrough) {
    state.withLock { state in
      state.fillings[filling.key]?[ObjectIdentifier(filling)] = nil
      if state.fillings[filling.key]?.isEmpty == true { state.fillings[filling.key] = nil }
    }
  }

  /// Keeps responses in flight under a key from being stored.
  ///
  /// It does not matter whether their heads have arrived.
  func revoke(_ key: CacheKey) {
    let fillings = state.withLock { state in
      state.invalidations.note(key)
      return state.fillings[key] ?? [:]
    }
    for filling in fillings.values { filling.revoke() }
  }
}

/// A request in flight that equal ones wait for.
///
/// It ends with its last reference, or when it is paused.
final class CacheFlight: Sendable {
  private let flights: CacheFlights
  private let key: CacheKey
  private let id: UInt64
  private let observation = Guarded<PauseSignal.Observation?>(nil)

  init(_ flights: CacheFlights, _ key: CacheKey, _ id: UInt64) {
    self.flights = flights
    self.key = key
    self.id = id
  }

  deinit { flights.end(key, id) }

  /// Ends the wait of others as soon as the request is paused.
  fileprivate func end(with pause: PauseSignal) {
    let watch = pause.observe { [flights, key, id] in flights.end(key, id) }
    observation.withLock { $0 = watch }
    if pause.isPaused { flights.end(key, id) }
  }
}

/// The end of a flight, for those who wait for it.
final class CacheFlightEnd: Sendable {
  /// The identity of the flight.
  let id: UInt64

  init(_ id: UInt64) { self.id = id }

  private struct State: WaitableState {
    var isOver = false
    var waiters = Waiters()
  }

  private let state = Guarded(State())

  /// Returns when the flight is over.
  func wait() async throws {
    try Task.checkCancellation()
    try await state.wait { $0.isOver ? .success(()) : nil }
  }

  func come() {
    let waiters = state.withLock { state in
      state.isOver = true
      return state.waiters.takeAll()
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// Remembers invalidated keys, for requests that were sent before.
///
/// It performs no I/O. Beyond a limit the oldest keys are forgotten. A request that was sent before a forgotten
/// invalidation counts as overtaken, because not storing a response is always safe.
struct CacheInvalidations {
  /// A moment between two invalidations.
  struct Moment: Hashable, Sendable {
    fileprivate let count: UInt64
  }

  /// The most keys that are remembered.
  static let limit = 1_024

  private var count: UInt64 = 0
  private var latest: [CacheKey: UInt64] = [:]
  /// All invalidations up to this one are forgotten.
  private var forgotten: UInt64 = 0

  /// The current moment.
  var now: Moment { Moment(count: count) }

  /// Records the invalidation of a key.
  mutating func note(_ key: CacheKey) {
    if latest.count >= Self.limit, latest[key] == nil {
      latest.removeAll(keepingCapacity: true)
      forgotten = count
    }
    count += 1
    latest[key] = count
  }

  /// Returns whether a key was, or may have been, invalidated since a moment.
  func concern(_ key: CacheKey, since moment: Moment) -> Bool {
    guard moment.count != count else { return false }
    return moment.count < forgotten || latest[key].map { $0 > moment.count } ?? false
  }
}
