/// The ready items in the order in which they may begin; changes take O(log n).
///
/// The items of one host and one priority form a lane. A level contains the lanes of one priority whose host has a free place,
/// ordered by their first items. The next item is therefore the first item of the first lane of the highest level.
struct ReadyQueue: Sendable {
  /// The lane in which an item waits.
  struct Lane: Hashable {
    /// The number of the host; 0 stands for no host.
    var host: Int
    var priority: Int8
  }

  /// The position of an item within its lane.
  struct Turn: Comparable {
    var since: ContinuousClock.Instant
    var index: Int

    static func < (left: Turn, right: Turn) -> Bool { (left.since, left.index) < (right.since, right.index) }
  }

  private var lanes: [Lane: IndexedHeap<Turn>] = [:]
  /// The priorities of each host that has a lane.
  private var priorities: [Int: Set<Int8>] = [:]
  private var levels: [Int8: IndexedHeap<Turn>] = [:]
  /// The priorities of `levels` in ascending order; at most 256.
  private var order: [Int8] = []
  private var fullHosts: Set<Int> = []

  mutating func insert(_ index: Int, in lane: Lane, since: ContinuousClock.Instant) {
    lanes[lane, default: IndexedHeap()].set(index, Turn(since: since, index: index))
    priorities[lane.host, default: []].insert(lane.priority)
    updateLevel(of: lane)
  }

  mutating func remove(_ index: Int, from lane: Lane) {
    lanes[lane]?.remove(index)
    if lanes[lane]?.isEmpty ?? true {
      lanes[lane] = nil
      priorities[lane.host]?.remove(lane.priority)
      if priorities[lane.host]?.isEmpty ?? true { priorities[lane.host] = nil }
    }
    updateLevel(of: lane)
  }

  /// Sets whether a host has no free place.
  mutating func setFull(_ host: Int, _ isFull: Bool) {
    guard fullHosts.contains(host) != isFull else { return }
    if isFull { fullHosts.insert(host) } else { fullHosts.remove(host) }
    for priority in priorities[host] ?? [] { updateLevel(of: Lane(host: host, priority: priority)) }
  }

  /// The next item to begin by priority.
  var first: (index: Int, priority: Int8)? {
    guard let priority = order.last, let lane = levels[priority]?.first else { return nil }
    return (lane.key.index, priority)
  }

  /// Returns the item of a lower priority that has been ready the longest.
  ///
  /// It must have been ready since `instant` or longer.
  func overdue(since instant: ContinuousClock.Instant, below priority: Int8) -> Int? {
    order.prefix { $0 < priority }.compactMap { levels[$0]?.first?.key }.min().flatMap { turn in
      turn.since <= instant ? turn.index : nil
    }
  }

  /// Updates the level of a lane: adds, moves or removes it.
  private mutating func updateLevel(of lane: Lane) {
    if let turn = lanes[lane]?.first?.key, !fullHosts.contains(lane.host) {
      if levels[lane.priority] == nil {
        order.insert(lane.priority, at: order.firstIndex { $0 > lane.priority } ?? order.count)
      }
      levels[lane.priority, default: IndexedHeap()].set(lane.host, turn)
    } else {
      levels[lane.priority]?.remove(lane.host)
      if levels[lane.priority]?.isEmpty ?? false {
        levels[lane.priority] = nil
        order.removeAll { $0 == lane.priority }
      }
    }
  }
}
