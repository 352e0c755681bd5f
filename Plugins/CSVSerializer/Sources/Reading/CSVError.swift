public import FoundationEssentials

/// A violation of the syntax of RFC 4180 or of a limit, or a field of the wrong type, with its position.
public struct CSVError: Error, Sendable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// A quoted field has no closing quote.
    public static let unterminatedQuote = Kind(reason: "the text ends in a quoted field; expected a closing `\"`")
    /// A quote stands inside a field that does not begin with one.
    public static let quoteInPlainField = Kind(
      reason: "found `\"` in a field without quotes; enclose the field in quotes and double the ones inside it")
    /// Something other than a delimiter or the end of the line follows a closing quote.
    public static let textAfterQuote = Kind(
      reason: "found text after a closing quote; expected a delimiter or the end of the line")
    /// A CR outside quotes is not followed by LF.
    public static let loneCarriageReturn = Kind(
      reason: "found a carriage return without a line feed after it; enclose the field in quotes")
    /// A field is not UTF-8.
    public static let invalidUTF8 = Kind(reason: "found bytes that are not UTF-8")
    /// The record has another number of fields than the first one.
    public static let unequalRecord = Kind(reason: "the record has another number of fields than the first one")
    /// Two columns have the same name.
    public static let duplicateColumn = Kind(reason: "two columns have the same name")
    /// The name of a column has more than 1,024 combining marks in a row, so that comparing it would take very long.
    public static let tooManyMarks = Kind(reason: "the name of the column has more than 1,024 combining marks in a row")
    /// The record has more bytes than ``CSVOptions/maximumRecordBytes``.
    public static let recordTooLong = Kind(reason: "the record is longer than allowed")
    /// The record has more fields than ``CSVOptions/maximumFields``.
    public static let tooManyFields = Kind(reason: "the record has more fields than allowed")
    /// The table has more fields than ``CSVOptions/maximumTableFields``.
    public static let tableTooLarge = Kind(reason: "the table has more fields than allowed")
    /// A field does not have the requested type; see ``CSVError/underlyingError``.
    public static let invalidValue = Kind(reason: "the field does not have the requested type")
  }

  /// The class of the failure.
  public let kind: Kind
  /// The place in the text.
  public let position: CSVPosition
  /// The `DecodingError` of an ``Kind/invalidValue``; else nil.
  public let underlyingError: DecodingError?

  init(_ kind: Kind, at position: CSVPosition, underlyingError: DecodingError? = nil) {
    self.kind = kind
    self.position = position
    self.underlyingError = underlyingError
  }

  /// The line, from 1.
  public var line: Int { position.line }
  /// The column, from 1, in Unicode scalars.
  public var column: Int { position.column }
}

extension CSVError: CustomStringConvertible {
  /// The line, the column and the reason in one sentence, without any part of the text.
  public var description: String {
    let reason =
      switch underlyingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context.debugDescription
      default: kind.reason
      }
    return "line \(line), column \(column): \(reason)"
  }
}

/// A place in a text.
public struct CSVPosition: Sendable, Hashable {
  /// The line, from 1; each LF ends one, also inside quotes.
  public var line = 1
  /// The column, from 1, in Unicode scalars; a byte order mark takes none.
  public var column = 1
}

extension CSVError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
