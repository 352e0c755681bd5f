import CurlewSerialization
import FoundationEssentials

/// Encodes into one node.
final class ElementEncoder: Encoder {
  let node: EncodingNode
  let settings: XMLEncoder
  let codingPath: [any CodingKey]
  /// The type that is encoded, where it chooses its attributes.
  private(set) var attributes: (any XMLAttributeCoding.Type)?

  init(
    _ node: EncodingNode, settings: XMLEncoder, attributes: (any XMLAttributeCoding.Type)?,
    codingPath: [any CodingKey] = []
  ) {
    self.node = node
    self.settings = settings
    self.attributes = attributes
    self.codingPath = codingPath
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

  /// The encoder of a place within this one's.
  func child(_ key: any CodingKey) -> ElementEncoder {
    ElementEncoder(EncodingNode(), settings: settings, attributes: nil, codingPath: codingPath + [key])
  }

  /// Puts a value of any type into the node.
  func box<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let text as String: node.content = .text(text)
    case let date as Date: node.content = .text(Self.text(date, settings.dateStrategy))
    case let data as Data: node.content = .text(data.base64EncodedString())
    case let url as URL: node.content = .text(url.absoluteString)
    case let number as Decimal: node.content = .text(number.description)
    default:
      guard codingPath.count <= XMLEncoder.maximumDepth else {
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

  private static func text(_ date: Date, _ strategy: XMLEncoder.DateStrategy) -> String {
    switch strategy {
    case .iso8601: date.formatted(.iso8601)
    case .secondsSince1970: text(date.timeIntervalSince1970)
    case .millisecondsSince1970: text(date.timeIntervalSince1970 * 1000)
    case .custom(let write): write(date)
    }
  }

  /// A number as XML Schema writes it.
  static func text(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number.sign == .minus ? "-INF" : "INF" }
    return number.description
  }
}

/// Takes one value.
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

/// Takes the elements of an array.
struct EncodingElements: UnkeyedEncodingContainer {
  let encoder: ElementEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  /// The encoder of the next element.
  private func next() -> ElementEncoder {
    let child = encoder.child(AnyCodingKey(count))
    encoder.node.append(child.node)
    return child
  }

  func encodeNil() throws { next().node.content = .null }
  // Through the container of one value, whose overloads write the scalars.
  func encode<Value: Encodable>(_ value: Value) throws { try next().box(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}

/// Takes the members of an object.
struct EncodingMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ElementEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  /// The encoder of a member.
  private func member(_ key: any CodingKey) -> ElementEncoder {
    let child = encoder.child(key)
    let isAttribute = encoder.attributes?.isAttribute(key) ?? false
    encoder.node.append(EncodingNode.Member(key: key, isAttribute: isAttribute, node: child.node))
    return child
  }

  func encodeNil(forKey key: Key) throws { member(key).node.content = .null }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try member(key).box(value) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { member(AnyCodingKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
