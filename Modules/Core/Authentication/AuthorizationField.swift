/// The credentials of `Authorization` or `Proxy-Authorization` (RFC 9110 §11.6.2).
///
/// Descriptions show only the scheme; `fieldValue` contains the secret.
public struct AuthorizationField: Sendable, Hashable {
  /// One parameter, and whether it is quoted, which some schemes prescribe.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value without quotes.
    public var value: String
    /// Whether to write quotes even if the value is a token.
    public var isQuoted: Bool

    /// Creates a parameter.
    public init(_ name: String, _ value: String, isQuoted: Bool = true) {
      self.name = name
      self.value = value
      self.isQuoted = isQuoted
    }
  }

  /// The scheme, such as `Bearer`.
  public let scheme: String
  /// The field value to send, which is a secret.
  public let fieldValue: String

  /// Creates credentials from a single value, as for Basic and Bearer.
  ///
  /// All visible ASCII is accepted, which is more than the grammar's `token68`, because bearer tokens in use contain more.
  ///
  /// - Throws: `FieldError` of kind `unrepresentable` when the scheme is not a token, or the value is empty or contains
  ///   anything except visible ASCII.
  public init(scheme: String, credentials: String) throws(FieldError) {
    guard FieldSyntax.isToken(scheme), !credentials.isEmpty,
      credentials.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw Self.unrepresentable }
    self.scheme = scheme
    fieldValue = scheme + " " + credentials
  }

  /// Creates credentials from parameters, as for Digest.
  ///
  /// - Throws: `FieldError` of kind `unrepresentable` when the scheme or a name is not a token, or a value contains a control
  ///   character; of kind `duplicate` when a name occurs twice.
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
  /// The scheme, without the credentials.
  public var description: String { scheme + " <redacted>" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The scheme only, so that a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}
