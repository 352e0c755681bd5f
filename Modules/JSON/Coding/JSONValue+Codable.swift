import CurlewSerialization

extension JSONValue: Decodable {
  /// Takes the value as it is from a ``JSONValueDecoder``, and as near as another decoder tells it.
  ///
  /// Other decoders do not tell the order of members nor how a number was written; numbers are asked for as `Int64`,
  /// `UInt64` and `Double`, in this order.
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
  /// Takes the members as they are from a ``JSONValueDecoder``; other decoders do not tell their order.
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
  /// Takes the number with its digits from a ``JSONValueDecoder``, and as an integer or `Double` from others.
  public init(from decoder: any Decoder) throws {
    guard case .number(let number) = try JSONValue(from: decoder) else {
      throw DecodingError.typeMismatch(
        JSONNumber.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected a number."))
    }
    self = number
  }
}

extension JSONValue: Encodable {
  /// Gives the value as it is to a ``JSONValueEncoder``, and as near as another encoder can take it.
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
  /// Gives the members as they are to a ``JSONValueEncoder``, and one by one to another encoder.
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
  /// Gives the number with its digits to a ``JSONValueEncoder``, and as `Int64`, `UInt64` or `Double` to others.
  ///
  /// - Throws: `EncodingError.invalidValue` when it is beyond the greatest finite `Double`.
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
