import CurlewCore

/// The queues of waiting requests, one for each origin, with limits.
///
/// It performs no I/O and precedes libcurl's own queue. The waiting item with the highest priority is next, and the oldest of
/// equal ones. An origin at its limit is skipped, so it does not delay others.
struct OriginQueue<Item: AnyObject> {
  private struct Waiting {
    let item: Item
    var priority: Int8
    var order: UInt64

    func goesBefore(_ other: Waiting) -> Bool {
      priority != other.priority ? priority > other.priority : order < other.order
    }
  }

  private final class Lane {
    var running = 0
    /// Whether this origin may have an item to start.
    var isEligible = false
    var waiting: [Waiting] = []
    /// The index of the first waiting item; earlier ones were taken.
    var head = 0

    var first: Waiting? { head < waiting.count ? waiting[head] : nil }

    /// Inserts an entry after all of the same priority; returns the number running.
    func add(_ entry: Waiting) -> Int {
      var place = waiting.count
      while place > head, waiting[place - 1].priority < entry.priority { place -= 1 }
      waiting.insert(entry, at: place)
      return running
    }

    /// Takes the first item; returns whether another one may be taken too.
    func takeFirst(_ limit: Int) -> Bool {
      head += 1
      running += 1
      if head > 64, head * 2 > waiting.count {
        waiting.removeFirst(head)
        head = 0
      } else if head == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        head = 0
      }
      return running < limit && head < waiting.count
    }

    /// Releases a place; returns the number of waiting items.
    func finish() -> Int {
      running -= 1
      return waiting.count - head
    }
  }

  /// The most origins to remember; more are forgotten when they become idle.
  private static var mostRemembered: Int { 64 }
  private let perOrigin: Int
  private let inAll: Int
  private var lanes = OriginTable<Lane>()
  private var eligible: [Lane] = []
  private var running = 0
  private var order: UInt64 = 0

  init(perOrigin: Int, inAll: Int?) {
    self.perOrigin = max(1, perOrigin)
    self.inAll = max(1, inAll ?? .max)
  }

  /// Takes a place for an item that need not wait; returns false if it must.
  mutating func admits(_ key: Origin) -> Bool {
    // Eligible lanes have items that wait although a place is free.
    guard eligible.isEmpty, running < inAll else { return false }
    let lane = lanes.entry(key) { Lane() }
    guard lane.running < perOrigin else { return false }
    lane.running += 1
    running += 1
    return true
  }

  /// Adds an item after all of the same priority.
  mutating func enqueue(_ item: Item, for key: Origin, priority: Int8) {
    order += 1
    let entry = Waiting(item: item, priority: priority, order: order)
    let lane = lanes.entry(key) { Lane() }
    if lane.add(entry) < perOrigin { makeEligible(lane) }
  }

  /// Returns the next item to start; nil if no item waits or may start.
  mutating func next() -> Item? {
    guard !eligible.isEmpty, running < inAll else { return nil }
    var best: (index: Int, entry: Waiting)?
    var index = 0
    while index < eligible.count {
      let lane = eligible[index]
      guard lane.running < perOrigin, let first = lane.first else {
        dropEligible(index)
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
    if !eligible[best.index].takeFirst(perOrigin) { dropEligible(best.index) }
    running += 1
    return best.entry.item
  }

  /// Whether `next` may return an item; if false it returns nil.
  var hasNext: Bool { !eligible.isEmpty && running < inAll }

  private mutating func makeEligible(_ lane: Lane) {
    guard !lane.isEligible else { return }
    lane.isEligible = true
    eligible.append(lane)
  }

  private mutating func dropEligible(_ index: Int) {
    eligible[index].isEligible = false
    eligible.swapAt(index, eligible.count - 1)
    eligible.removeLast()
  }

  /// Releases a place.
  mutating func finished(_ key: Origin) {
    running -= 1
    guard let lane = lanes[key] else { return }
    if lane.finish() > 0 {
      makeEligible(lane)
    } else if lanes.count > Self.mostRemembered, lane.running == 0 {
      lanes.remove(key)
    }
  }

  /// Removes a waiting item; returns false if it is not waiting.
  mutating func remove(_ item: Item, for key: Origin) -> Bool {
    guard let lane = lanes[key] else { return false }
    guard let place = lane.waiting[lane.head...].firstIndex(where: { $0.item === item }) else { return false }
    lane.waiting.remove(at: place)
    return true
  }

  /// Removes and returns all waiting items.
  mutating func removeAll() -> [Item] {
    let all = lanes.all.flatMap { lane in lane.waiting[lane.head...] }.sorted { $0.order < $1.order }
    for lane in lanes.all {
      lane.waiting = []
      lane.head = 0
      lane.isEligible = false
    }
    eligible = []
    return all.map(\.item)
  }
}

/// Entries by origin, with a cache for the last origin.
///
/// Consecutive requests mostly have the same origin, and the cache avoids hashing it.
struct OriginTable<Entry: AnyObject> {
  private var entries: [Origin: Entry] = [:]
  private var last: (key: Origin, entry: Entry)?

  var count: Int { entries.count }

  /// All entries, in any order.
  var all: some Sequence<Entry> { entries.values }

  /// The entry of an origin; nil if the table has no such entry.
  subscript(key: Origin) -> Entry? {
    mutating get {
      if let last, last.key == key { return last.entry }
      guard let entry = entries[key] else { return nil }
      last = (key, entry)
      return entry
    }
  }

  /// Returns the entry of an origin, creating it if necessary.
  mutating func entry(_ key: Origin, orMake make: () -> Entry) -> Entry {
    if let entry = self[key] { return entry }
    let entry = make()
    entries[key] = entry
    last = (key, entry)
    return entry
  }

  mutating func remove(_ key: Origin) {
    entries[key] = nil
    last = nil
  }
}
