/// The members of a JSON object in source order.
///
/// Names are compared by code units (RFC 8259 §8.3): `"é"` as one character and as `e` with a combining accent are two
/// names, unlike the keys of a Swift dictionary. A lookup takes constant time in a large object and a short scan in a
/// small one. An object has duplicate names only when it was parsed with ``JSONParsingOptions/DuplicateNames/keepAll``;
/// lookups then return the last one, and ``values(named:)`` returns all.
public struct JSONObject: Sendable {
  struct Member: Sendable {
    var name: String
    var value: JSONValue
    /// The ``NameHash`` of the name; it fits into the structure's padding.
    var hash: UInt32
  }

  var members: [Member]
  /// The hash table of the names; empty while a scan is faster.
  var index: NameIndex

  /// Creates an object without members.
  public init() {
    members = []
    index = NameIndex()
  }

  /// Creates an object from names and values.
  ///
  /// For a duplicate name, the last value takes the place of the first.
  public init(_ members: some Sequence<(name: String, value: JSONValue)>) {
    self.init()
    for member in members { self[member.name] = member.value }
  }

  /// Creates an object from members, duplicates included.
  init(members: [Member], index: NameIndex) {
    self.members = members
    self.index = index
  }

  /// Reserves memory for members that will be added.
  public mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  /// The value of the member with a name; nil if no member has it.
  ///
  /// For a duplicate name it is the last value.
  ///
  /// Setting a new name appends a member; setting an existing name keeps its place; setting nil removes all members of
  /// that name.
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

  /// Returns all values of a name, in source order.
  ///
  /// There is more than one only if the parser kept duplicates.
  public func values(named name: String) -> [JSONValue] {
    let hash = NameHash.hash(name)
    return members.lazy.filter { $0.hash == hash && $0.name.hasCodeUnits(of: name) }.map(\.value)
  }

  /// Removes all members of a name; returns the last value, or nil if none had it.
  @discardableResult
  public mutating func removeValue(named name: String) -> JSONValue? {
    guard let position = position(of: name) else { return nil }
    let hash = members[position].hash
    let value = members[position].value
    members.removeAll { $0.hash == hash && $0.name.hasCodeUnits(of: name) }
    index.rebuild(members)
    return value
  }

  /// The names in source order.
  public var names: some RandomAccessCollection<String> & Sendable { members.map(\.name) }

  /// Appends a member without looking for an existing one of that name.
  mutating func append(_ name: String, _ value: JSONValue, hash: UInt32) {
    members.append(Member(name: name, value: value, hash: hash))
    index.add(members.count - 1, in: members)
  }

  /// The index of the first member whose name occurs earlier; nil without duplicates.
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

  /// The index of the first member: zero.
  public var startIndex: Int { 0 }

  /// The index after the last member: the number of members.
  public var endIndex: Int { members.count }

  /// The member at an index, in source order.
  ///
  /// The index must be in `indices`, as with an array.
  public subscript(position: Int) -> Element {
    (members[position].name, members[position].value)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal.
  ///
  /// For a duplicate name, the last value takes the place of the first.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (name, value) in elements { self[name] = value }
  }
}
