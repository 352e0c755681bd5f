public import CurlewCore
import HTTPTypes

/// Identifies the version of a file, strongly enough to combine its parts.
///
/// A weak entity tag does not qualify, because it may stay the same when bytes change, and neither does an empty one, which some
/// servers send for every file. A `Last-Modified` qualifies if it is at least a second older than the `Date` of the same response,
/// because the file may change twice within one second (RFC 9110 §8.8.2.2). A tag or a date of more than 4,096 bytes does not
/// qualify either: it could not be sent back in `If-Range`.
public enum EntityValidator: Sendable, Hashable {
  /// A strong entity tag, without its quotes.
  case entityTag(String)
  /// The modification date, as the server wrote it.
  case lastModified(String)

  private static let longest = 4_096

  /// Creates the validator of a response; nil if it has no strong one.
  public init?(_ head: ResponseHead) {
    guard head.undoneCoding == nil else { return nil }
    let fields = head.headerFields
    if let text = fields[.eTag] {
      // Bytes that are not UTF-8 have been replaced, and could be any.
      guard text.utf8.count <= Self.longest, let tag = EntityTag(text), !tag.isWeak, !tag.opaque.isEmpty,
        !text.unicodeScalars.contains("\u{FFFD}")
      else { return nil }
      self = .entityTag(tag.opaque)
      return
    }
    guard let text = fields[.lastModified], text.utf8.count <= Self.longest, let written = fields[.date] else {
      return nil
    }
    // Both dates come from the same server, so two-digit years are interpreted in the same way.
    guard let changed = HTTPDate(text, now: .anchor), let sent = HTTPDate(written, now: .anchor),
      changed.secondsSince1970 < sent.secondsSince1970
    else { return nil }
    self = .lastModified(text)
  }

  /// The value of `If-Range`.
  public var fieldValue: String {
    switch self {
    case .entityTag(let opaque): "\"\(opaque)\""
    case .lastModified(let date): date
    }
  }

  /// Returns whether a response has the same version; nil if it does not say.
  public func matches(_ head: ResponseHead) -> Bool? {
    switch self {
    case .entityTag(let opaque):
      guard let text = head.headerFields[.eTag] else { return nil }
      guard let tag = EntityTag(text), !tag.isWeak else { return false }
      return tag.opaque.utf8.elementsEqual(opaque.utf8)
    case .lastModified(let date):
      return head.headerFields[.lastModified].map { $0 == date }
    }
  }

  /// Returns the date that a response has beside this validator; nil if it has none.
  ///
  /// It is compared too, because a server that ignores `If-Range` can send another version without its entity tag.
  func companion(in head: ResponseHead) -> String? {
    guard case .entityTag = self, let date = head.headerFields[.lastModified], date.utf8.count <= Self.longest else {
      return nil
    }
    return date
  }
}

extension EntityValidator: Codable {
  private enum CodingKeys: String, CodingKey { case entityTag, lastModified }

  /// Reads a validator; text that must not be in a header field is an error.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    if let opaque = try values.decodeIfPresent(String.self, forKey: .entityTag) {
      guard EntityTag(opaque, isWeak: false) != nil else {
        throw DecodingError.dataCorruptedError(
          forKey: .entityTag, in: values,
          debugDescription: "Expected the text between the quotes of an entity tag (RFC 9110 §8.8.3).")
      }
      self = .entityTag(opaque)
    } else {
      let date = try values.decode(String.self, forKey: .lastModified)
      guard HTTPDate(date, now: .anchor) != nil else {
        throw DecodingError.dataCorruptedError(
          forKey: .lastModified, in: values,
          debugDescription: "Expected an HTTP date, such as Sun, 06 Nov 1994 08:49:37 GMT (RFC 9110 §5.6.7).")
      }
      self = .lastModified(date)
    }
  }

  /// Writes the validator under the name of its kind.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .entityTag(let opaque): try values.encode(opaque, forKey: .entityTag)
    case .lastModified(let date): try values.encode(date, forKey: .lastModified)
    }
  }
}

extension HTTPDate {
  /// The reference for two-digit years.
  ///
  /// Any date works, because dates are only compared with each other.
  static let anchor = HTTPDate(secondsSince1970: 1_700_000_000)
}
