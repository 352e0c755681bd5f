import FoundationEssentials
import HTTPTypes

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

/// The archived form of header fields: pairs of name and value, in order.
///
/// Repeated fields stay separate.
struct ArchivedFields: Codable {
  var fields: HTTPFields

  init(_ fields: HTTPFields) { self.fields = fields }

  init(from decoder: any Decoder) throws {
    fields = [:]
    var pairs = try decoder.unkeyedContainer()
    while !pairs.isAtEnd {
      var pair = try pairs.nestedUnkeyedContainer()
      let name = try pair.decode(String.self)
      let value = try pair.decode(String.self)
      // `HTTPField` would remove CR, LF and NUL from the value, and so change it.
      guard let name = HTTPField.Name(name), HTTPField.isValidValue(value), pair.isAtEnd else {
        throw DecodingError.dataCorruptedError(
          in: pairs, debugDescription: "A header field must be a pair of a valid name and a valid value.")
      }
      fields.append(HTTPField(name: name, value: value))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var pairs = encoder.unkeyedContainer()
    for field in fields {
      var pair = pairs.nestedUnkeyedContainer()
      try pair.encode(field.name.rawName)
      try pair.encode(field.value)
    }
  }
}

/// The archived form of a URL: text that must parse to the same URL.
struct ArchivedURL: Codable {
  var url: URL

  init(_ url: URL) { self.url = url }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let url = URL(string: text), url.absoluteString == text
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a URL.")
    }
    self.url = url
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url.absoluteString)
  }
}
