import CurlewCore

/// Who is on the way to one origin, and who waits; pure.
struct ConcurrencyQueue: Sendable {
  /// What becomes of someone who comes.
  enum Admission: Sendable, Hashable {
    case go
    case wait
    /// Too many wait already.
    case refuse
  }

  private struct Waiter {
    let id: UInt64
    let priority: RequestPriority
  }

  let limit: Int
  let waitingLimit: Int
  private(set) var active = 0
  /// In order of their turn.
  private var waiting: [Waiter] = []

  init(limit: Int, waitingLimit: Int) {
    self.limit = max(1, limit)
    self.waitingLimit = max(0, waitingLimit)
  }

  var waitingCount: Int { waiting.count }
  var isIdle: Bool { active == 0 && waiting.isEmpty }

  /// Someone comes.
  mutating func enter(_ id: UInt64, _ priority: RequestPriority) -> Admission {
    if active < limit {
      active += 1
      return .go
    }
    guard waiting.count < waitingLimit else { return .refuse }
    // Behind all that are as urgent.
    let place = waiting.lastIndex { $0.priority >= priority }.map { $0 + 1 } ?? 0
    waiting.insert(Waiter(id: id, priority: priority), at: place)
    return .wait
  }

  /// Someone who was on the way is done.
  ///
  /// - Returns: Whose turn it is now, who takes the place over; nil when nobody waits.
  mutating func leave() -> UInt64? {
    guard !waiting.isEmpty else {
      active = max(0, active - 1)
      return nil
    }
    return waiting.removeFirst().id
  }

  /// Someone does not wait any more.
  ///
  /// - Returns: Whether they did wait; else they have a place already.
  mutating func withdraw(_ id: UInt64) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }
}
