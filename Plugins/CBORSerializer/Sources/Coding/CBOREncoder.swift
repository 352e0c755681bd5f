public import FoundationEssentials

/// Encodes `Encodable` types as CBOR.
///
/// A keyed type becomes a map with text keys in the order in which the type encodes them; a coding key with an `intValue` becomes that
/// integer, as do the keys of a dictionary of integers. Data becomes a byte string, a URL text with the tag 32, an integer of more than 64
/// bits a bignum. ``CBORValue`` can be part of an encoded type.
public struct CBOREncoder: Sendable {
  /// How dates are written.
  public enum DateFormat: Sendable, Hashable {
    /// A number of seconds since 1970 with the tag 1 (RFC 8949 §3.4.2).
    case epoch
    /// RFC 3339 text with the tag 0 (RFC 8949 §3.4.1), rounded down to seconds.
    case text
  }

  /// The deepest nesting of an encoded type.
  ///
  /// Beyond it `EncodingError.invalidValue` is thrown.
  public static let maximumDepth = 512

  /// How bytes are written; in the shortest forms by default.
  public var format: CBORFormat
  /// How dates are written; as seconds by default.
  public var dateFormat = DateFormat.epoch
  /// Values that encoded types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init(format: CBORFormat = .preferred) { self.format = format }

  /// Encodes a value as bytes.
  ///
  /// - Throws: `EncodingError` for a type that encodes nothing, for nesting deeper than ``maximumDepth`` and for dates outside the
  ///   years 1 to 9999 as text; ``CBORError`` for a ``CBORValue`` that cannot be written; any error of the type itself.
  public func encode(_ value: some Encodable) throws -> Data { try self.value(of: value).data(format) }

  /// Encodes a value as a data item; throws as ``encode(_:)`` does.
  public func value(of value: some Encodable) throws -> CBORValue {
    let node = EncodingNode()
    try ItemEncoder(node, settings: self).write(value)
    if case .none = node.content {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "The type encoded no value; its encode(to:) must encode one."))
    }
    do {
      return try node.value()
    } catch {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [], debugDescription: "The value is nested deeper than \(Self.maximumDepth) levels."))
    }
  }
}

/// A value that is being encoded, shared with the containers that fill it.
final class EncodingNode {
  enum Content {
    case none
    case value(CBORValue)
    case array([EncodingNode])
    case map([(key: CBORValue, node: EncodingNode)])
  }

  struct TooDeep: Error {}

  var content = Content.none
  /// The place of each key among the entries.
  private var places: [CBORValue: Int] = [:]

  /// Returns the encoded value; a value without content is an empty map.
  ///
  /// It checks the depth of containers that a type nests by hand, because the methods that open them cannot throw.
  func value(depthLeft: Int = CBOREncoder.maximumDepth) throws(TooDeep) -> CBORValue {
    guard depthLeft >= 0 else { throw TooDeep() }
    switch content {
    case .none: return .map([])
    case .value(let value): return value
    case .array(let nodes):
      var elements: [CBORValue] = []
      elements.reserveCapacity(nodes.count)
      for node in nodes { elements.append(try node.value(depthLeft: depthLeft - 1)) }
      return .array(elements)
    case .map(let entries):
      var result: [CBORValue.Entry] = []
      result.reserveCapacity(entries.count)
      for (key, node) in entries { result.append(CBORValue.Entry(key, try node.value(depthLeft: depthLeft - 1))) }
      return .map(result)
    }
  }

  var count: Int {
    if case .array(let nodes) = content { nodes.count } else { 0 }
  }

  /// Makes the value an array, unless it already is one; other content is replaced.
  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  /// Makes the value a map, unless it already is one; other content is replaced.
  func beginMap() {
    if case .map = content { return }
    places = [:]
    content = .map([])
  }

  /// Adds an element and returns it.
  func element() -> EncodingNode {
    let node = EncodingNode()
    guard case .array(var nodes) = content else { return node }
    content = .none
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  /// Returns the entry with a key, and adds it if the key is new.
  func entry(_ key: CBORValue) -> EncodingNode {
    guard case .map(var entries) = content else { return EncodingNode() }
    if let place = places[key] { return entries[place].node }
    let node = EncodingNode()
    content = .none
    places[key] = entries.count
    entries.append((key, node))
    content = .map(entries)
    return node
  }
}
