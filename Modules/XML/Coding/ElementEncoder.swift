import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// Encodes into one node.
final class ElementEncoder: Encoder, CodingPathNode {
  let node: EncodingNode
  let settings: XMLEncoder
  let key: PathKey?
  let parent: ElementEncoder?
  /// The number of encoders above.
  private let depth: Int
  /// The encoded type, if it chooses which keys become attributes.
  private(set) var attributes: (any XMLAttributeCoding.Type)?

  init(
    _ node: EncodingNode, settings: XMLEncoder, attributes: (any XMLAttributeCoding.Type)?,
    parent: ElementEncoder? = nil, key: (any CodingKey)? = nil
  ) {
    self.node = node
    self.settings = settings
    self.attributes = attributes
    self.parent = parent
    self.key = key.map { .key($0) }
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginMembers()
    return KeyedEncodingContainer(EncodingMembers<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginElements()
    return EncodingElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { EncodingText(encoder: self) }

  /// Returns the encoder of a part inside this encoder's value.
  func child(_ key: any CodingKey, _ node: EncodingNode = EncodingNode()) -> ElementEncoder {
    ElementEncoder(node, settings: settings, attributes: nil, parent: self, key: key)
  }

  /// Encodes a value of any type into the node.
  func box<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let text as String: node.content = .text(text)
    case let date as Date: node.content = .text(try text(date))
    case let data as Data: node.content = .text(data.base64EncodedString())
    case let url as URL: node.content = .text(url.absoluteString)
    case let number as Decimal: node.content = .text(number.description)
    default:
      guard depth <= XMLEncoder.maximumDepth else {
        throw EncodingError.invalidValue(
          value,
          EncodingError.Context(
            codingPath: codingPath,
            debugDescription: "The value is nested deeper than \(XMLEncoder.maximumDepth) elements."))
      }
      attributes = Value.self as? any XMLAttributeCoding.Type
      try value.encode(to: self)
    }
  }

  private func text(_ date: Date) throws -> String {
    switch settings.dateStrategy {
    case .iso8601:
      guard let text = InternetDate.text(date) else {
        // The error contains a number, because Foundation traps when it prints a date that is so far away.
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970,
          EncodingError.Context(
            codingPath: codingPath, debugDescription: "ISO 8601 can only express dates of the years 1 to 9999."))
      }
      return text
    case .secondsSince1970: return Self.text(date.timeIntervalSince1970)
    case .millisecondsSince1970: return Self.text(date.timeIntervalSince1970 * 1000)
    case .custom(let write): return write(date)
    }
  }

  /// Returns a number in the notation of XML Schema.
  static func text(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number.sign == .minus ? "-INF" : "INF" }
    return number.description
  }
}

/// Collects a single value.
struct EncodingText: SingleValueEncodingContainer {
  let encoder: ElementEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  func encodeNil() throws { encoder.node.content = .null }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.box(value) }
  func encode(_ value: Bool) throws { put(value ? "true" : "false") }
  func encode(_ value: String) throws { put(value) }
  func encode(_ value: Double) throws { put(ElementEncoder.text(value)) }
  func encode(_ value: Float) throws { put(ElementEncoder.text(value)) }
  func encode(_ value: Int) throws { put(String(value)) }
  func encode(_ value: Int8) throws { put(String(value)) }
  func encode(_ value: Int16) throws { put(String(value)) }
  func encode(_ value: Int32) throws { put(String(value)) }
  func encode(_ value: Int64) throws { put(String(value)) }
  func encode(_ value: UInt) throws { put(String(value)) }
  func encode(_ value: UInt8) throws { put(String(value)) }
  func encode(_ value: UInt16) throws { put(String(value)) }
  func encode(_ value: UInt32) throws { put(String(value)) }
  func encode(_ value: UInt64) throws { put(String(value)) }

  private func put(_ text: String) { encoder.node.content = .text(text) }
}

/// Collects the elements of an array.
struct EncodingElements: UnkeyedEncodingContainer {
  let encoder: ElementEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  /// Returns the encoder of the next element.
  private func next() -> ElementEncoder {
    let child = encoder.child(AnyCodingKey(count))
    encoder.node.append(child.node)
    return child
  }

  func encodeNil() throws { next().node.content = .null }
  // The single-value container has the overloads that write scalars.
  func encode<Value: Encodable>(_ value: Value) throws { try next().box(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}

/// Collects the members of an object.
struct EncodingMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ElementEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  /// Returns the encoder of a member, which replaces any earlier value of its key.
  private func member(_ key: any CodingKey) -> ElementEncoder {
    let child = encoder.child(key)
    let isAttribute = encoder.attributes?.isAttribute(key) ?? false
    encoder.node.put(EncodingNode.Member(key: key, isAttribute: isAttribute, node: child.node))
    return child
  }

  /// Returns the encoder of a member that is itself a container.
  ///
  /// A second call for the same key fills the same container.
  private func container(_ key: Key) -> ElementEncoder {
    encoder.node.member(key).map { encoder.child(key, $0) } ?? member(key)
  }

  func encodeNil(forKey key: Key) throws { member(key).node.content = .null }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try member(key).box(value) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    container(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { container(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { member(AnyCodingKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
