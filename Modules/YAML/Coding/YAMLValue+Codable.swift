import CurlewSerialization

extension YAMLValue: Decodable {
  /// Decodes a value: without loss from a ``YAMLValueDecoder``, else approximately.
  ///
  /// Other decoders reveal neither the order of entries nor the digits of a number.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      self = decoder.value
    } else if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {
      var mapping = YAMLMapping()
      for key in container.allKeys { mapping[key.stringValue] = try container.decode(YAMLValue.self, forKey: key) }
      self = .mapping(mapping)
    } else if var elements = try? decoder.unkeyedContainer() {
      var values: [YAMLValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(YAMLValue.self)) }
      self = .sequence(values)
    } else {
      self = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> YAMLValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .int(YAMLInteger(value)) }
    if let value = try? container.decode(UInt64.self) { return .int(YAMLInteger(value)) }
    if let value = try? container.decode(Double.self) { return .float(YAMLFloat(value)) }
    return .string(try container.decode(String.self))
  }
}

extension YAMLValue: Encodable {
  /// Encodes the value: without loss to a ``YAMLValueEncoder``, else approximately.
  ///
  /// Other encoders get no tags, the keys' texts as names, and numbers as `Int64`, `UInt64` or `Double`.
  ///
  /// - Throws: `EncodingError.invalidValue` when a key is a sequence or a mapping and the encoder needs a name.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.node.content = .value(self)
      return
    }
    switch untagged {
    case .mapping(let mapping):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for (key, value) in mapping {
        guard let name = key.scalarText else {
          throw EncodingError.invalidValue(
            self,
            .init(
              codingPath: encoder.codingPath,
              debugDescription: "A key that is \(key.kindName) cannot be used as a name; use scalar keys."))
        }
        try container.encode(value, forKey: AnyCodingKey(name))
      }
    case .sequence(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case let scalar:
      var container = encoder.singleValueContainer()
      try scalar.encode(to: &container)
    }
  }

  private func encode(to container: inout any SingleValueEncodingContainer) throws {
    switch self {
    case .bool(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .int(let value):
      if let number = value.exactly(Int64.self) { return try container.encode(number) }
      if let number = value.exactly(UInt64.self) { return try container.encode(number) }
      try container.encode(value.double)
    case .float(let value): try container.encode(value.double)
    default: try container.encodeNil()
    }
  }
}

extension YAMLMapping: Codable {
  /// Decodes the entries; only a ``YAMLValueDecoder`` keeps their order.
  ///
  /// - Throws: `DecodingError.typeMismatch` when the value is not a mapping.
  public init(from decoder: any Decoder) throws {
    guard let mapping = try YAMLValue(from: decoder).mappingValue else {
      throw DecodingError.typeMismatch(
        YAMLMapping.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected a mapping."))
    }
    self = mapping
  }

  /// Encodes the entries as ``YAMLValue`` does.
  public func encode(to encoder: any Encoder) throws {
    try YAMLValue.mapping(self).encode(to: encoder)
  }
}

extension YAMLInteger: Codable {
  /// Decodes an integer; only a ``YAMLValueDecoder`` keeps all its digits.
  ///
  /// - Throws: `DecodingError.typeMismatch` when the value is not an integer.
  public init(from decoder: any Decoder) throws {
    guard case .int(let value) = try YAMLValue(from: decoder).untagged else {
      throw DecodingError.typeMismatch(
        YAMLInteger.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected an integer."))
    }
    self = value
  }

  /// Encodes the integer as ``YAMLValue`` does.
  public func encode(to encoder: any Encoder) throws {
    try YAMLValue.int(self).encode(to: encoder)
  }
}

extension YAMLFloat: Codable {
  /// Decodes a float; only a ``YAMLValueDecoder`` keeps all its digits.
  ///
  /// An integer becomes a float.
  ///
  /// - Throws: `DecodingError.typeMismatch` when the value is not a number.
  public init(from decoder: any Decoder) throws {
    switch try YAMLValue(from: decoder).untagged {
    case .float(let value): self = value
    case .int(let value): self.init(checkedText: value.text + ".0")
    default:
      throw DecodingError.typeMismatch(
        YAMLFloat.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected a number."))
    }
  }

  /// Encodes the float as ``YAMLValue`` does.
  public func encode(to encoder: any Encoder) throws {
    try YAMLValue.float(self).encode(to: encoder)
  }
}
