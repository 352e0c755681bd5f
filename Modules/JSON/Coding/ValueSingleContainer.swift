import CurlewSerialization

/// Gives `Decodable` types the decoder's own value.
struct ValueSingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    try decoder.integer(decoder.value, type, nil)
  }

  func decodeNil() -> Bool { decoder.value.isNull }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.unboxSelf(type) }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool(decoder.value, nil) }
  func decode(_ type: String.Type) throws -> String { try decoder.string(decoder.value, nil) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double(decoder.value, nil) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float(decoder.value, nil) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
}
