import CurlewCore
import CurlewDigests
import FoundationEssentials

/// What the journal beside a partial file says of it; the last record that can be read counts.
struct PartialRecord: Codable, Sendable, Hashable {
  /// The version of the format; another one is not read.
  static let version = 1
  /// The most bytes of one record.
  static let limit = 65_536

  var version = Self.version
  /// Where the bytes came from, without user, query and fragment.
  var url: String
  /// A fingerprint of the query, which may be secret.
  var query: String
  var validator: EntityValidator?
  var total: Int64?
  /// How many bytes survive a power failure.
  var durable: Int64 = 0
  /// Which start of the machine wrote the record; nil when that is not known.
  var boot: String?
  /// The digest that the whole file must have, as `sha-256:HEX`.
  var digest: String?

  init(_ place: DownloadURL, validator: EntityValidator? = nil, total: Int64? = nil) {
    url = place.url
    query = place.query
    self.validator = validator
    self.total = total
  }

  /// Reads a record; fails for damaged bytes, another version or a negative length.
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

  /// How many bytes of a partial file can be relied on.
  ///
  /// While the machine runs on, every byte that was written is there, whoever was killed. After it was restarted only what
  /// had been made durable is; bytes behind that may be anything. A file longer than the whole is not this file.
  func trusted(length: Int64, boot: String?) -> Int64 {
    if let total, length > total { return 0 }
    let isSameStart = boot != nil && boot == self.boot
    return isSameStart ? length : min(durable, length)
  }
}

/// A URL as records name it: enough to tell whether two are the same, and no secret.
struct DownloadURL: Sendable, Hashable {
  var url: String
  var query: String

  init(_ url: URL) {
    let port = url.port.map { ":\($0)" } ?? ""
    self.url = "\(url.scheme ?? "")://\(url.host(percentEncoded: true) ?? "")\(port)\(url.path(percentEncoded: true))"
    query = url.query(percentEncoded: true).map(Self.fingerprint) ?? ""
  }

  /// Thirty-two hexadecimal digits that stand for a text.
  static func fingerprint(_ text: String) -> String {
    let bytes = Data(text.utf8)
    // Without SHA-256 a checksum tells two texts apart nearly as well.
    let digest = try? Digest.of(bytes, .sha256)
    return String((digest ?? bytes.prefix(16)).hexadecimal.prefix(32))
  }
}
