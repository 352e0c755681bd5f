public import FoundationEssentials

/// A violation of XML's rules or of a limit, and its position.
public struct XMLError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let name: String

    /// The document is empty or contains only white space.
    public static let empty = Kind(name: "empty")
    /// A rule of XML 1.0 is violated.
    public static let malformed = Kind(name: "malformed")
    /// The document ends before its outermost element is complete.
    public static let truncated = Kind(name: "truncated")
    /// A rule of Namespaces in XML 1.0 is violated.
    public static let namespace = Kind(name: "namespace")
    /// The encoding is unsupported or not the declared one, or the bytes violate it.
    public static let encoding = Kind(name: "encoding")
    /// The document refers to an entity that it does not declare.
    public static let undeclaredEntity = Kind(name: "undeclaredEntity")
    /// The document refers to an external entity; those are never loaded.
    public static let externalEntity = Kind(name: "externalEntity")
    /// Entities, defaulted attributes and long namespace names add too much.
    ///
    /// See ``XMLParsingOptions/maximumExpansionBytes``.
    public static let expansion = Kind(name: "expansion")
    /// Elements are nested deeper than the options allow.
    public static let tooDeep = Kind(name: "tooDeep")
    /// The document, or one token in it, has more bytes than allowed.
    public static let tooLarge = Kind(name: "tooLarge")
    /// An element has more attributes than the options allow.
    public static let tooManyAttributes = Kind(name: "tooManyAttributes")
    /// More namespace declarations are in scope at one element than the options allow.
    public static let tooManyNamespaces = Kind(name: "tooManyNamespaces")
    /// The document has more nodes than the options allow.
    public static let tooManyNodes = Kind(name: "tooManyNodes")
    /// The system has no memory left.
    public static let outOfMemory = Kind(name: "outOfMemory")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The line, from 1; inside an entity, the line of the reference.
  public let line: Int

  /// The column, from 1.
  public let column: Int

  /// A phrase that says what is wrong; it may contain names from the document.
  public let reason: String

  init(_ kind: Kind, line: Int, column: Int, _ reason: String) {
    self.kind = kind
    self.line = line
    self.column = column
    self.reason = reason
  }
}

extension XMLError: CustomStringConvertible {
  /// The line, the column and the reason in one sentence.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension XMLError.Kind: CustomStringConvertible {
  /// The name of the kind.
  public var description: String { name }
}

extension XMLError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
