public import FoundationEssentials

/// The failure of an XPath expression.
public struct XPathError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public enum Kind: String, Sendable, Hashable {
    /// The expression is not valid XPath 1.0.
    ///
    /// Or it uses an unknown function, variable or prefix.
    case invalid
    /// The evaluation takes more steps or memory than the limits allow.
    case tooExpensive
  }

  /// The class of the failure.
  public var kind: Kind
  /// The offset in the expression in bytes, from 0; nil when it is unknown.
  public var offset: Int?
  /// A phrase that says what is wrong.
  public var reason: String
}

extension XPathError: CustomStringConvertible {
  /// The reason, and the offset if it is known.
  public var description: String { offset.map { "\(reason) (byte \($0) of the expression)" } ?? reason }
}

extension XPathError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
