/// Why bytes are no XML document that can be trusted, and where.
public struct XMLError: Error, Sendable, Hashable {
  /// The class of a failure. More may be added.
  public struct Kind: Sendable, Hashable {
    let name: String

    /// There is nothing, or only white space.
    public static let empty = Kind(name: "empty")
    /// A rule of XML 1.0 is broken.
    public static let malformed = Kind(name: "malformed")
    /// The document ends in the middle.
    public static let truncated = Kind(name: "truncated")
    /// A rule of Namespaces in XML 1.0 is broken.
    public static let namespace = Kind(name: "namespace")
    /// The encoding is unknown, is not the one declared, or the bytes are not in it.
    public static let encoding = Kind(name: "encoding")
    /// An entity is referred to that is not declared.
    public static let undeclaredEntity = Kind(name: "undeclaredEntity")
    /// An entity outside of the document is referred to; none is ever loaded.
    public static let externalEntity = Kind(name: "externalEntity")
    /// Entities and defaulted attributes add more than the options allow.
    public static let expansion = Kind(name: "expansion")
    /// Elements are nested deeper than the options allow.
    public static let tooDeep = Kind(name: "tooDeep")
    /// The document, or one token of it, has more bytes than are allowed.
    public static let tooLarge = Kind(name: "tooLarge")
    /// An element has more attributes than the options allow.
    public static let tooManyAttributes = Kind(name: "tooManyAttributes")
    /// There is no memory left.
    public static let outOfMemory = Kind(name: "outOfMemory")
  }

  /// The class of the failure.
  public let kind: Kind

  /// The line, from 1, at which it was noticed; within an entity, that of the reference to it.
  public let line: Int

  /// The column, from 1, at which it was noticed.
  public let column: Int

  /// What is wrong, in words; it may hold names out of the document.
  public let reason: String

  init(_ kind: Kind, line: Int, column: Int, _ reason: String) {
    self.kind = kind
    self.line = line
    self.column = column
    self.reason = reason
  }
}

extension XMLError: CustomStringConvertible {
  /// Line, column and reason in one sentence.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension XMLError.Kind: CustomStringConvertible {
  /// The name of the kind.
  public var description: String { name }
}
