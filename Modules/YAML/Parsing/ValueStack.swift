/// The values inside open collections, moved without reference counting.
///
/// Keys and values of mappings alternate.
struct ValueStack: ~Copyable {
  private var base: UnsafeMutablePointer<YAMLValue>
  private(set) var count = 0
  private var capacity = 256

  init() {
    base = .allocate(capacity: capacity)
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  mutating func push(_ value: consuming YAMLValue) {
    if count == capacity { grow() }
    (base + count).initialize(to: value)
    count &+= 1
  }

  /// Removes and returns the last value; nil when the stack is empty.
  mutating func popLast() -> YAMLValue? {
    guard count > 0 else { return nil }
    count -= 1
    return (base + count).move()
  }

  /// Removes and returns the values from an index on.
  mutating func takeSequence(from start: Int) -> [YAMLValue] {
    var elements: [YAMLValue] = []
    guard start < count else { return elements }
    elements.reserveCapacity(count - start)
    for place in start..<count { elements.append((base + place).move()) }
    count = start
    return elements
  }

  /// Removes the keys and values from an index on and returns them as members.
  mutating func takeMembers(from start: Int) -> [YAMLMapping.Member] {
    var members: [YAMLMapping.Member] = []
    guard start + 1 < count else { return members }
    members.reserveCapacity((count - start) / 2)
    var place = start
    while place + 1 < count {
      let key = (base + place).move()
      let value = (base + place + 1).move()
      let hash = KeyHash.hash(key)
      members.append(YAMLMapping.Member(key: key, value: value, hash: hash))
      place += 2
    }
    if place < count { (base + place).deinitialize(count: 1) }
    count = start
    return members
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<YAMLValue>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
