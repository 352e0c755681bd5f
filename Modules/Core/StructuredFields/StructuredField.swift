public import FoundationEssentials
public import HTTPTypes

/// The vocabulary of structured field values (RFC 9651).
///
/// A structured field is an ``Item``, a ``List`` or a ``Dictionary``. Each type parses the lines of a field with the strict
/// algorithms of RFC 9651 §4.2 and serializes itself with those of §4.1, so that all implementations agree on every byte.
/// Parsing any bytes yields either a value or a ``ParseError``, and ``Limits`` bound the work.
///
/// ```swift
/// let priority = try StructuredField.Dictionary(parsing: "u=2, i")
/// if case .item(let item)? = priority["u"], case .integer(let urgency) = item.value { … }
/// let text = try StructuredField.Item(.string("hello")).serialized()
/// ```
///
/// The deepest nesting of the grammar is an item in an inner list in a list, so nesting needs no limit.
public enum StructuredField {
  /// An ordered map of members, each an item or an inner list (RFC 9651 §3.2).
  public typealias Dictionary = KeyedValues<Member>

  /// An ordered map of parameters for an item or an inner list (RFC 9651 §3.1.2).
  public typealias Parameters = KeyedValues<BareItem>
}

extension StructuredField {
  /// One value without parameters (RFC 9651 §3.3).
  ///
  /// A case can have a value that RFC 9651 does not allow, such as a string outside ASCII; ``FieldValue/serialized()`` then
  /// throws. A parsed value can always be serialized.
  public enum BareItem: Sendable, Hashable {
    /// A whole number of at most 15 digits.
    case integer(Int64)
    /// A number with at most 12 digits before the point and 3 after it.
    case decimal(Decimal)
    /// Printable ASCII.
    case string(String)
    /// A short word, such as `gzip` or `text/html` (RFC 9651 §3.3.4).
    case token(String)
    /// Bytes, written in base64.
    case byteSequence(Data)
    /// True or false, written `?1` and `?0`.
    case boolean(Bool)
    /// The seconds since 1970-01-01T00:00:00Z, with at most 15 digits.
    case date(Int64)
    /// Any Unicode text, for people to read.
    case displayString(String)
  }
}

extension StructuredField {
  /// An exact decimal number with at most three decimals (RFC 9651 §3.3.2).
  ///
  /// It is stored in thousandths, so `0.1` is exact, and two numbers are equal if and only if they are serialized equally.
  public struct Decimal: Sendable, Hashable {
    /// The value times 1000.
    public var thousandths: Int64

    /// Creates the decimal `thousandths` / 1000.
    public init(thousandths: Int64) {
      self.thousandths = thousandths
    }

    /// Creates a decimal by rounding to three decimals, with halves to even.
    ///
    /// Nil for NaN, infinities, and numbers with more than 12 digits before the point (RFC 9651 §4.1.5).
    public init?(_ value: Double) {
      let scaled = (value * 1000).rounded(.toNearestOrEven)
      guard scaled.isFinite, scaled.magnitude <= Double(Self.largest) else { return nil }
      self.thousandths = Int64(scaled)
    }

    /// The nearest binary floating-point number.
    public var doubleValue: Double { Double(thousandths) / 1000 }

    static let largest: Int64 = 999_999_999_999_999
  }
}

extension StructuredField {
  /// The value of a whole field: an ``Item``, a ``List`` or a ``Dictionary``.
  ///
  /// Only these three types of RFC 9651 §3 conform. The definition of a field says which of them it uses.
  public protocol FieldValue: Sendable, Hashable {
    /// Parses the value from all given bytes (RFC 9651 §4.2).
    ///
    /// - Throws: ``ParseError`` when the bytes are not such a value, or exceed a limit.
    init(parsing bytes: [UInt8], limits: Limits) throws(ParseError)

    /// Returns the value in its canonical form (RFC 9651 §4.1).
    ///
    /// For an empty list or dictionary the text is empty, and the field must not be sent.
    ///
    /// - Throws: ``SerializationError`` when RFC 9651 does not allow the value.
    func serialized() throws(SerializationError) -> String
  }
}

