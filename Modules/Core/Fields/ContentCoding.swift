public import HTTPTypes

/// A content coding: how a server packed the bytes of a representation (RFC 9110 §8.4.1).
///
/// Names are compared without regard to case, and `x-gzip` is `gzip`. Any token makes a coding; whether it can be undone
/// is the decoder's matter.
///
/// ```swift
/// ContentCoding.applied(in: response.head.headerFields)  // [.gzip]
/// ```
public struct ContentCoding: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The name as the IANA registry has it, in lower case.
  public let rawValue: String

  /// Creates a coding of its name, in any case.
  ///
  /// `x-gzip` makes `gzip` (RFC 9110 §8.4.1.3).
  public init(rawValue: String) {
    let name = rawValue.lowercased()
    self.rawValue = name == "x-gzip" ? "gzip" : name
  }

  /// gzip (RFC 1952).
  public static let gzip = ContentCoding(rawValue: "gzip")
  /// The zlib format around deflate (RFC 1950, RFC 1951).
  public static let deflate = ContentCoding(rawValue: "deflate")
  /// Brotli (RFC 7932).
  public static let brotli = ContentCoding(rawValue: "br")
  /// Zstandard (RFC 8878), with a window of at most 8 MB (RFC 9659).
  public static let zstd = ContentCoding(rawValue: "zstd")

  /// The name.
  public var description: String { rawValue }

  /// Returns the codings that `Content-Encoding` names, in the order in which they were applied.
  ///
  /// `identity`, which changes nothing, and empty elements are left out. Empty without the field.
  public static func applied(in fields: HTTPFields) -> [ContentCoding] {
    guard fields.has(.contentEncoding) else { return [] }
    return FieldList(lines: fields[values: .contentEncoding]).compactMap { element in
      let coding = ContentCoding(rawValue: String(element))
      return coding.rawValue == "identity" ? nil : coding
    }
  }

  /// What `Accept-Encoding` says where every coding that has a decoder is offered.
  package static let everyOffer = "gzip, deflate, br, zstd"
}

/// What was undone of the content coding of a response, so that its body is the plain content.
public struct UndoneCoding: Sendable, Hashable {
  /// The codings that were undone, in the order in which the server applied them.
  ///
  /// Never empty.
  public var codings: [ContentCoding]
  /// The announced length of the coded content in bytes.
  ///
  /// Nil where none was announced.
  public var codedLength: Int64?

  /// Creates a record.
  public init(_ codings: [ContentCoding], codedLength: Int64? = nil) {
    self.codings = codings
    self.codedLength = codedLength
  }
}
