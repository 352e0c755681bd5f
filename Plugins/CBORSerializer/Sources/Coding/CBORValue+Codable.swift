extension CBORValue: Codable {
  /// Returns the item that a ``CBORDecoder`` reads.
  ///
  /// - Throws: `DecodingError` for another decoder, because other formats have no such items.
  public init(from decoder: any Decoder) throws {
    guard let item = decoder as? ItemDecoder else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A CBORValue can only be decoded by a CBORDecoder."))
    }
    self = item.value
  }

  /// Writes the item with a ``CBOREncoder``.
  ///
  /// - Throws: `EncodingError` for another encoder, because other formats have no such items.
  public func encode(to encoder: any Encoder) throws {
    guard let item = encoder as? ItemEncoder else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "A CBORValue can only be encoded by a CBOREncoder."))
    }
    item.node.content = .value(self)
  }
}
