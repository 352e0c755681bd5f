import CurlewSerialization
public import FoundationEssentials

/// Decodes one value; the chain of its parents is the coding path.
final class ValueDecoder: Decoder, CodingPathNode {
  let value: YAMLValue
  let settings: YAMLValueDecoder
  let key: PathKey?
  let parent: ValueDecoder?
  private let depth: Int

  init(_ value: YAMLValue, decoder: YAMLValueDecoder) {
    self.value = value
    settings = decoder
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ value: YAMLValue, key: PathKey, parent: ValueDecoder) {
    self.value = value
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the decoder of a value inside this decoder's value.
  func child(_ value: YAMLValue, _ key: PathKey) throws -> ValueDecoder {
    let child = ValueDecoder(value, key: key, parent: self)
    guard child.depth <= YAMLValueDecoder.maximumDepth else {
      throw child.corrupted("The value is nested deeper than \(YAMLValueDecoder.maximumDepth) collections.")
    }
    return child
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let mapping = value.mappingValue else { throw mismatch(YAMLMapping.self, value, nil) }
    return KeyedDecodingContainer(ValueKeyedContainer<Key>(decoder: self, mapping: mapping))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.sequenceValue else { throw mismatch([YAMLValue].self, value, nil) }
    return ValueUnkeyedContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueSingleContainer(decoder: self)
  }

  // MARK: Errors

  func mismatch(_ type: Any.Type, _ value: YAMLValue, _ key: PathKey?) -> DecodingError {
    mismatch(type, found: value.kindName, isNull: value.isNull, key)
  }

  func missing(_ key: any CodingKey) -> DecodingError {
    let near = value.mappingValue.flatMap { alike(key, among: $0.members.lazy.compactMap(\.key.scalarText)) }
    return missing(
      key, "There is no key \"\(key.stringValue)\"" + (near.map { ", but there is \"\($0)\"." } ?? "."))
  }

  func atEnd(_ type: Any.Type, _ index: Int) -> DecodingError {
    missing(type, "The sequence has only \(index) elements.", .index(index))
  }
}

/// Decodes `Decodable` types from YAML values and YAML text.
///
/// Values have the kinds that the schema gives them: `version: 1.10` is a float, and decoding it as a `String` throws
/// an error that says so. An integer can be decoded as a float, and a whole float as an integer. Mapping keys are
/// matched by their text, so `8080: http` fits `[Int: String]`. `Data` is base64, with or without the tag `!!binary`.
/// Tags that a type does not ask for are ignored. ``YAMLValue``, ``YAMLMapping``, ``YAMLInteger`` and ``YAMLFloat`` can
/// be parts of a decoded type and are decoded without loss.
public struct YAMLValueDecoder: Sendable {
  /// The deepest nesting of a decoded type.
  ///
  /// Beyond it `DecodingError.dataCorrupted` is thrown.
  public static let maximumDepth = 512

  /// How text is parsed; the defaults of ``YAMLParsingOptions`` by default.
  public var parsingOptions = YAMLParsingOptions()
  /// How `Date` is decoded; from ISO 8601 by default.
  public var dateStrategy = YAMLDateStrategy.iso8601
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init() {}

  /// Decodes a value of the given type from a YAML text with one document.
  ///
  /// - Throws: ``YAMLError`` with line and column when the text is not valid YAML or exceeds a limit; `DecodingError`
  ///   with the coding path when it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: YAMLValue(parsing: data, options: parsingOptions))
  }

  /// Decodes a value of the given type from a string; throws as for `Data`.
  public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decode(type, from: YAMLValue(parsing: text, options: parsingOptions))
  }

  /// Decodes a value of the given type from a YAML value.
  ///
  /// - Throws: `DecodingError` with the coding path when the value does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: YAMLValue) throws -> Value {
    try ValueDecoder(value, decoder: self).unboxSelf(type)
  }
}

/// How dates are represented in YAML values.
public enum YAMLDateStrategy: Sendable, Hashable {
  /// Text in the format of ISO 8601, in UTC: `2026-11-21T08:00:00Z`.
  case iso8601
  /// The number of seconds since 1970.
  case secondsSince1970
}
