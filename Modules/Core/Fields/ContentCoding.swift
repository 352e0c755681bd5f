public import HTTPTypes

/// A content coding, such as a compression format (RFC 9110 §8.4.1).
///
/// Names are compared without regard to case, and `x-gzip` equals `gzip`. Any token is a coding; the decoder decides whether
/// it supports it.
///
/// ```swift
/// ContentCoding.applied(in: response.head.headerFields)  // [.gzip]
/// ```
public struct ContentCoding: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The name in the IANA registry, in lower case.
  public let rawValue: String

  /// Creates a coding from its name, in any case.
  ///
  /// `x-gzip` becomes `gzip` (RFC 9110 §8.4.1.3).
  public init(rawValue: String) {
    let name = rawValue.lowercased()
    self.rawValue = name == "x-gzip" ? "gzip" : name
  }

  /// gzip (RFC 1952).
  public static let gzip = ContentCoding(rawValue: "gzip")
  /// The zlib format with deflate (RFC 1950, RFC 1951).
  public static let deflate = ContentCoding(rawValue: "deflate")
  /// Brotli (RFC 7932).
  public static let brotli = ContentCoding(rawValue: "br")
  /// Zstandard (RFC 8878), with a window of at most 8 MB (RFC 9659).
  public static let zstd = ContentCoding(rawValue: "zstd")

  /// The name.
  public var description: String { rawValue }

  /// Returns the codings in `Content-Encoding`, in the order of their application.
  ///
  /// `identity`, which changes nothing, and empty elements are omitted. The result is empty without the field.
  public static func applied(in fields: HTTPFields) -> [ContentCoding] {
    guard fields.has(.contentEncoding) else { return [] }
    return FieldList(lines: fields[values: .contentEncoding]).compactMap { element in
      let coding = ContentCoding(rawValue: String(element))
      return coding.rawValue == "identity" ? nil : coding
    }
  }

  /// The value of `Accept-Encoding` that offers every coding with a decoder.
  package static let everyOffer = "gzip, deflate, br, zstd"
}

/// A record of the content codings that were decoded.
///
/// The body of its response contains plain content.
public struct UndoneCoding: Sendable, Hashable {
  /// The decoded codings in the order in which the server applied them.
  ///
  /// Never empty.
  public var codings: [ContentCoding]
  /// The announced length of the coded content in bytes; nil if unknown.
  public var codedLength: Int64?

  /// Creates a record.
  public init(_ codings: [ContentCoding], codedLength: Int64? = nil) {
    self.codings = codings
    self.codedLength = codedLength
  }
}