extension StructuredField.FieldValue {
  /// Parses the value from the text of one field line.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(
    parsing text: String, limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Parses the value from all lines of a field.
  ///
  /// The lines are joined by a comma and a space (RFC 9651 §4.2), so the members of a list may be on several lines. If a string
  /// is split between two lines, its value contains the comma.
  ///
  /// - Throws: ``StructuredField/ParseError`` with the position in the joined text.
  public init(
    parsingLines lines: [String], limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(lines.joined(separator: ", ").utf8), limits: limits)
  }
}

extension HTTPFields {
  /// Parses a structured field from all its lines.
  ///
  /// - Returns: The value; nil if the field is absent.
  /// - Throws: ``StructuredField/ParseError``; according to RFC 9651 §4.2, the whole field is then ignored.
  public func structured<Value: StructuredField.FieldValue>(
    _ name: HTTPField.Name, as type: Value.Type = Value.self,
    limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) -> Value? {
    let lines = self[values: name]
    return lines.isEmpty ? nil : try Value(parsingLines: lines, limits: limits)
  }

  /// Sets a field to a structured value; an empty list or dictionary removes it.
  ///
  /// - Throws: ``StructuredField/SerializationError``; the fields are then unchanged.
  public mutating func setStructured(
    _ value: some StructuredField.FieldValue, for name: HTTPField.Name
  ) throws(StructuredField.SerializationError) {
    let text = try value.serialized()
    self[name] = text.isEmpty ? nil : text
  }
}

extension StructuredField {
  /// A map that keeps its keys in the order in which they were first set.
  ///
  /// ``Dictionary`` and ``Parameters`` are of this type. Each key occurs once: setting it again replaces its value and keeps
  /// its position (RFC 9651 §4.2.2). A lookup takes constant time.
  public struct KeyedValues<Value: Sendable & Hashable>: Sendable {
    /// One key with its value.
    public struct Entry: Sendable, Hashable {
      /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
      public let key: String
      /// The value of the key.
      public internal(set) var value: Value
    }

    var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// Creates an empty map.
    public init() {}

    /// The value for a key; setting nil removes the key.
    public subscript(key: String) -> Value? {
      get { places[key].map { entries[$0].value } }
      set {
        switch (places[key], newValue) {
        case (let place?, let value?):
          entries[place].value = value
        case (nil, let value?):
          places[key] = entries.count
          entries.append(Entry(key: key, value: value))
        case (let place?, nil):
          entries.remove(at: place)
          places[key] = nil
          for later in place..<entries.count { places[entries[later].key] = later }
        case (nil, nil):
          break
        }
      }
    }
  }
}

extension StructuredField.KeyedValues: Hashable {
  /// Returns whether both have equal entries in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }

  /// Hashes the entries in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension StructuredField.KeyedValues: RandomAccessCollection {
  /// The index of the first entry, which is 0.
  public var startIndex: Int { 0 }
  /// The index after the last entry, which is the number of entries.
  public var endIndex: Int { entries.count }
  /// The entry at a valid index.
  public subscript(position: Int) -> Entry { entries[position] }
}

