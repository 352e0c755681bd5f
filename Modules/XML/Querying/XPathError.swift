/// Why an XPath expression has no value.
public struct XPathError: Error, Sendable, Hashable {
  /// The class of a failure. More may be added.
  public enum Kind: String, Sendable, Hashable {
    /// The expression is no XPath 1.0, or names a function, variable or prefix that is not there.
    case invalid
    /// It takes more steps than the limits allow.
    case tooExpensive
  }

  /// The class of the failure.
  public var kind: Kind
  /// Where in the expression it was noticed, in bytes from 0; nil when that is not known.
  public var offset: Int?
  /// What is wrong, in words.
  public var reason: String
}

extension XPathError: CustomStringConvertible {
  /// The reason, and the place where it is known.
  public var description: String { offset.map { "\(reason) (byte \($0) of the expression)" } ?? reason }
}
