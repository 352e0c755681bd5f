import CurlewCore
import FoundationEssentials

/// Decodes the text of one field.
struct CellDecoder: Decoder, SingleValueDecodingContainer {
  let text: String
  let codingPath: [any CodingKey]
  let info: [CodingUserInfoKey: any Sendable]

  var userInfo: [CodingUserInfoKey: Any] { info }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  func decodeNil() -> Bool { text.isEmpty }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = try known(type), let value = known as? Value { return value }
    return try Value(from: self)
  }

  // The protocols' own methods for these two types throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  /// Returns the value of a type that CSV represents itself; nil for other types.
  func known(_ type: any Decodable.Type) throws -> (any Decodable)? {
    guard !text.isSlowToCompare else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "The field has more than 1,024 combining marks in a row."))
    }
    switch type {
    case is String.Type: return text
    case is Bool.Type: return try present(bool, as: Bool.self)
    case is Double.Type: return try present(number(Double.self), as: Double.self)
    case is Float.Type: return try present(number(Float.self), as: Float.self)
    case is Decimal.Type: return try present(decimal, as: Decimal.self)
    case is Date.Type: return try present(InternetDate.parse(text), as: Date.self)
    case is URL.Type: return try present(URL(keepingEscapes: text), as: URL.self)
    case is Data.Type: return try present(Data(base64Encoded: text), as: Data.self)
    case let type as any (FixedWidthInteger & Decodable).Type: return try integer(type)
    default: return nil
    }
  }

  /// The text as a boolean, in any case; nil for another text.
  private var bool: Bool? {
    switch text.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }

  /// The text as a number; nil for another text, and for a number that does not fit.
  private func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type) -> Number? {
    let isHexadecimal = text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") }
    guard !isHexadecimal, let number = Number(text) else { return nil }
    return number.isInfinite && text.utf8.contains { (0x30...0x39).contains($0) } ? nil : number
  }

  /// The text as a decimal number; nil for another text.
  ///
  /// `Decimal` alone would read the number at the beginning of any text.
  private var decimal: Decimal? {
    let isPlain = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
    return isPlain && Double(text) != nil ? Decimal(string: text) : nil
  }

  private func integer<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
    try present(Value(text), as: type)
  }

  /// Returns a value that the text has been converted to; nil means that it could not be.
  private func present<Value>(_ value: Value?, as type: Value.Type) throws -> Value {
    guard let value else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "Expected a field of the type \(type)."))
    }
    return value
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "Expected to decode \(type) but found the text of a field.")
    )
  }
}
