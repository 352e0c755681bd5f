extension MultipartReader {
  /// The limits beyond which a multipart body is rejected.
  ///
  /// The bodies of parts and the text after the closing delimiter have no limit, because they are delivered or dropped as they
  /// arrive.
  public struct Limits: Sendable, Hashable {
    /// The most characters of the boundary; by default 70, as in RFC 2046 §5.1.1.
    public var boundaryCharacters: Int
    /// The most bytes before the first delimiter line; by default 16,384.
    public var preambleBytes: Int
    /// The most parts of the body; by default 10,000.
    public var parts: Int
    /// The most bytes of one part's header, with line breaks; by default 16,384.
    public var headerBytes: Int
    /// The most fields of one part's header; by default 64.
    public var headerFields: Int
    /// The most blanks between a boundary and its line break; by default 256.
    public var paddingBytes: Int

    /// Creates limits; each has a default.
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
