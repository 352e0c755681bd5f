public import FoundationEssentials

extension JSONValue {
  /// Parses a JSON document (RFC 8259) strictly.
  ///
  /// - Throws: ``JSONError`` with kind, offset, line and column when the bytes are not a JSON document or exceed a
  ///   limit of `options`. No input traps, and memory stays within a fixed multiple of the input's size.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: JSONParsingOptions = JSONParsingOptions()
  ) throws(JSONError) {
    do {
      self = try DocumentParser.parse(bytes, options: options)
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Parses a JSON document in a `Data`.
  ///
  /// See ``init(parsing:options:)-(UnsafeRawBufferPointer,_)``.
  public init(parsing data: Data, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try data.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Parses a JSON document in an array of bytes.
  public init(parsing bytes: [UInt8], options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    self = try bytes.withUnsafeBytes { bytes in Self.result(bytes, options) }.get()
  }

  /// Parses a JSON document in a string.
  public init(parsing text: String, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError) {
    var text = text
    self = try text.withUTF8 { bytes in Self.result(UnsafeRawBufferPointer(bytes), options) }.get()
  }

  private static func result(
    _ bytes: UnsafeRawBufferPointer, _ options: JSONParsingOptions
  ) -> Result<JSONValue, JSONError> {
    do throws(JSONError) {
      return .success(try JSONValue(parsing: bytes, options: options))
    } catch {
      return .failure(error)
    }
  }
}

/// What a JSON parser accepts, and the limits it enforces.
public struct JSONParsingOptions: Sendable, Hashable {
  /// How an object with duplicate names is handled.
  public enum DuplicateNames: Sendable, Hashable {
    /// The last value takes the place of the first, as in JavaScript and Python.
    case keepLast
    /// The first value is kept.
    case keepFirst
    /// The document is rejected with ``JSONError/Kind/duplicateName``.
    case refuse
    /// All members are kept, in source order.
    case keepAll
  }

  /// How a `\u` escape with half of a surrogate pair is handled.
  public enum LoneSurrogates: Sendable, Hashable {
    /// The document is rejected with ``JSONError/Kind/loneSurrogate``.
    case refuse
    /// The half is replaced by U+FFFD.
    case replace
  }

  /// The largest value of ``maximumDepth``.
  ///
  /// Destroying a value recurses; this depth fits on a thread's stack.
  public static let greatestDepth = 4096

  /// The deepest nesting of arrays and objects, 0 to ``greatestDepth``.
  ///
  /// 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 0), Self.greatestDepth) }
  }
  private var depth = 512

  /// The maximum size of a document in bytes; 256 MiB by default.
  public var maximumBytes = 256 << 20

  /// The maximum size of a string or name in bytes, as written; no limit by default.
  public var maximumStringBytes = Int.max

  /// The maximum length of a number in bytes; 4096 by default.
  public var maximumNumberBytes = 4096

  /// How an object with duplicate names is handled; the last value wins by default.
  public var duplicateNames = DuplicateNames.keepLast

  /// How half of a surrogate pair is handled; the document is rejected by default.
  public var loneSurrogates = LoneSurrogates.refuse

  /// Whether a UTF-8 byte order mark is skipped (RFC 8259 §8.1); true by default.
  public var allowsByteOrderMark = true

  /// Creates the default options, which follow RFC 8259.
  public init() {}
}
