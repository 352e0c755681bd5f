import FoundationEssentials

extension CodingUserInfoKey {
  /// Asks an encoder to include secrets, when its value is true.
  ///
  /// Without it, `Request` and `ResponseHead` leave out the fields, the user information and the query items that
  /// `Redaction.standard` names.
  ///
  /// ```swift
  /// let encoder = JSONEncoder()
  /// encoder.userInfo[.includesSecrets] = true
  /// ```
  public static let includesSecrets: CodingUserInfoKey = {
    // Safe because the initializer refuses no text.
    CodingUserInfoKey(rawValue: "curlew.includesSecrets")!
  }()
}

extension Encoder {
  var includesSecrets: Bool { userInfo[.includesSecrets] as? Bool ?? false }
}

/// The version that every archived value begins with, and the error for what cannot be read.
enum ArchiveFormat {
  /// Later versions of Curlew may write a higher one, which this one refuses.
  static let version = 1

  /// Reads the version.
  ///
  /// - Throws: `DecodingError` for a version that this code cannot read.
  static func check<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws {
    let found = try container.decode(Int.self, forKey: key)
    guard found == version else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "Version \(found) of the archive is not supported.")
    }
  }
}
