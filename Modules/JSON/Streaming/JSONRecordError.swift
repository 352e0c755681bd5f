/// Why a record of a stream of JSON texts cannot be used, and which one it is.
public struct JSONRecordError: Error, Sendable {
  /// The class of a failure. More may be added.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// The record has more bytes than ``JSONRecordOptions/maximumRecordBytes``.
    public static let tooLong = Kind(reason: "the record is longer than allowed")
    /// The record holds only white space, which the options refuse.
    public static let blank = Kind(reason: "the record is blank")
    /// The record may have lost its end: a number or word has no white space behind it (RFC 7464 §2.4).
    public static let truncated = Kind(reason: "the record may be cut off")
    /// Something comes before the first RS of a text sequence.
    public static let missingSeparator = Kind(reason: "the record does not start with a record separator")
    /// The record is no JSON or not of the type asked for; see ``JSONRecordError/underlyingError``.
    public static let invalid = Kind(reason: "the record is invalid")
  }

  /// The class of the failure.
  public let kind: Kind

  /// How the stream is framed.
  public let framing: JSONFraming

  /// In JSON Lines the number of the line; in a text sequence that of the record; from 1.
  public let number: Int

  /// The offset of the record's first byte in the stream, from 0.
  public let offset: Int

  /// For ``Kind/invalid`` the reason: a ``JSONError`` or a `DecodingError`; else nil.
  public let underlyingError: (any Error)?

  /// The column in the line, from 1, when the record of JSON Lines is no JSON; else nil.
  public var column: Int? { framing == .lines ? (underlyingError as? JSONError)?.column : nil }

  init(_ kind: Kind, framing: JSONFraming, number: Int, offset: Int, underlyingError: (any Error)? = nil) {
    self.kind = kind
    self.framing = framing
    self.number = number
    self.offset = offset
    self.underlyingError = underlyingError
  }
}

extension JSONRecordError: CustomStringConvertible {
  /// Line or record and the reason in one sentence; no part of the stream.
  public var description: String {
    switch (framing, underlyingError) {
    case (.lines, let error as JSONError): "line \(number), column \(error.column): \(error.kind)"
    case (.textSequence, let error as JSONError): "record \(number), \(error)"
    case (.lines, let error?): "line \(number): \(error)"
    case (.textSequence, let error?): "record \(number): \(error)"
    case (.lines, nil): "line \(number): \(kind.reason)"
    case (.textSequence, nil): "record \(number): \(kind.reason)"
    }
  }
}
