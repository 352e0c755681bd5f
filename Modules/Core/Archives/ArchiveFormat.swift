import FoundationEssentials

extension CodingUserInfoKey {
  /// Asks an encoder to include secrets, when its value is true.
  ///
  /// Without it, `Request` and `ResponseHead` omit the fields, the user information and the query items that
  /// `Redaction.standard` names.
  ///
  /// ```swift
  /// let encoder = JSONEncoder()
  /// encoder.userInfo[.includesSecrets] = true
  /// ```
  public static let includesSecrets: CodingUserInfoKey = {
    // Safe because the initializer accepts every text.
    CodingUserInfoKey(rawValue: "curlew.includesSecrets")!
  }()
}

extension Encoder {
  var includesSecrets: Bool { userInfo[.includesSecrets] as? Bool ?? false }
}

/// The version that every archived value begins with.
package enum ArchiveFormat {
  /// The version that is written; a reader rejects any other.
  package static let version = 1

  /// Checks that the version of an archive is supported.
  ///
  /// - Throws: `DecodingError` for an unsupported version.
  package static func check<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws {
    let found = try container.decode(Int.self, forKey: key)
    guard found == version else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "Version \(found) of the archive is not supported.")
    }
  }
}
