/// The entries of a YAML mapping in source order, with distinct keys.
///
/// Keys are values of any kind. A lookup takes constant time in a large mapping and a short scan in a small one.
public struct YAMLMapping: Sendable {
  struct Member: Sendable {
    var key: YAMLValue
    var value: YAMLValue
    /// The ``KeyHash`` of the key; it fits into the structure's padding.
    var hash: UInt32
  }

  private(set) var members: [Member] = []
  private var index = KeyIndex()

  /// Creates an empty mapping.
  public init() {}

  /// Creates a mapping from members whose keys differ.
  init(distinct members: [Member]) {
    self.members = members
    index = KeyIndex(members)
  }

  /// Creates a mapping from entries.
  ///
  /// For a duplicate key, the last value takes the place of the first.
  public init(_ entries: some Sequence<(YAMLValue, YAMLValue)>) {
    for (key, value) in entries { self[key] = value }
  }

  /// The value of a key; nil if the mapping does not have it.
  ///
  /// Setting a new key appends an entry; setting an existing key keeps its place; setting nil removes the entry.
  public subscript(key: YAMLValue) -> YAMLValue? {
    get {
      members.isEmpty ? nil : position(of: key, hash: KeyHash.hash(key)).map { members[$0].value }
    }
    set {
      let hash = KeyHash.hash(key)
      let position = position(of: key, hash: hash)
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (nil, let value?): append(key, value, hash: hash)
      case (let position?, nil):
        members.remove(at: position)
        index = KeyIndex(members)
      case (nil, nil): break
      }
    }
  }

  /// The value of a string key; nil if the mapping does not have it.
  public subscript(key: String) -> YAMLValue? {
    get { self[.string(key)] }
    set { self[.string(key)] = newValue }
  }

  /// The keys in source order.
  public var keys: some RandomAccessCollection<YAMLValue> & Sendable { members.map(\.key) }

  mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  /// Appends a member without looking for an existing one of that key.
  mutating func append(_ key: YAMLValue, _ value: YAMLValue, hash: UInt32) {
    members.append(Member(key: key, value: value, hash: hash))
    index.add(members)
  }

  func position(of key: YAMLValue, hash: UInt32) -> Int? {
    if !index.isEmpty { return index.position(of: key, hash: hash, in: members) }
    return members.firstIndex { $0.hash == hash && $0.key == key }
  }

  /// Returns the index of a key, trying an expected index first.
  func position(of key: YAMLValue, hash: UInt32, expectedAt place: Int) -> Int? {
    if place < members.count, members[place].hash == hash, members[place].key == key { return place }
    return position(of: key, hash: hash)
  }

  /// Returns the index of a scalar key by its text, preferring a string key.
  func position(named name: String) -> Int? {
    if members.isEmpty { return nil }
    if let position = position(of: .string(name), hash: KeyHash.hash(name)) { return position }
    return members.firstIndex { member in
      if case .string = member.key { return false }
      return member.key.scalarText == name
    }
  }
}

extension YAMLMapping: RandomAccessCollection {
  /// An entry: its key and its value.
  public typealias Element = (key: YAMLValue, value: YAMLValue)

  /// The index of the first entry: zero.
  public var startIndex: Int { 0 }

  /// The index after the last entry: the number of entries.
  public var endIndex: Int { members.count }

  /// The entry at an index, in source order.
  ///
  /// The index must be in `indices`, as with an array.
  public subscript(position: Int) -> Element {
    (members[position].key, members[position].value)
  }
}

extension YAMLMapping: Hashable {
  /// Returns true when both have the same entries, in any order.
  public static func == (left: YAMLMapping, right: YAMLMapping) -> Bool {
    YAMLValue.mapping(left) == YAMLValue.mapping(right)
  }

  /// Hashes the entries independently of their order.
  public func hash(into hasher: inout Hasher) {
    YAMLValue.mapping(self).hash(into: &hasher)
  }
}

extension YAMLMapping: ExpressibleByDictionaryLiteral {
  /// Creates a mapping from a literal.
  ///
  /// For a duplicate key, the last value takes the place of the first.
  public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...) {
    self.init(elements)
  }
}

/// A hash table of a large mapping's keys, with open addressing.
struct KeyIndex: Sendable {
  /// Mappings with up to this many entries are scanned instead.
  static let scanLimit = 32

  /// The slots: an entry's index plus one, or zero for a free slot.
  ///
  /// Their number is a power of two, or zero for a mapping that is scanned.
  private var slots: [UInt32] = []

  init() {}

  /// Indexes `members`, whose keys differ, if there are too many to scan.
  init(_ members: [YAMLMapping.Member]) {
    guard members.count > Self.scanLimit else { return }
    var count = 128
    while count < members.count * 4 { count *= 2 }
    slots = [UInt32](repeating: 0, count: count)
    for place in members.indices { insert(place, hash: members[place].hash) }
  }

  var isEmpty: Bool { slots.isEmpty }

  /// Adds the member just appended.
  mutating func add(_ members: [YAMLMapping.Member]) {
    if slots.isEmpty || members.count * 2 > slots.count {
      self = KeyIndex(members)
    } else if let last = members.last {
      insert(members.count - 1, hash: last.hash)
    }
  }

  func position(of key: YAMLValue, hash: UInt32, in members: [YAMLMapping.Member]) -> Int? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if members[place].hash == hash, members[place].key == key { return place }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func insert(_ place: Int, hash: UInt32) {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: place + 1)
  }
}
