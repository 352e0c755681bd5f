import CurlewCore

/// The running and the waiting requests of one origin, without I/O.
struct ConcurrencyQueue: Sendable {
  /// The answer to a new request.
  enum Admission: Sendable, Hashable {
    case go
    case wait
    /// Too many requests are waiting.
    case refuse
  }

  private struct Waiter {
    let id: UInt64
    let priority: RequestPriority
  }

  let limit: Int
  let waitingLimit: Int
  private(set) var active = 0
  /// The waiting requests, in order.
  private var waiting: [Waiter] = []

  init(limit: Int, waitingLimit: Int) {
    self.limit = max(1, limit)
    self.waitingLimit = max(0, waitingLimit)
  }

  var waitingCount: Int { waiting.count }
  var isIdle: Bool { active == 0 && waiting.isEmpty }

  /// Adds a request.
  mutating func enter(_ id: UInt64, _ priority: RequestPriority) -> Admission {
    if active < limit {
      active += 1
      return .go
    }
    guard waiting.count < waitingLimit else { return .refuse }
    // It goes behind all requests of at least the same priority.
    let place = waiting.lastIndex { $0.priority >= priority }.map { $0 + 1 } ?? 0
    waiting.insert(Waiter(id: id, priority: priority), at: place)
    return .wait
  }

  /// Records the end of a running request.
  ///
  /// - Returns: The next request, which takes its place; nil when none is waiting.
  mutating func leave() -> UInt64? {
    guard !waiting.isEmpty else {
      active = max(0, active - 1)
      return nil
    }
    return waiting.removeFirst().id
  }

  /// Removes a request from the queue.
  ///
  /// - Returns: Whether it was waiting; false when it is already running.
  mutating func withdraw(_ id: UInt64) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }
}
