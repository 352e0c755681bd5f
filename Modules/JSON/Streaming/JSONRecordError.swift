import CurlewCore
import CurlewSerialization
public import FoundationEssentials

/// An invalid record in a stream of JSON texts, and its position.
public struct JSONRecordError: Error, Sendable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// The record has more bytes than ``JSONRecordOptions/maximumRecordBytes``.
    public static let tooLong = Kind(reason: "the record is longer than allowed (JSONRecordOptions.maximumRecordBytes)")
    /// The record contains only white space, which the options reject.
    public static let blank = Kind(reason: "the record is blank")
    /// The end of the record may be missing.
    ///
    /// A number or word is not followed by white space (RFC 7464 §2.4).
    public static let truncated = Kind(
      reason: "the record may be cut off: expected white space after its number or word")
    /// Something precedes the first RS of a text sequence.
    public static let missingSeparator = Kind(reason: "the record does not start with a record separator (U+001E)")
    /// The record is not JSON, or not of the requested type.
    ///
    /// See ``JSONRecordError/underlyingError``.
    public static let invalid = Kind(reason: "the record is invalid")
  }

  /// The class of the failure.
  public let kind: Kind

  /// How the stream is framed.
  public let framing: JSONFraming

  /// The number of the line (JSON Lines) or record (text sequence), from 1.
  public let number: Int

  /// The offset of the record's first byte in the stream, from 0.
  public let offset: Int

  /// The ``JSONError`` or `DecodingError` of an ``Kind/invalid`` record; else nil.
  public let underlyingError: (any Error)?

  /// The column, from 1, where a line is not JSON; else nil.
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
  /// The line or record and the reason, without any part of the stream.
  public var description: String {
    switch (framing, underlyingError) {
    case (.lines, let error as JSONError): "line \(number), column \(error.column): \(error.reason)"
    case (.textSequence, let error as JSONError): "record \(number), \(error)"
    case (.lines, let error?): "line \(number): \(NetworkError.reason(error))"
    case (.textSequence, let error?): "record \(number): \(NetworkError.reason(error))"
    case (.lines, nil): "line \(number): \(kind.reason)"
    case (.textSequence, nil): "record \(number): \(kind.reason)"
    }
  }
}

extension JSONRecordError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
