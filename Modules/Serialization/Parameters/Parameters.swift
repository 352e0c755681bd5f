import CurlewCore
public import FoundationEssentials

/// The parameters of a request: a tree of values for any serializer.
///
/// Write them as literals, or create them from any `Encodable` with `init(encoding:)`. Members keep their order,
/// although a serializer may sort them. Strings are Swift strings, so they are always well-formed.
///
/// ```swift
/// let parameters: Parameters = ["page": 2, "tags": ["new", "blue"], "filter": ["open": true]]
/// ```
public enum Parameters: Sendable, Hashable {
  /// Null; each serializer decides how it is written.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int128)
  /// A floating-point number; serializers refuse infinity and NaN.
  case double(Double)
  /// Text.
  case string(String)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in order.
  case array([Parameters])
  /// Values without an order; writing sorts them.
  case set([Parameters])
  /// Named values in order; a name may occur twice.
  case object([Member])

  /// A named value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Parameters

    /// Creates a member.
    public init(_ name: String, _ value: Parameters) {
      self.name = name
      self.value = value
    }
  }

  /// The maximum nesting depth; serializers reject deeper parameters.
  public static let maximumDepth = 512
}

extension Parameters: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: Parameters...) { self = .array(elements) }
  /// Creates an object; members keep their order.
  public init(dictionaryLiteral elements: (String, Parameters)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension Parameters.Member: CustomReflectable {
  /// The name and the value; that of a password, a token or the like is replaced (`Redaction.queryItems`).
  public var customMirror: Mirror {
    let isSecret = Redaction.standard.queryItems.contains(name.lowercased())
    return Mirror(self, children: ["name": name, "value": isSecret ? Redaction.mark as Any : value])
  }
}

/// The error for parameters that a serializer cannot write.
public struct ParametersError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; later versions may add more.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value that identifies the kind.
    public var rawValue: String
    /// Creates a kind from its value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// The parameters are nested deeper than `Parameters.maximumDepth`.
    public static let tooDeep = Kind(rawValue: "too-deep")
    /// A query or form consists of named values, and the parameters have no names.
    public static let notNamed = Kind(rawValue: "not-named")
    /// The format cannot represent the value.
    public static let unrepresentable = Kind(rawValue: "unrepresentable")
  }

  /// The kind of failure.
  public let kind: Kind
  /// The names and indices that lead to the value, the outermost first.
  public let path: [String]

  /// Creates an error.
  public init(_ kind: Kind, at path: [String] = []) {
    self.kind = kind
    self.path = path
  }

  /// Returns the error for a value inside a container.
  func inside(_ name: String) -> ParametersError { ParametersError(kind, at: [name] + path) }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch kind {
    case .notNamed: "Give a dictionary, or a value whose properties become the names."
    case .unrepresentable: "Leave the value out, or send it as a text."
    default: nil
    }
  }

  /// A phrase that describes the error; a long path is shortened.
  public var description: String {
    let place = path.isEmpty ? "" : " at \(path.prefix(8).joined(separator: "."))"
    switch kind {
    case .tooDeep: return "the parameters are nested deeper than \(Parameters.maximumDepth) levels"
    case .notNamed: return "the parameters have no names, as a query or a form has"
    default: return "the format cannot represent the value\(place)"
    }
  }
}

extension ParametersError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which is no part of the description.
  public var recoverySuggestion: String? { advice }
}

struct ParametersKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func encoder(at key: any CodingKey) -> ParametersEncoder {
    encoder.inner(encoder.slot.member(key.stringValue), key)
  }

  mutating func encodeNil(forKey key: Key) throws { encoder(at: key).slot.content = .value(.null) }

  // The protocol's own method for this type throws.
  mutating func encode(_ value: Int128, forKey key: Key) throws {
    encoder(at: key).slot.content = .value(.integer(value))
  }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    let encoder = encoder(at: key)
    // A second value for a key replaces the first. Only containers from `nestedContainer` are merged.
    encoder.slot.content = .nothing
    try encoder.write(value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(at: key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(at: key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder(at: AnyCodingKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(at: key) }
}

struct ParametersUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.slot.count }

  private func nextEncoder() -> ParametersEncoder {
    let key = AnyCodingKey(intValue: count)
    return encoder.inner(encoder.slot.element(), key)
  }

  mutating func encodeNil() throws { nextEncoder().slot.content = .value(.null) }

  // The protocol's own method for this type throws.
  mutating func encode(_ value: Int128) throws { nextEncoder().slot.content = .value(.integer(value)) }

  mutating func encode(_ value: some Encodable) throws { try nextEncoder().write(value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nextEncoder().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nextEncoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { nextEncoder() }
}

struct ParametersSingleContainer: SingleValueEncodingContainer {
  let encoder: ParametersEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func keep(_ value: Parameters) { encoder.slot.content = .value(value) }

  mutating func encodeNil() throws { keep(.null) }
  mutating func encode(_ value: Bool) throws { keep(.bool(value)) }
  mutating func encode(_ value: String) throws { keep(.string(value)) }
  mutating func encode(_ value: Double) throws { keep(.double(value)) }
  // The shortest text of the `Float` keeps 0.1 from becoming 0.10000000149011612.
  mutating func encode(_ value: Float) throws { keep(.double(Double(value.description) ?? Double(value))) }
  mutating func encode(_ value: Int) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int8) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int16) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int32) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int64) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt8) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt16) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt32) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: UInt64) throws { keep(.integer(Int128(value))) }
  mutating func encode(_ value: Int128) throws { keep(.integer(value)) }
  mutating func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
