import CurlewCore
import CurlewDigests
import FoundationEssentials

/// What the journal records about a partial file; the last valid record counts.
struct PartialRecord: Codable, Sendable, Hashable {
  /// The version of the format; other versions are ignored.
  static let version = 1
  /// The most bytes of one record.
  static let limit = 65_536

  var version = Self.version
  /// The URL that answered, without user, query and fragment; shortened by `DownloadURL`.
  var url: String
  /// A fingerprint of the query, which may be secret.
  var query: String
  var validator: EntityValidator?
  /// The `Last-Modified` beside an entity tag.
  var lastModified: String?
  var total: Int64?
  /// The number of bytes that survive a power failure.
  var durable: Int64 = 0
  /// The boot of the machine that wrote the record; nil if unknown.
  var boot: String?
  /// The digest that the whole file must have, as `sha-256:HEX`.
  var digest: String?

  init(
    _ place: DownloadURL, validator: EntityValidator? = nil, lastModified: String? = nil, total: Int64? = nil
  ) {
    url = place.url
    query = place.query
    self.validator = validator
    self.lastModified = lastModified
    self.total = total
  }

  /// Reads a record; nil for damaged bytes, another version or a negative length.
  init?(_ data: Data) {
    guard data.count <= Self.limit, let record = try? JSONDecoder().decode(PartialRecord.self, from: data),
      record.version == Self.version, record.durable >= 0, record.total ?? 0 >= 0
    else { return nil }
    self = record
  }

  /// The record as bytes.
  ///
  /// - Throws: `EncodingError`, which no value of a record causes.
  func encoded() throws -> Data { try JSONEncoder().encode(self) }

  /// Returns how many bytes of a partial file can be trusted.
  ///
  /// As long as the machine runs, every written byte is there, even if processes were killed. After a restart only the durable
  /// bytes are certain; the bytes after them may be anything. A file that is longer than the whole entity is not trusted at
  /// all.
  func trusted(length: Int64, boot: String?) -> Int64 {
    if let total, length > total { return 0 }
    let isSameStart = boot != nil && boot == self.boot
    return isSameStart ? length : min(durable, length)
  }
}

/// The parts of a URL that records contain.
///
/// They suffice to compare URLs, and contain no secret. A URL that is too long for a record is represented by its beginning and
/// a fingerprint.
struct DownloadURL: Sendable, Hashable {
  private static let longest = 4_096

  var url: String
  var query: String

  init(_ url: URL) {
    let port = url.port.map { ":\($0)" } ?? ""
    let whole = "\(url.scheme ?? "")://\(url.host(percentEncoded: true) ?? "")\(port)\(url.path(percentEncoded: true))"
    self.url = whole.utf8.count <= Self.longest ? whole : "\(whole.prefix(Self.longest / 2))#\(Self.fingerprint(whole))"
    query = url.query(percentEncoded: true).map(Self.fingerprint) ?? ""
  }

  /// Identifies the bytes of a download that has no other name.
  var identifier: String { query.isEmpty ? url : "\(url)?\(query)" }

  /// Returns 32 hexadecimal digits that identify a text.
  static func fingerprint(_ text: String) -> String {
    let bytes = Data(text.utf8)
    // Without SHA-256, use the beginning of the text.
    let digest = try? Digest.of(bytes, .sha256)
    return String((digest ?? bytes.prefix(16)).hexadecimal.prefix(32))
  }
}
