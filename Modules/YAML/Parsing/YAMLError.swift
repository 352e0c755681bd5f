/// Why bytes are no YAML, or none that the options allow, and where.
public struct YAMLError: Error, Sendable, Hashable {
  /// The class of a failure. More may be added.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// There is no document, where one is needed.
    public static let empty = Kind(reason: "there is no document")
    /// There is a second document, where one is allowed.
    public static let moreThanOneDocument = Kind(reason: "only one document is expected, and here a second one starts")
    /// The text breaks YAML's grammar; ``YAMLError/description`` says how.
    public static let syntax = Kind(reason: "this is no YAML")
    /// Bytes are ill-formed in their encoding.
    public static let invalidEncoding = Kind(reason: "these bytes are not in the encoding of the text")
    /// A mapping has a key twice.
    public static let duplicateKey = Kind(reason: "the mapping has this key already")
    /// An alias names an anchor that does not stand before it.
    public static let unknownAnchor = Kind(reason: "no anchor of this name stands before the alias")
    /// An alias stands within the node that it refers to.
    public static let recursiveAlias = Kind(reason: "the alias refers to what it is a part of")
    /// A scalar is not what its tag says, or a tag belongs to another kind of node.
    public static let tagMismatch = Kind(reason: "the tag does not fit what it stands before")
    /// What `<<` merges is neither a mapping nor a sequence of mappings.
    public static let invalidMerge = Kind(reason: "only a mapping or a sequence of mappings can be merged")
    /// More sequences and mappings are open than the options allow, aliases followed.
    public static let tooDeep = Kind(reason: "the value is nested deeper than allowed")
    /// The text has more bytes than the options allow.
    public static let tooManyBytes = Kind(reason: "the text is larger than allowed")
    /// There are more aliases than the options allow.
    public static let tooManyAliases = Kind(reason: "there are more aliases than allowed")
    /// Aliases and merges add more nodes than the options allow.
    public static let tooManyExpandedNodes = Kind(reason: "aliases make the value larger than allowed")
    /// A number has more bytes than the options allow.
    public static let numberTooLong = Kind(reason: "the number is longer than allowed")
    /// There are more tag directives than anyone needs: 1,000.
    public static let tooManyDirectives = Kind(reason: "there are more tag directives than allowed")
    /// There is not enough memory.
    public static let outOfMemory = Kind(reason: "there is not enough memory")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The line, from 1. Lines end with LF, CR LF or CR.
  public let line: Int

  /// The column, from 1, in Unicode scalars. A byte order mark takes none.
  public let column: Int

  /// What is wrong, in words; no part of the text.
  public let reason: String

  init(_ kind: Kind, at mark: Mark, reason: String? = nil) {
    self.kind = kind
    self.reason = reason ?? kind.reason
    line = mark.line + 1
    column = mark.column + 1
  }
}

extension YAMLError: CustomStringConvertible {
  /// Line, column and reason in one sentence; no part of the text.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension YAMLError.Kind: CustomStringConvertible {
  /// The reason in words.
  public var description: String { reason }
}

/// A place in the text, from zero.
struct Mark: Equatable, Sendable {
  var line = 0
  var column = 0
  /// In characters.
  var index = 0
}
