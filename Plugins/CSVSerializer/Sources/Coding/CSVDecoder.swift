public import FoundationEssentials

/// Decodes the rows of a table as `Decodable` values.
///
/// ```swift
/// struct Bird: Decodable { var name: String; var legs: Int? }
/// let birds = try CSVDecoder().decode([Bird].self, from: data)
/// ```
///
/// A table is an array. A row is a keyed value whose names are those of the columns, an array of its fields, or, in a table of one
/// column, a single value. The fields are strings, numbers, `true` and `false`, dates (RFC 3339), URLs, decimals, and data in base64. An
/// empty field is nil for an optional type.
public struct CSVDecoder: Sendable {
  /// The syntax of the text, and limits.
  public var options: CSVOptions
  /// Values that decoded types find in `Decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init(options: CSVOptions = CSVOptions()) { self.options = options }

  /// Decodes a text in UTF-8; an empty text has no rows.
  ///
  /// - Throws: ``CSVError`` with the line and the column, also for a field of the wrong type; `DecodingError` when the type is not an
  ///   array; any error of the type itself.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value {
    try Value(from: TableDecoder(bytes, self))
  }
}

/// Decodes the rows of a text, one after the other.
private struct TableDecoder: Decoder {
  let bytes: Data
  let decoder: CSVDecoder
  let codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  init(_ bytes: Data, _ decoder: CSVDecoder) {
    self.bytes = bytes
    self.decoder = decoder
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try RowContainer(bytes, decoder) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw notAnArray([String: Any].self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notAnArray(String.self) }

  private func notAnArray(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: [], debugDescription: "Expected to decode \(type) but found a table, which is an array."))
  }
}

/// Gives an array its rows.
private struct RowContainer: UnkeyedDecodingContainer {
  private var rows: CSVRows
  private var record: CSVRecord?
  private let columns: CSVColumns?
  private let userInfo: [CodingUserInfoKey: any Sendable]
  let codingPath: [any CodingKey] = []
  let count: Int? = nil
  private(set) var currentIndex = 0

  init(_ bytes: Data, _ decoder: CSVDecoder) throws {
    rows = CSVRows(bytes, decoder.options)
    userInfo = decoder.userInfo
    let header = decoder.options.hasHeader ? try rows.next() : nil
    columns = try header.map { header throws(CSVError) in try CSVColumns(header) }
    record = try rows.next()
  }

  var isAtEnd: Bool { record == nil }

  private mutating func next<Value>(_ decode: (RowDecoder) throws -> Value) throws -> Value {
    guard let record else {
      throw DecodingError.valueNotFound(
        Value.self, .init(codingPath: [CSVKey(intValue: currentIndex)], debugDescription: "There are no more rows."))
    }
    let value = try decode(RowDecoder(record, at: currentIndex, columns, userInfo))
    self.record = try rows.next()
    currentIndex += 1
    return value
  }

  /// Returns false: a row is never null.
  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
