/// The entries of a YAML mapping in the order they were written; no key comes twice.
///
/// Keys are values of any kind. Lookup takes constant time in large mappings and a short scan in small ones.
public struct YAMLMapping: Sendable {
  struct Member: Sendable {
    var key: YAMLValue
    var value: YAMLValue
    /// ``KeyHash`` of the key; it lies in what would be padding.
    var hash: UInt32
  }

  private(set) var members: [Member] = []
  private var index = KeyIndex()

  /// Makes an empty mapping.
  public init() {}

  /// Takes members whose keys differ.
  init(distinct members: [Member]) {
    self.members = members
    index = KeyIndex(members)
  }

  /// Makes a mapping of entries; of a key that comes twice the last value is kept, in the first one's place.
  public init(_ entries: some Sequence<(YAMLValue, YAMLValue)>) {
    for (key, value) in entries { self[key] = value }
  }

  /// The value of a key, nil when there is none.
  ///
  /// Setting a new key appends it, setting one that is there keeps its place, and setting nil removes it.
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

  /// The value of a string key, nil when there is none.
  public subscript(key: String) -> YAMLValue? {
    get { self[.string(key)] }
    set { self[.string(key)] = newValue }
  }

  /// The keys in source order.
  public var keys: some RandomAccessCollection<YAMLValue> & Sendable { members.map(\.key) }

  mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  /// Adds a member without looking whether its key is there.
  mutating func append(_ key: YAMLValue, _ value: YAMLValue, hash: UInt32) {
    members.append(Member(key: key, value: value, hash: hash))
    index.add(members)
  }

  func position(of key: YAMLValue, hash: UInt32) -> Int? {
    if !index.isEmpty { return index.position(of: key, hash: hash, in: members) }
    return members.firstIndex { $0.hash == hash && $0.key == key }
  }

  /// The same with a place to look at first.
  func position(of key: YAMLValue, hash: UInt32, expectedAt place: Int) -> Int? {
    if place < members.count, members[place].hash == hash, members[place].key == key { return place }
    return position(of: key, hash: hash)
  }

  /// The place of a scalar key by its text, a string before others; nil when there is none.
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

  /// The place of the first entry, zero.
  public var startIndex: Int { 0 }

  /// The place after the last entry, the number of entries.
  public var endIndex: Int { members.count }

  /// The entry at a place from zero, in source order. The place has to be in `indices`, as with an array.
  public subscript(position: Int) -> Element {
    (members[position].key, members[position].value)
  }
}

extension YAMLMapping: Hashable {
  /// True when both have the same entries, in any order.
  public static func == (left: YAMLMapping, right: YAMLMapping) -> Bool {
    YAMLValue.mapping(left) == YAMLValue.mapping(right)
  }

  /// Feeds the entries, whatever their order.
  public func hash(into hasher: inout Hasher) {
    YAMLValue.mapping(self).hash(into: &hasher)
  }
}

extension YAMLMapping: ExpressibleByDictionaryLiteral {
  /// Makes a mapping of a literal; of a key that comes twice the last value is kept, in the first one's place.
  public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...) {
    self.init(elements)
  }
}
