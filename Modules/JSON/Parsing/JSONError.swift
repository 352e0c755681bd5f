/// Why bytes are no JSON document, and where.
public struct JSONError: Error, Sendable, Hashable {
  /// The class of a failure. More may be added.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// There is nothing, or only white space.
    public static let empty = Kind(reason: "there is no JSON value")
    /// The document ends in the middle.
    public static let unexpectedEnd = Kind(reason: "the document ends too early")
    /// A character is not what can stand there.
    public static let unexpectedCharacter = Kind(reason: "this character cannot stand here")
    /// Something follows the document's value.
    public static let trailingContent = Kind(reason: "something follows the end of the value")
    /// A number is not spelled as RFC 8259 §6 has it.
    public static let invalidNumber = Kind(reason: "this is not how a number is written")
    /// A backslash in a string is followed by something else than an escape.
    public static let invalidEscape = Kind(reason: "this is no escape sequence")
    /// An escape names half of a surrogate pair.
    public static let loneSurrogate = Kind(reason: "this escape is half of a surrogate pair")
    /// A control character in a string is not escaped.
    public static let controlCharacter = Kind(reason: "a control character in a string has to be escaped")
    /// A string is not UTF-8.
    public static let invalidUTF8 = Kind(reason: "these bytes are not UTF-8")
    /// An object has a name twice, which the options refuse.
    public static let duplicateName = Kind(reason: "the object has a member of this name already")
    /// A byte order mark starts the document, which the options refuse.
    public static let byteOrderMark = Kind(reason: "a byte order mark is not allowed")
    /// More arrays and objects are open than the options allow.
    public static let tooDeep = Kind(reason: "the value is nested deeper than allowed")
    /// The document has more bytes than the options allow.
    public static let tooManyBytes = Kind(reason: "the document is larger than allowed")
    /// A string has more bytes than the options allow.
    public static let stringTooLong = Kind(reason: "the string is longer than allowed")
    /// A number has more bytes than the options allow.
    public static let numberTooLong = Kind(reason: "the number is longer than allowed")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The offset of the offending byte from the start of the document, from 0; its length when it ends too early.
  public let offset: Int

  /// The line, from 1. Lines end with LF, CR LF or CR.
  public let line: Int

  /// The column, from 1, in Unicode scalars. A byte order mark takes none.
  public let column: Int

  init(_ failure: ParseFailure, in bytes: UnsafeRawBufferPointer) {
    let position = SourcePosition(offset: failure.offset, in: bytes)
    kind = failure.kind
    offset = failure.offset
    line = position.line
    column = position.column
  }
}

extension JSONError: CustomStringConvertible {
  /// Line, column and reason in one sentence; no part of the document.
  public var description: String { "line \(line), column \(column): \(kind.reason)" }
}

extension JSONError.Kind: CustomStringConvertible {
  /// The reason in words.
  public var description: String { reason }
}

/// A failure inside the parser, its line not yet counted.
struct ParseFailure: Error {
  let kind: JSONError.Kind
  let offset: Int
}
