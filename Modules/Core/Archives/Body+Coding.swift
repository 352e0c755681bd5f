import FoundationEssentials

extension Body: Codable {
  /// The most bytes of a body in memory that an archive accepts: 16 MiB.
  ///
  /// A larger body belongs in a file.
  public static let archivedBytesLimit = 16 << 20

  private enum Key: String, CodingKey {
    case version, bytes, file
  }

  private enum FileKey: String, CodingKey {
    case path, offset, length, fileLength
  }

  /// Reads a body. A file is opened only when the body is sent.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a region that is not inside its file.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    if container.contains(.file) {
      let file = try container.nestedContainer(keyedBy: FileKey.self, forKey: .file)
      let region = FileRegion(
        path: try file.decode(String.self, forKey: .path), offset: try file.decode(Int64.self, forKey: .offset),
        length: try file.decode(Int64.self, forKey: .length),
        fileLength: try file.decode(Int64.self, forKey: .fileLength))
      guard region.isInsideFile, !region.path.utf8.contains(0) else {
        throw DecodingError.dataCorruptedError(
          forKey: .file, in: container, debugDescription: "The body's region is not inside its file.")
      }
      self.init(source: .file(region))
    } else if let bytes = try container.decodeIfPresent(Data.self, forKey: .bytes) {
      guard bytes.count <= Self.archivedBytesLimit else {
        throw DecodingError.dataCorruptedError(
          forKey: .bytes, in: container,
          debugDescription: "The body has more than the \(Self.archivedBytesLimit) bytes that an archive may hold.")
      }
      self.init(source: .bytes(bytes))
    } else {
      self.init(source: .empty)
    }
  }

  /// Writes the bytes of the body, or the location of its file.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` for a stream, whose bytes code produces, and of kind `bodyTooLarge` beyond
  ///   `archivedBytesLimit`; also the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(ArchiveFormat.version, forKey: .version)
    switch source {
    case .empty: break
    case .bytes(let bytes):
      guard bytes.count <= Self.archivedBytesLimit else {
        throw NetworkError(
          .bodyTooLarge, stage: .preparing,
          message:
            "The body has \(bytes.count) bytes, and an archive holds at most \(Self.archivedBytesLimit).",
          advice: "Put the body into a file."
        )
      }
      try container.encode(bytes, forKey: .bytes)
    case .file(let region):
      var file = container.nestedContainer(keyedBy: FileKey.self, forKey: .file)
      try file.encode(region.path, forKey: .path)
      try file.encode(region.offset, forKey: .offset)
      try file.encode(region.length, forKey: .length)
      try file.encode(region.fileLength, forKey: .fileLength)
    case .stream:
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "A stream cannot be archived, because the app's code produces its bytes.",
        advice: "Use bytes or a file.")
    }
  }
}

extension Body.FileRegion {
  fileprivate var isInsideFile: Bool {
    offset >= 0 && length >= 0 && fileLength >= 0 && offset <= fileLength && length <= fileLength - offset
  }
}
