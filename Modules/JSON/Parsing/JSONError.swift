public import FoundationEssentials

/// A violation of JSON's syntax or of a limit, and its position.
public struct JSONError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// The document is empty or contains only white space.
    public static let empty = Kind(reason: "the document is empty; expected a JSON value")
    /// The document ends in the middle of its value.
    public static let unexpectedEnd = Kind(reason: "the document ends before its value is complete")
    /// A character is not allowed at its position; ``JSONError/reason`` says which are.
    public static let unexpectedCharacter = Kind(reason: "unexpected character")
    /// Something follows the document's value.
    public static let trailingContent = Kind(reason: "expected the end of the document after its value")
    /// A number violates the grammar of RFC 8259 §6.
    public static let invalidNumber = Kind(
      reason: "not a valid number; expected digits without a leading zero, then perhaps a fraction and an exponent")
    /// A backslash in a string does not begin an escape sequence.
    public static let invalidEscape = Kind(
      reason: #"not a valid escape sequence; expected one of \" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits"#
    )
    /// An escape contains half of a surrogate pair.
    public static let loneSurrogate = Kind(
      reason: "the escape is one half of a surrogate pair, and the other half is missing")
    /// A control character in a string is not escaped.
    public static let controlCharacter = Kind(
      reason: "found a control character in a string; it must be escaped")
    /// A string is not UTF-8.
    public static let invalidUTF8 = Kind(reason: "found bytes that are not UTF-8")
    /// An object has a duplicate name, which the options reject.
    public static let duplicateName = Kind(reason: "the object already has a member with this name")
    /// The document starts with a byte order mark, which the options reject.
    public static let byteOrderMark = Kind(reason: "a byte order mark is not allowed")
    /// Arrays and objects are nested deeper than the options allow.
    public static let tooDeep = Kind(
      reason: "the value is nested deeper than allowed (JSONParsingOptions.maximumDepth)")
    /// The document has more bytes than the options allow.
    public static let tooManyBytes = Kind(
      reason: "the document is larger than allowed (JSONParsingOptions.maximumBytes)")
    /// A string has more bytes than the options allow.
    public static let stringTooLong = Kind(
      reason: "the string is longer than allowed (JSONParsingOptions.maximumStringBytes)")
    /// The name of a member has more than 1,024 combining marks in a row, so that comparing it would take very long.
    public static let tooManyMarks = Kind(reason: "the name has more than 1,024 combining marks in a row")
    /// A number has more bytes than the options allow.
    public static let numberTooLong = Kind(
      reason: "the number is longer than allowed (JSONParsingOptions.maximumNumberBytes)")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The offset of the offending byte, from 0.
  ///
  /// The document's length if it ends early.
  public let offset: Int

  /// The line, from 1. Lines end with LF, CR LF or CR.
  public let line: Int

  /// The column, from 1, in Unicode scalars. A byte order mark takes none.
  public let column: Int

  /// A phrase that says what is wrong.
  ///
  /// It quotes at most one character of the document.
  public let reason: String

  init(_ failure: ParseFailure, in bytes: UnsafeRawBufferPointer) {
    let position = SourcePosition(offset: failure.offset, in: bytes)
    kind = failure.kind
    if let expected = failure.expected {
      reason = "expected \(expected), found \(Self.character(at: failure.offset, in: bytes))"
    } else {
      reason = failure.kind.reason
    }
    offset = failure.offset
    line = position.line
    column = position.column
  }
}

extension JSONError {
  /// Returns a printable name for the character at an offset.
  private static func character(at offset: Int, in bytes: UnsafeRawBufferPointer) -> String {
    guard offset < bytes.count else { return "the end" }
    let byte = bytes[offset]
    if byte > 0x20, byte < 0x7F { return "`\(Character(Unicode.Scalar(byte)))`" }
    guard
      let scalar = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    else { return "the end" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension JSONError: CustomStringConvertible {
  /// The line, the column and the reason in one sentence.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError.Kind: CustomStringConvertible {
  /// The reason as a phrase.
  public var description: String { reason }
}

/// A failure inside the parser, before its line is counted.
struct ParseFailure: Error {
  let kind: JSONError.Kind
  let offset: Int
  /// What JSON allows at the position, for the message.
  var expected: StaticString?
}

extension JSONError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

/// The line and column of an offset, both from 1.
struct SourcePosition: Equatable {
  private(set) var line = 1
  private(set) var column = 1

  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    var lineStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let offset = min(max(offset, 0), bytes.count)
    var position = 0
    while position < offset {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if byte == UInt8(ascii: "\r"), position < offset, bytes[position] == UInt8(ascii: "\n") { position += 1 }
        line += 1
        lineStart = position
      }
    }
    guard lineStart < offset else { return }
    for byte in bytes[lineStart..<offset] where byte & 0xC0 != 0x80 { column += 1 }
  }
}
