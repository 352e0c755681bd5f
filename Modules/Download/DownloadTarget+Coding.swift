import CurlewCore

extension DownloadTarget: Codable {
  private enum Key: String, CodingKey { case file, directory, identifier }

  /// Reads a target.
  ///
  /// - Throws: `DecodingError` for anything that is neither a file nor a directory.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let path = try container.decodeIfPresent(String.self, forKey: .file) {
      self = .file(path)
    } else {
      self = .directory(
        try container.decode(String.self, forKey: .directory),
        identifier: try container.decodeIfPresent(String.self, forKey: .identifier))
    }
  }

  /// Writes the path, and the identifier of a directory.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` for a target whose path the app's code chooses.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch kind {
    case .file(let path): try container.encode(path, forKey: .file)
    case .directory(let path, let identifier):
      try container.encode(path, forKey: .directory)
      try container.encodeIfPresent(identifier, forKey: .identifier)
    case .chosen:
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "A target whose path a function chooses cannot be stored; use a file or a directory.")
    }
  }
}
