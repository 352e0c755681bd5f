/// The members of a JSON object in the order they were written.
///
/// Names are equal when their code units are (RFC 8259 §8.3): `"é"` written as one character and as `e` with a
/// combining accent are two names, unlike the keys of a Swift dictionary. Lookup takes constant time in large objects
/// and a short scan in small ones. An object holds a name twice only when it was parsed with
/// ``JSONParsingOptions/DuplicateNames/keepAll``; lookups then find the last one and ``values(named:)`` finds all.
public struct JSONObject: Sendable {
  struct Member: Sendable {
    var name: String
    var value: JSONValue
    /// ``NameHash`` of the name; it lies in what would be padding.
    var hash: UInt32
  }

  var members: [Member]
  /// Empty while a scan is faster.
  var index: NameIndex

  /// Makes an object without members.
  public init() {
    members = []
    index = NameIndex()
  }

  /// Makes an object of names and values; of a name that comes twice the last value is kept, in the first one's place.
  public init(_ members: some Sequence<(name: String, value: JSONValue)>) {
    self.init()
    for member in members { self[member.name] = member.value }
  }

  /// Takes members as they are, duplicates included.
  init(members: [Member], index: NameIndex) {
    self.members = members
    self.index = index
  }

  /// Makes room for members that are to be added.
  public mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  /// The value of a name, nil when there is none; of a duplicate name the last value.
  ///
  /// Setting a new name appends it, setting one that is there keeps its place, and setting nil removes it, wherever
  /// it is a duplicate all of them.
  public subscript(name: String) -> JSONValue? {
    get {
      position(of: name).map { members[$0].value }
    }
    set {
      guard let newValue else {
        removeValue(named: name)
        return
      }
      let hash = NameHash.hash(name)
      if let position = position(of: name, hash: hash) {
        members[position].value = newValue
      } else {
        append(name, newValue, hash: hash)
      }
    }
  }

  /// All values of a name, in source order; more than one only where duplicates were kept.
  public func values(named name: String) -> [JSONValue] {
    let hash = NameHash.hash(name)
    return members.lazy.filter { $0.hash == hash && $0.name.hasCodeUnits(of: name) }.map(\.value)
  }

  /// Removes all members of a name and returns the last one's value, nil when there was none.
  @discardableResult
  public mutating func removeValue(named name: String) -> JSONValue? {
    guard let position = position(of: name) else { return nil }
    let hash = members[position].hash
    let value = members[position].value
    members.removeAll { $0.hash == hash && $0.name.hasCodeUnits(of: name) }
    index = NameIndex(members)
    return value
  }

  /// The names in source order.
  public var names: some RandomAccessCollection<String> & Sendable { members.map(\.name) }

  /// Adds a member without looking whether its name is there.
  mutating func append(_ name: String, _ value: JSONValue, hash: UInt32) {
    members.append(Member(name: name, value: value, hash: hash))
    index.add(members.count - 1, in: members)
  }

  /// The place of the first member whose name an earlier one has, nil when all names differ.
  var firstRepeatedName: Int? {
    if !index.isEmpty, !index.hasRepeatedNames { return nil }
    var seen = JSONObject()
    for (place, member) in members.enumerated() {
      if seen.position(of: member.name, hash: member.hash) != nil { return place }
      seen.append(member.name, .null, hash: member.hash)
    }
    return nil
  }

  func position(of name: String) -> Int? {
    if members.isEmpty { return nil }
    return position(of: name, hash: NameHash.hash(name))
  }

  func position(of name: String, hash: UInt32) -> Int? {
    if !index.isEmpty { return index.position(of: name, hash: hash, in: members) }
    return members.withUnsafeBufferPointer { members in
      var position = members.count
      while position > 0 {
        position -= 1
        if members[position].hash == hash, members[position].name.hasCodeUnits(of: name) { return position }
      }
      return nil
    }
  }
}

extension JSONObject: RandomAccessCollection {
  /// A member: its name and its value.
  public typealias Element = (name: String, value: JSONValue)

  /// The place of the first member, zero.
  public var startIndex: Int { 0 }

  /// The place after the last member, the number of members.
  public var endIndex: Int { members.count }

  /// The member at a place from zero, in source order. The place has to be in `indices`, as with an array.
  public subscript(position: Int) -> Element {
    (members[position].name, members[position].value)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Makes an object of a literal; of a name that comes twice the last value is kept, in the first one's place.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (name, value) in elements { self[name] = value }
  }
}