extension StructuredField.KeyedValues: ExpressibleByDictionaryLiteral {
  /// Creates a map from a literal; the last value of a repeated key counts.
  public init(dictionaryLiteral elements: (String, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension StructuredField {
  /// The limits beyond which a structured field is rejected.
  ///
  /// By default, a parser accepts everything that RFC 9651 requires (1,024 members, 256 items in an inner list, 256 parameters,
  /// byte sequences of 16,384 bytes), and little more.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of the value with all its lines; by default 65,536.
    public var totalBytes: Int
    /// The most members of a list or a dictionary; by default 1,024.
    public var members: Int
    /// The most items of one inner list; by default 256.
    public var innerListItems: Int
    /// The most parameters of one item or inner list; by default 256.
    public var parameters: Int

    /// Creates limits; each has a default.
    public init(totalBytes: Int = 65_536, members: Int = 1024, innerListItems: Int = 256, parameters: Int = 256) {
      self.totalBytes = totalBytes
      self.members = members
      self.innerListItems = innerListItems
      self.parameters = parameters
    }
  }
}

extension StructuredField {
  /// A bare item with its parameters (RFC 9651 §3.3).
  public struct Item: Sendable, Hashable {
    /// The value.
    public var value: BareItem
    /// The parameters of the value; usually empty.
    public var parameters: Parameters

    /// Creates an item; by default it has no parameters.
    public init(_ value: BareItem, parameters: Parameters = [:]) {
      self.value = value
      self.parameters = parameters
    }
  }

  /// A list of items in parentheses, with parameters (RFC 9651 §3.1.1).
  public struct InnerList: Sendable, Hashable {
    /// The items in order; may be empty.
    public var items: [Item]
    /// The parameters of the list as a whole.
    public var parameters: Parameters

    /// Creates an inner list; by default it has no parameters.
    public init(_ items: [Item], parameters: Parameters = [:]) {
      self.items = items
      self.parameters = parameters
    }
  }

  /// One member of a list or a dictionary.
  public enum Member: Sendable, Hashable {
    /// A single item.
    case item(Item)
    /// A list of items in parentheses.
    case innerList(InnerList)

    /// The item; nil for an inner list.
    public var item: Item? {
      if case .item(let item) = self { item } else { nil }
    }

    /// The inner list; nil for an item.
    public var innerList: InnerList? {
      if case .innerList(let list) = self { list } else { nil }
    }
  }

  /// A list of members separated by commas (RFC 9651 §3.1).
  public struct List: Sendable, Hashable {
    /// The members in order; the field of an empty list is not sent.
    public var members: [Member]

    /// Creates a list of members.
    public init(_ members: [Member] = []) {
      self.members = members
    }
  }
}

extension StructuredField.Item: StructuredField.FieldValue {
  /// Parses an item from bytes (RFC 9651 §4.2.3).
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    parser.skipSpaces()
    self = try parser.item()
    try parser.expectEnd()
  }
}

extension StructuredField.List: StructuredField.FieldValue {
  /// Parses a list from bytes (RFC 9651 §4.2.1); only spaces are an empty list.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    self.init()
    parser.skipSpaces()
    guard parser.next != nil else { return }
    repeat {
      guard members.count < limits.members else {
        throw StructuredField.ParseError(.tooManyMembers, at: parser.position)
      }
      members.append(try parser.member())
    } while try parser.nextMember()
  }
}

extension StructuredField.KeyedValues: StructuredField.FieldValue where Value == StructuredField.Member {
  /// Parses a dictionary from bytes (RFC 9651 §4.2.2).
  ///
  /// Only spaces are an empty dictionary.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    self.init()
    parser.skipSpaces()
    guard parser.next != nil else { return }
    repeat {
      let start = parser.position
      let key = try parser.key()
      if parser.take("=") {
        self[key] = try parser.member()
      } else {
        self[key] = .item(StructuredField.Item(.boolean(true), parameters: try parser.parameters()))
      }
      guard count <= limits.members else { throw StructuredField.ParseError(.tooManyMembers, at: start) }
    } while try parser.nextMember()
  }
}

extension StructuredField.Item {
  /// Returns the item as text (RFC 9651 §4.1.3).
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    try writer.write(self)
    return writer.text
  }
}

extension StructuredField.List {
  /// Returns the list as text (RFC 9651 §4.1.1); empty for an empty list.
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    for member in members {
      writer.separate()
      try writer.write(member)
    }
    return writer.text
  }
}

extension StructuredField.KeyedValues where Value == StructuredField.Member {
  /// Returns the dictionary as text (RFC 9651 §4.1.2); empty for an empty one.
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    for entry in entries {
      writer.separate()
      try writer.write(key: entry.key)
      if case .item(let item) = entry.value, item.value == .boolean(true) {
        try writer.write(item.parameters)
      } else {
        writer.text += "="
        try writer.write(entry.value)
      }
    }
    return writer.text
  }
}
