public import FoundationEssentials

extension AsyncSequence where Element == Data {
  /// Returns the values of a stream in JSON Lines (NDJSON), one a line.
  public func jsonLines(options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, JSONValue> {
    jsonRecords(.lines, options: options)
  }

  /// Returns the values of a stream in JSON Lines (NDJSON), decoded as `type`.
  public func jsonLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(),
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, Value> {
    jsonRecords(.lines, as: type, decoder: decoder, options: options)
  }

  /// Returns the values of a JSON text sequence (RFC 7464).
  public func jsonTextSequence(
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, JSONValue> {
    jsonRecords(.textSequence, options: options)
  }

  /// Returns the values of a JSON text sequence (RFC 7464), decoded as `type`.
  public func jsonTextSequence<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(),
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, Value> {
    jsonRecords(.textSequence, as: type, decoder: decoder, options: options)
  }

  private func jsonRecords(
    _ framing: JSONFraming, options: JSONRecordOptions
  ) -> JSONRecordSequence<Self, JSONValue> {
    JSONRecordSequence(self, framing: framing, options: options) { record, parsing in
      try JSONValue(parsing: record.bytes, options: parsing)
    }
  }

  private func jsonRecords<Value: Decodable & Sendable>(
    _ framing: JSONFraming, as type: Value.Type, decoder: JSONValueDecoder, options: JSONRecordOptions
  ) -> JSONRecordSequence<Self, Value> {
    JSONRecordSequence(self, framing: framing, options: options) { record, parsing in
      try decoder.decode(type, from: JSONValue(parsing: record.bytes, options: parsing))
    }
  }
}
