/// The credentials of `Authorization` or `Proxy-Authorization` (RFC 9110 §11.6.2).
///
/// Descriptions show the scheme only; `fieldValue` is for the wire.
public struct AuthorizationField: Sendable, Hashable {
  /// One parameter and whether it is written in quotes, which some schemes prescribe.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value without quotes.
    public var value: String
    /// Whether quotes are written even where the value is a token.
    public var isQuoted: Bool

    /// Creates a parameter.
    public init(_ name: String, _ value: String, isQuoted: Bool = true) {
      self.name = name
      self.value = value
      self.isQuoted = isQuoted
    }
  }

  /// The scheme, as `Bearer`.
  public let scheme: String
  /// The value to send. It is a secret.
  public let fieldValue: String

  /// Makes credentials of one value, as for Basic and Bearer.
  ///
  /// Throws `unrepresentable` when the scheme is not a token or the value is empty or holds
  /// anything but visible ASCII. Of that all is taken, more than the grammar's token68, since
  /// bearer tokens in use have more.
  public init(scheme: String, credentials: String) throws(FieldError) {
    guard FieldSyntax.isToken(scheme), !credentials.isEmpty,
      credentials.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw Self.unrepresentable }
    self.scheme = scheme
    fieldValue = scheme + " " + credentials
  }

  /// Makes credentials of parameters, as for Digest.
  ///
  /// Throws `unrepresentable` when the scheme or a name is not a token or a value holds a control
  /// character, `duplicate` when a name occurs twice.
  public init(scheme: String, parameters: [Parameter]) throws(FieldError) {
    guard FieldSyntax.isToken(scheme), !parameters.isEmpty else { throw Self.unrepresentable }
    var names: Set<String> = []
    var written: [String] = []
    for parameter in parameters {
      guard FieldSyntax.isToken(parameter.name), FieldSyntax.isQuotable(parameter.value) else {
        throw Self.unrepresentable
      }
      guard names.insert(parameter.name.asciiLowercased).inserted else {
        throw FieldError(.duplicate, field: "Authorization")
      }
      let value = FieldSyntax.quoted(parameter.value, always: parameter.isQuoted)
      written.append(parameter.name + "=" + value)
    }
    self.scheme = scheme
    fieldValue = scheme + " " + written.joined(separator: ", ")
  }

  private static var unrepresentable: FieldError {
    FieldError(.unrepresentable, field: "Authorization")
  }
}

extension AuthorizationField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme, with the credentials left out.
  public var description: String { scheme + " <redacted>" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The scheme alone, so that a dump shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}
