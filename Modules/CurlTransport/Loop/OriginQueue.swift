import CurlewCore

/// Who may go on the wire next: a queue for each origin in front of libcurl's own, with limits and priorities.
///
/// Pure. Among waiting items the highest priority goes first, and the oldest of those; an origin at its limit is passed
/// over, so that it holds up no other.
struct OriginQueue<Item: AnyObject> {
  private struct Waiting {
    let item: Item
    var priority: Int8
    var order: UInt64

    func goesBefore(_ other: Waiting) -> Bool {
      priority != other.priority ? priority > other.priority : order < other.order
    }
  }

  private struct Lane {
    var running = 0
    var waiting: [Waiting] = []
    /// Where the waiting begin; what is before was taken.
    var head = 0

    var first: Waiting? { head < waiting.count ? waiting[head] : nil }
  }

  private let perOrigin: Int
  private let inAll: Int
  private var lanes: [Origin: Lane] = [:]
  /// Lanes that may have something to start.
  private var eligible: [Origin] = []
  private var running = 0
  private var order: UInt64 = 0

  init(perOrigin: Int, inAll: Int?) {
    self.perOrigin = max(1, perOrigin)
    self.inAll = max(1, inAll ?? .max)
  }

  /// Adds an item behind all of its priority.
  mutating func enqueue(_ item: Item, for key: Origin, priority: Int8) {
    order += 1
    let entry = Waiting(item: item, priority: priority, order: order)
    var lane = lanes.removeValue(forKey: key) ?? Lane()
    var place = lane.waiting.count
    while place > lane.head, lane.waiting[place - 1].priority < priority { place -= 1 }
    lane.waiting.insert(entry, at: place)
    if lane.running < perOrigin, !eligible.contains(key) { eligible.append(key) }
    lanes[key] = lane
  }

  /// Takes the item that goes on the wire now; nil when none may.
  mutating func next() -> Item? {
    guard running < inAll else { return nil }
    var best: (index: Int, entry: Waiting)?
    var index = 0
    while index < eligible.count {
      guard let lane = lanes[eligible[index]], lane.running < perOrigin, let first = lane.first else {
        eligible.swapAt(index, eligible.count - 1)
        eligible.removeLast()
        continue
      }
      if let current = best?.entry, !first.goesBefore(current) {
        index += 1
        continue
      }
      best = (index, first)
      index += 1
    }
    guard let best else { return nil }
    let key = eligible[best.index]
    guard var lane = lanes.removeValue(forKey: key) else { return nil }
    lane.head += 1
    lane.running += 1
    if lane.head > 64, lane.head * 2 > lane.waiting.count {
      lane.waiting.removeFirst(lane.head)
      lane.head = 0
    } else if lane.head == lane.waiting.count {
      lane.waiting.removeAll(keepingCapacity: true)
      lane.head = 0
    }
    lanes[key] = lane
    running += 1
    return best.entry.item
  }

  /// Gives a place back.
  mutating func finished(_ key: Origin) {
    running -= 1
    guard var lane = lanes.removeValue(forKey: key) else { return }
    lane.running -= 1
    if lane.running == 0, lane.first == nil {
      // An origin that is left alone costs nothing.
      return
    }
    if lane.first != nil, !eligible.contains(key) { eligible.append(key) }
    lanes[key] = lane
  }

  /// Takes an item out before its turn; false when it is not waiting.
  mutating func remove(_ item: Item, for key: Origin) -> Bool {
    guard var lane = lanes[key] else { return false }
    guard let place = lane.waiting[lane.head...].firstIndex(where: { $0.item === item }) else { return false }
    lane.waiting.remove(at: place)
    lanes[key] = lane.running == 0 && lane.first == nil ? nil : lane
    return true
  }

  /// Takes out all that wait.
  mutating func removeAll() -> [Item] {
    let all = lanes.values.flatMap { lane in lane.waiting[lane.head...] }.sorted { $0.order < $1.order }
    for key in lanes.keys { lanes[key]?.waiting = [] }
    for key in lanes.keys { lanes[key]?.head = 0 }
    eligible = []
    return all.map(\.item)
  }
}
