import CurlewSerialization

extension JSONValue: Decodable {
  /// Decodes a value: without loss from a ``JSONValueDecoder``, else approximately.
  ///
  /// Other decoders reveal neither the order of members nor the digits of a number; they are asked for a number as
  /// `Int64`, `UInt64` and `Double`, in this order.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      self = decoder.value
    } else if let object = try? JSONObject(from: decoder) {
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
      self = .array(values)
    } else {
      self = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .number(JSONNumber(value)) }
    if let value = try? container.decode(UInt64.self) { return .number(JSONNumber(value)) }
    if let value = try? container.decode(Double.self), let number = JSONNumber(value) { return .number(number) }
    return .string(try container.decode(String.self))
  }
}

extension JSONObject: Decodable {
  /// Decodes the members; only a ``JSONValueDecoder`` keeps their order.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder, case .object(let object) = decoder.value {
      self = object
      return
    }
    let container = try decoder.container(keyedBy: AnyCodingKey.self)
    self.init()
    for key in container.allKeys {
      self[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
    }
  }
}

extension JSONNumber: Decodable {
  /// Decodes a number; only a ``JSONValueDecoder`` keeps its digits.
  ///
  /// From other decoders it becomes an integer or a `Double`.
  public init(from decoder: any Decoder) throws {
    guard case .number(let number) = try JSONValue(from: decoder) else {
      throw DecodingError.typeMismatch(
        JSONNumber.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected a number."))
    }
    self = number
  }
}

extension JSONValue: Encodable {
  /// Encodes the value: without loss to a ``JSONValueEncoder``, else approximately.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.node.content = .value(self)
      return
    }
    switch self {
    case .object(let object): return try object.encode(to: encoder)
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
      return
    default: break
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .number(let number): try container.encode(number)
    default: try container.encodeNil()
    }
  }
}

extension JSONObject: Encodable {
  /// Encodes the members, in their order to a ``JSONValueEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.node.content = .value(.object(self))
      return
    }
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    for (name, value) in self { try container.encode(value, forKey: AnyCodingKey(name)) }
  }
}

extension JSONNumber: Encodable {
  /// Encodes the number, with its digits to a ``JSONValueEncoder``.
  ///
  /// Other encoders get an `Int64`, `UInt64` or `Double`.
  ///
  /// - Throws: `EncodingError.invalidValue` when the number is beyond the greatest finite `Double`.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.node.content = .value(.number(self))
      return
    }
    var container = encoder.singleValueContainer()
    if let value = exactly(Int64.self) { return try container.encode(value) }
    if let value = exactly(UInt64.self) { return try container.encode(value) }
    guard let value = double else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "The number is too large for a Double."))
    }
    try container.encode(value)
  }
}
