public import FoundationEssentials

/// A violation of YAML's syntax or of a limit, and its position.
public struct YAMLError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// There is no document, and one is required.
    public static let empty = Kind(reason: "the text is empty or has only comments; expected a document")
    /// There is a second document, and only one is allowed.
    public static let moreThanOneDocument = Kind(reason: "a second document starts here; only one is allowed")
    /// The text violates YAML's grammar; ``YAMLError/description`` says how.
    public static let syntax = Kind(reason: "the text is not valid YAML")
    /// The bytes are ill-formed in the text's encoding.
    public static let invalidEncoding = Kind(reason: "found bytes that are ill-formed in the text's encoding")
    /// A mapping has a duplicate key.
    public static let duplicateKey = Kind(reason: "the mapping already has this key")
    /// An alias names an anchor that is not defined before it.
    public static let unknownAnchor = Kind(reason: "no anchor with the alias's name is defined before it")
    /// An alias is part of the node that it refers to.
    public static let recursiveAlias = Kind(reason: "the alias refers to the node that it is part of")
    /// A scalar does not have its tag's form, or the tag is for another kind of node.
    public static let tagMismatch = Kind(reason: "the value does not have the form that its tag names")
    /// The value of a merge key `<<` is neither a mapping nor a sequence of mappings.
    public static let invalidMerge = Kind(
      reason: "the value of the merge key << must be a mapping or a sequence of mappings")
    /// Collections are nested deeper than the options allow, with aliases expanded.
    public static let tooDeep = Kind(
      reason: "the value is nested deeper than allowed (YAMLParsingOptions.maximumDepth)")
    /// The text has more bytes than the options allow.
    public static let tooManyBytes = Kind(reason: "the text is larger than allowed (YAMLParsingOptions.maximumBytes)")
    /// There are more aliases than the options allow.
    public static let tooManyAliases = Kind(
      reason: "there are more aliases than allowed (YAMLParsingOptions.maximumAliases)")
    /// Aliases and merges add more nodes than the options allow.
    public static let tooManyExpandedNodes = Kind(
      reason: "aliases make the value larger than allowed (YAMLParsingOptions.maximumExpandedNodes)")
    /// Aliases add more bytes of scalars and tags than the options allow.
    public static let tooManyExpandedBytes = Kind(
      reason: "aliases repeat more text than allowed (YAMLParsingOptions.maximumExpandedBytes)")
    /// A key or a tag has more than 1,024 combining marks in a row, so that comparing it would take very long.
    public static let tooManyMarks = Kind(reason: "the key or tag has more than 1,024 combining marks in a row")
    /// A number has more bytes than the options allow.
    public static let numberTooLong = Kind(
      reason: "the number is longer than allowed (YAMLParsingOptions.maximumNumberBytes)")
    /// There are more than 1,000 tag directives.
    public static let tooManyDirectives = Kind(reason: "there are more than 1,000 tag directives")
    /// There is not enough memory.
    public static let outOfMemory = Kind(reason: "there is not enough memory")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The line, from 1. Lines end with LF, CR LF or CR.
  public let line: Int

  /// The column, from 1, in Unicode scalars. A byte order mark takes none.
  public let column: Int

  /// A phrase that says what is wrong, without any part of the text.
  public let reason: String

  init(_ kind: Kind, at mark: Mark, reason: String? = nil) {
    self.kind = kind
    self.reason = reason ?? kind.reason
    line = mark.line + 1
    column = mark.column + 1
  }
}

extension YAMLError: CustomStringConvertible {
  /// The line, the column and the reason; it contains no part of the text.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension YAMLError.Kind: CustomStringConvertible {
  /// The reason as a phrase.
  public var description: String { reason }
}

/// A position in the text, counted from zero.
struct Mark: Equatable, Sendable {
  var line = 0
  var column = 0
  /// The position in characters.
  var index = 0
}

extension YAMLError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
