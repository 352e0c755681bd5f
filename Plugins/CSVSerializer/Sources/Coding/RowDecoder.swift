/// Decodes one record: by the names of the columns, by position, or as its only field.
struct RowDecoder: Decoder {
  let record: CSVRecord
  let columns: CSVColumns?
  let codingPath: [any CodingKey]
  private let info: [CodingUserInfoKey: any Sendable]

  var userInfo: [CodingUserInfoKey: Any] { info }

  /// - Parameter index: The number of the row, from 0.
  init(_ record: CSVRecord, at index: Int, _ columns: CSVColumns?, _ info: [CodingUserInfoKey: any Sendable]) {
    self.record = record
    self.columns = columns
    self.info = info
    codingPath = [CSVKey(intValue: index)]
  }

  /// Decodes the record, and reports fields of the wrong type with their places.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      if record.fields.count == 1, let known = try single.known(type), let value = known as? Value { return value }
      return try Value(from: self)
    } catch let error as DecodingError {
      throw CSVError(.invalidValue, at: position(of: error), underlyingError: error)
    }
  }

  private func position(of error: DecodingError) -> CSVPosition {
    let path: [any CodingKey]
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      path = context.codingPath
    @unknown default: path = []
    }
    guard path.count > codingPath.count else { return record.position(of: 0) }
    let key = path[codingPath.count]
    return record.position(of: columns?.place(of: key.stringValue) ?? key.intValue ?? 0)
  }

  /// Returns the decoder of a field.
  func cell(_ index: Int, _ key: any CodingKey) -> CellDecoder {
    CellDecoder(text: record.fields[index], codingPath: codingPath + [key], info: info)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let columns else {
      throw DecodingError.typeMismatch(
        [String: Any].self,
        .init(codingPath: codingPath, debugDescription: "The table has no header; decode its rows as arrays."))
    }
    return KeyedDecodingContainer(NamedFields<Key>(row: self, columns: columns))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { FieldsInOrder(row: self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard record.fields.count == 1 else {
      throw DecodingError.typeMismatch(
        String.self,
        .init(
          codingPath: codingPath,
          debugDescription: "Expected one field in the row, found \(record.fields.count)."))
    }
    return single
  }

  /// The decoder of the only field.
  private var single: CellDecoder { CellDecoder(text: record.fields[0], codingPath: codingPath, info: info) }
}

/// Gives a type the fields by the names of their columns.
private struct NamedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder
  let columns: CSVColumns

  var codingPath: [any CodingKey] { row.codingPath }
  var allKeys: [Key] { columns.names.prefix(row.record.fields.count).compactMap { Key(stringValue: $0) } }

  private func place(_ key: any CodingKey) -> Int? {
    columns.place(of: key.stringValue).flatMap { row.record.fields.indices.contains($0) ? $0 : nil }
  }

  private func cell(_ key: any CodingKey) throws -> CellDecoder {
    guard let place = place(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "There is no column named \"\(key.stringValue)\"."))
    }
    return row.cell(place, key)
  }

  func contains(_ key: Key) -> Bool { place(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try cell(key).decodeNil() }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try cell(key).decode(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try cell(key).decode(type) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try cell(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try cell(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try cell(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try cell(CSVKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try cell(key) }
}

/// Gives a type the fields in their order.
private struct FieldsInOrder: UnkeyedDecodingContainer {
  let row: RowDecoder
  private(set) var currentIndex = 0

  init(row: RowDecoder) { self.row = row }

  var codingPath: [any CodingKey] { row.codingPath }
  var count: Int? { row.record.fields.count }
  var isAtEnd: Bool { currentIndex >= row.record.fields.count }

  private func cell() throws -> CellDecoder {
    let key = CSVKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        String.self,
        .init(codingPath: codingPath + [key], debugDescription: "The row has only \(currentIndex) fields."))
    }
    return row.cell(currentIndex, key)
  }

  mutating func decodeNil() throws -> Bool {
    let isNil = try cell().decodeNil()
    if isNil { currentIndex += 1 }
    return isNil
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try cell().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try cell().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try cell().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try cell()
    currentIndex += 1
    return decoder
  }
}
