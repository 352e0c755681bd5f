import CurlewSerialization

/// Gives `Decodable` types the parts of an element by key.
struct ElementKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ElementDecoder
  private let element: XMLElement
  /// The child elements by local name.
  private let children: [ExactString: [XMLElement]]

  init(decoder: ElementDecoder, element: XMLElement) {
    self.decoder = decoder
    self.element = element
    children = Dictionary(grouping: element.elements, by: { ExactString($0.localName) })
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    var seen = Set<String>()
    let names = element.elements.map(\.localName).filter { seen.insert($0).inserted }
    let attributes = element.attributes.map(\.name.localName).filter { seen.insert($0).inserted }
    return (names + attributes).compactMap { Key(stringValue: $0) }
  }

  private func source(_ key: some CodingKey) -> ElementDecoder.Source {
    var name = key.stringValue[...]
    if name.isEmpty || name == "#text" { return .text(element.ownText) }
    let isAttribute = name.first == "@"
    if isAttribute { name = name.dropFirst() }
    var namespace: String?
    if let colon = name.firstIndex(of: ":"), let uri = decoder.settings.namespace(of: String(name[..<colon])) {
      namespace = uri
      name = name[name.index(after: colon)...]
    }
    let localName = String(name)
    if !isAttribute, let all = children[ExactString(localName)] {
      let found = namespace.map { uri in all.filter { ExactString.areEqual($0.namespace ?? "", uri) } } ?? all
      if !found.isEmpty { return .elements(found) }
    }
    let value = namespace.map { element.attribute(localName, namespace: $0) } ?? element.anyAttribute(localName)
    return value.map { .text($0) } ?? .nothing
  }

  private func child(_ key: Key) throws -> ElementDecoder {
    let source = source(key)
    if case .nothing = source {
      throw decoder.missing(key, "There is no element or attribute named \"\(key.stringValue)\".")
    }
    return try decoder.child(source, .key(key))
  }

  /// Returns the decoder of what a key refers to; nil if that is missing or nil.
  ///
  /// Blank text counts as nil, too, unless `blanks` is true.
  private func present(_ key: Key, blanks: Bool = false) throws -> ElementDecoder? {
    let child = try decoder.child(source(key), .key(key))
    return child.isNil || (!blanks && child.isBlank) ? nil : child
  }

  func contains(_ key: Key) -> Bool {
    if case .nothing = source(key) { return false }
    return true
  }
  func decodeNil(forKey key: Key) throws -> Bool { try child(key).isNil }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    // If there is no element of the name, the array is empty.
    if type is any RepeatedElements.Type { return try decoder.child(source(key), .key(key)).value(type) }
    return try child(key).value(type)
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try present(key, blanks: !ElementDecoder.isNeverBlank(type))?.value(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try child(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try child(key).text(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try child(key).floating(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try child(key).floating(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try child(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try child(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try child(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try child(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try child(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try child(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try child(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try child(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try child(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try child(key).integer(type) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key, blanks: true)?.text(type)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.floating(type) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(key)?.floating(type) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(key)?.integer(type) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(key)?.integer(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try child(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.child(source(key), .key(key)).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder {
    try decoder.child(source(AnyCodingKey.super), .key(AnyCodingKey.super))
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.child(source(key), .key(key)) }
}

/// Types that take all elements of a name.
protocol RepeatedElements {}
extension Array: RepeatedElements {}
extension Set: RepeatedElements {}

extension XMLElement {
  /// The element's text without that of its child elements.
  fileprivate var ownText: String {
    children.reduce(into: "") { all, node in
      if case .text(let text) = node { all += text }
    }
  }

  /// Returns the value of an attribute, preferring one in no namespace.
  fileprivate func anyAttribute(_ localName: String) -> String? {
    attribute(localName) ?? attributes.first { ExactString.areEqual($0.name.localName, localName) }?.value
  }
}
