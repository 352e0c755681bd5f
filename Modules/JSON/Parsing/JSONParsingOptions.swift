/// What a JSON parser accepts and how much of it.
public struct JSONParsingOptions: Sendable, Hashable {
  /// What becomes of an object that has a name more than once.
  public enum DuplicateNames: Sendable, Hashable {
    /// The last value wins and takes the place of the first, as in JavaScript and Python.
    case keepLast
    /// The first value wins.
    case keepFirst
    /// The document is refused with ``JSONError/Kind/duplicateName``.
    case refuse
    /// All members are kept, in source order.
    case keepAll
  }

  /// What becomes of a `\u` escape that names half of a surrogate pair.
  public enum LoneSurrogates: Sendable, Hashable {
    /// The document is refused with ``JSONError/Kind/loneSurrogate``.
    case refuse
    /// U+FFFD takes its place.
    case replace
  }

  /// The greatest depth that ``maximumDepth`` can be set to: what a thread's stack can release again.
  public static let greatestDepth = 4096

  /// How many arrays and objects may be open at once, from 0 to ``greatestDepth``; 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 0), Self.greatestDepth) }
  }
  private var depth = 512

  /// How many bytes a document may have; 256 MiB by default.
  public var maximumBytes = 256 << 20

  /// How many bytes a string or a name may have between its quotes, as written; as many as the document by default.
  public var maximumStringBytes = Int.max

  /// How many bytes a number may have; 4096 by default.
  public var maximumNumberBytes = 4096

  /// What becomes of an object that has a name more than once; the last value wins by default.
  public var duplicateNames = DuplicateNames.keepLast

  /// What becomes of a `\u` escape that names half of a surrogate pair; the document is refused by default.
  public var loneSurrogates = LoneSurrogates.refuse

  /// Whether a UTF-8 byte order mark may start the document; it is skipped (RFC 8259 §8.1). True by default.
  public var allowsByteOrderMark = true

  /// The defaults: what RFC 8259 asks for.
  public init() {}
}
