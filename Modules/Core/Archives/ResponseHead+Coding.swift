import HTTPTypes

extension ResponseHead: Codable {
  private enum Key: String, CodingKey {
    case version, url, status, reasonPhrase, httpVersion, headerFields, expectedLength, source
  }

  /// Reads a head.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a missing or invalid part.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    let code = try container.decode(Int.self, forKey: .status)
    let phrase = try container.decode(String.self, forKey: .reasonPhrase)
    guard (100...999).contains(code) else {
      throw DecodingError.dataCorruptedError(
        forKey: .status, in: container, debugDescription: "A status code has three digits and is at least 100.")
    }
    let status = HTTPResponse.Status(code: code, reasonPhrase: phrase)
    guard status.reasonPhrase == phrase else {
      throw DecodingError.dataCorruptedError(
        forKey: .reasonPhrase, in: container, debugDescription: "The reason phrase holds a control character.")
    }
    let length = try container.decodeIfPresent(Int64.self, forKey: .expectedLength)
    guard length ?? 0 >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .expectedLength, in: container, debugDescription: "The expected length is negative.")
    }
    self.init(
      url: try container.decode(ArchivedURL.self, forKey: .url).url, status: status,
      version: try container.decodeIfPresent(String.self, forKey: .httpVersion).map { text in
        guard let version = Version(rawValue: text) else {
          throw DecodingError.dataCorruptedError(
            forKey: .httpVersion, in: container, debugDescription: "The HTTP version is unknown.")
        }
        return version
      },
      headerFields: try container.decode(ArchivedFields.self, forKey: .headerFields).fields, expectedLength: length)
    guard let source = Source(rawValue: try container.decode(String.self, forKey: .source)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .source, in: container, debugDescription: "The source of the response is unknown.")
    }
    self.source = source
  }

  /// Writes the head, by default without its secrets.
  ///
  /// Set `includesSecrets` in the encoder's `userInfo` to include them.
  public func encode(to encoder: any Encoder) throws {
    var fields = headerFields
    var url = url
    if !encoder.includesSecrets {
      _ = Redaction.standard.removeSecrets(from: &fields)
      _ = Redaction.standard.removeSecrets(from: &url)
    }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(ArchiveFormat.version, forKey: .version)
    try container.encode(ArchivedURL(url), forKey: .url)
    try container.encode(status.code, forKey: .status)
    try container.encode(status.reasonPhrase, forKey: .reasonPhrase)
    try container.encodeIfPresent(version?.rawValue, forKey: .httpVersion)
    try container.encode(ArchivedFields(fields), forKey: .headerFields)
    try container.encodeIfPresent(expectedLength, forKey: .expectedLength)
    try container.encode(source.rawValue, forKey: .source)
  }
}
