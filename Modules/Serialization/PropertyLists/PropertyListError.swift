public import FoundationEssentials

/// An invalid property list, or a value that a property list cannot hold.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The class of a failure; later versions may add more.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The sentence that identifies the kind and is the default reason.
    public var rawValue: String
    /// Creates a kind from its sentence.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// The bytes are neither an XML nor a binary property list.
    public static let unrecognized = Kind(rawValue: "it is neither an XML nor a binary property list")
    /// A rule of the format is violated.
    public static let malformed = Kind(rawValue: "it violates the format's rules")
    /// The XML list declares an unsupported encoding, or its bytes are invalid in it.
    public static let encoding = Kind(rawValue: "its encoding is not supported, or its bytes are not in that encoding")
    /// The bytes end before the list does.
    public static let truncated = Kind(rawValue: "it ends before the list is complete")
    /// The list exceeds the limits for bytes or values.
    public static let tooLarge = Kind(rawValue: "it is larger than allowed")
    /// The list is nested deeper than the limits allow.
    public static let tooDeep = Kind(rawValue: "it is nested deeper than allowed")
    /// The format cannot hold the value.
    public static let unrepresentable = Kind(rawValue: "the format cannot hold one of the values")
  }

  /// The class of the failure.
  public let kind: Kind
  /// The offset of the error in bytes, from 0; 0 for an error of writing.
  ///
  /// In an XML list it counts the bytes of the text in UTF-8.
  public let offset: Int
  /// A phrase that says what is wrong, without any value of the list.
  public let reason: String
  /// The line in an XML list, from 1; nil for a binary list and for writing.
  public private(set) var line: Int?
  /// The column in an XML list, from 1, in Unicode scalars.
  ///
  /// Nil for a binary list and for writing.
  public private(set) var column: Int?
  /// The names and indices that lead to a value that cannot be written, the outermost first; empty for reading.
  public private(set) var path: [String] = []

  init(_ kind: Kind, at offset: Int = 0, _ reason: String? = nil) {
    self.kind = kind
    self.offset = offset
    self.reason = reason ?? kind.rawValue
  }

  /// Returns the error of writing for a value inside a container.
  func inside(_ name: String) -> PropertyListError {
    var error = self
    error.path.insert(name, at: 0)
    return error
  }

  /// Returns the error with the line and column of its offset.
  func located(in text: [UInt8]) -> PropertyListError {
    var error = PropertyListError(kind, at: min(offset, text.count), reason)
    let before = text[..<error.offset]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    error.line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    error.column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
    return error
  }

  /// The position and the reason, without any value of the list; a long path is shortened.
  public var description: String {
    guard path.isEmpty else { return "property list, at \(path.prefix(8).joined(separator: ".")): \(reason)" }
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    return kind == .unrepresentable ? "property list: \(reason)" : "at byte \(offset) of the property list: \(reason)"
  }
}

extension PropertyListError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
