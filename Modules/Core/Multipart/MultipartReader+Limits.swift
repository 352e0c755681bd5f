extension MultipartReader {
  /// How much of a multipart body is taken before it is refused.
  ///
  /// Bodies of parts and what follows the closing delimiter have no limit: they are handed on or dropped as they come.
  public struct Limits: Sendable, Hashable {
    /// Characters of the boundary; 70 unless set, as RFC 2046 §5.1.1 says.
    public var boundaryCharacters: Int
    /// Bytes before the first delimiter line; 16,384 unless set.
    public var preambleBytes: Int
    /// Parts of the body; 10,000 unless set.
    public var parts: Int
    /// Bytes of one part's header, line breaks included; 16,384 unless set.
    public var headerBytes: Int
    /// Fields of one part's header; 64 unless set.
    public var headerFields: Int
    /// Blanks between a boundary and its line break; 256 unless set.
    public var paddingBytes: Int

    /// Makes limits; each has a default.
    public init(
      boundaryCharacters: Int = 70, preambleBytes: Int = 16_384, parts: Int = 10_000, headerBytes: Int = 16_384,
      headerFields: Int = 64, paddingBytes: Int = 256
    ) {
      self.boundaryCharacters = boundaryCharacters
      self.preambleBytes = preambleBytes
      self.parts = parts
      self.headerBytes = headerBytes
      self.headerFields = headerFields
      self.paddingBytes = paddingBytes
    }
  }
}
