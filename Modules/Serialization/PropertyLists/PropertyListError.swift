/// Bytes that are no property list, or a value that none can hold.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong. More kinds may come.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It is neither XML nor binary.
    public static let unrecognized = Kind(rawValue: "it is neither an XML nor a binary property list")
    /// It breaks the format's rules.
    public static let malformed = Kind(rawValue: "it breaks the format's rules")
    /// It ends too early.
    public static let truncated = Kind(rawValue: "it ends too early")
    /// It is larger, or holds more values, than allowed.
    public static let tooLarge = Kind(rawValue: "it is larger than allowed")
    /// It is nested deeper than allowed.
    public static let tooDeep = Kind(rawValue: "it is nested deeper than allowed")
    /// The format cannot hold the value.
    public static let unrepresentable = Kind(rawValue: "the format cannot hold a value of it")
  }

  /// What is wrong.
  public let kind: Kind
  /// The byte where it was found, from 0, of XML as UTF-8; 0 when it is written.
  public let offset: Int
  /// The line of an XML list, from 1; nil for a binary one, and when it is written.
  public private(set) var line: Int?
  /// The column of an XML list, from 1, in Unicode scalars; nil like the line.
  public private(set) var column: Int?

  init(_ kind: Kind, at offset: Int = 0) {
    self.kind = kind
    self.offset = offset
  }

  /// The same error with line and column of its offset.
  func located(in text: [UInt8]) -> PropertyListError {
    var error = PropertyListError(kind, at: min(offset, text.count))
    let before = text[..<error.offset]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    error.line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    error.column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
    return error
  }

  /// Place and reason in one sentence; no part of the list.
  public var description: String {
    guard let line, let column else { return "at byte \(offset) of the property list: \(kind.rawValue)" }
    return "line \(line), column \(column): \(kind.rawValue)"
  }
}
