import CurlewCore
import FoundationEssentials

/// Encodes one value into its node.
struct ItemEncoder: Encoder {
  let node: EncodingNode
  private let step: PathStep?
  let settings: CBOREncoder

  init(_ node: EncodingNode, step: PathStep? = nil, settings: CBOREncoder) {
    self.node = node
    self.step = step
    self.settings = settings
  }

  var codingPath: [any CodingKey] { step?.path ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func inner(_ node: EncodingNode, _ key: any CodingKey) -> ItemEncoder {
    ItemEncoder(node, step: PathStep(key, after: step), settings: settings)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginMap()
    return KeyedEncodingContainer(EncodingMap<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return EncodingArray(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { EncodingSingle(encoder: self) }

  /// Encodes a value of any type into the node.
  func write(_ value: some Encodable) throws {
    guard (step?.count ?? 0) <= CBOREncoder.maximumDepth else {
      throw invalid(value, "The value is nested deeper than \(CBOREncoder.maximumDepth) levels.")
    }
    if let known = try known(value) {
      node.content = .value(known)
    } else if let dictionary = value as? any EncodableStringDictionary {
      try dictionary.encodeEntries(to: self)
    } else {
      try value.encode(to: self)
    }
  }

  /// Returns the item of a type that CBOR represents itself; nil for other types.
  private func known(_ value: any Encodable) throws -> CBORValue? {
    switch value {
    case let value as CBORValue: value
    case let value as String: .text(value)
    case let value as Bool: .bool(value)
    case let value as Double: .float(value)
    case let value as Float: .float(Double(value))
    case let value as Data: .bytes(value)
    case let value as Date: try item(of: value)
    case let value as URL: .tagged(32, .text(value.absoluteString))
    case let value as any FixedWidthInteger: CBORValue(value)
    default: nil
    }
  }

  private func item(of date: Date) throws -> CBORValue {
    let seconds = date.timeIntervalSince1970
    switch settings.dateFormat {
    case .epoch:
      return .tagged(1, Int64(exactly: seconds).map { CBORValue($0) } ?? .float(seconds))
    case .text:
      guard let text = InternetDate.text(date) else {
        // The error contains a number, because Foundation traps when it prints a date that is so far away.
        throw invalid(seconds, "RFC 3339 can only express dates of the years 1 to 9999.")
      }
      return .tagged(0, .text(text))
    }
  }

  private func invalid(_ value: Any, _ message: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: message))
  }
}

/// A dictionary with string keys.
///
/// Its keys are written as text; the coding keys of a dictionary have an `intValue` where the text is a number.
private protocol EncodableStringDictionary {
  func encodeEntries(to encoder: ItemEncoder) throws
}

extension Dictionary: EncodableStringDictionary where Key == String, Value: Encodable {
  fileprivate func encodeEntries(to encoder: ItemEncoder) throws {
    encoder.node.beginMap()
    for (name, value) in self {
      try encoder.inner(encoder.node.entry(.text(name)), CBORKey(stringValue: name)).write(value)
    }
  }
}

/// Collects the entries of a map.
private struct EncodingMap<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ItemEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func inner(_ key: any CodingKey) -> ItemEncoder {
    encoder.inner(encoder.node.entry(key.mapInteger.map { CBORValue($0) } ?? .text(key.stringValue)), key)
  }

  func encodeNil(forKey key: Key) throws { inner(key).node.content = .value(.null) }

  // The protocols' own methods for these two types throw.
  func encode(_ value: Int128, forKey key: Key) throws { inner(key).node.content = .value(CBORValue(value)) }
  func encode(_ value: UInt128, forKey key: Key) throws { inner(key).node.content = .value(CBORValue(value)) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let inner = inner(key)
    // A second value for a key replaces the first. Only containers from `nestedContainer` are merged.
    inner.node.content = .none
    try inner.write(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { inner(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { inner(CBORKey.super) }
  func superEncoder(forKey key: Key) -> any Encoder { inner(key) }
}

/// Collects the elements of an array.
private struct EncodingArray: UnkeyedEncodingContainer {
  let encoder: ItemEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func inner() -> ItemEncoder {
    let key = CBORKey(intValue: count)
    return encoder.inner(encoder.node.element(), key)
  }

  func encodeNil() throws { inner().node.content = .value(.null) }
  func encode(_ value: Int128) throws { inner().node.content = .value(CBORValue(value)) }
  func encode(_ value: UInt128) throws { inner().node.content = .value(CBORValue(value)) }
  func encode(_ value: some Encodable) throws { try inner().write(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    inner().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }
  func superEncoder() -> any Encoder { inner() }
}

/// Collects a single value.
private struct EncodingSingle: SingleValueEncodingContainer {
  let encoder: ItemEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.node.content = .value(.null) }
  func encode(_ value: Int128) throws { encoder.node.content = .value(CBORValue(value)) }
  func encode(_ value: UInt128) throws { encoder.node.content = .value(CBORValue(value)) }
  func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
