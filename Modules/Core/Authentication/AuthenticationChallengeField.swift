public import HTTPTypes

/// One challenge of `WWW-Authenticate` or `Proxy-Authenticate` (RFC 9110 §11.6.1).
public struct AuthenticationChallengeField: Sendable, Hashable {
  /// The most challenges that are read from one field line.
  public static let maximumChallenges = 32
  /// The most parameters that are read for one challenge.
  public static let maximumParameters = 64

  /// The scheme as sent, such as `Digest`; compare it with `hasScheme(_:)`.
  public let scheme: String
  /// The single value that replaces parameters in some schemes; nil if absent.
  public let token68: String?
  /// The parameters in order; names are in lower case and unique.
  public let parameters: [FieldParameter]

  /// Creates a challenge, which is checked when it is written.
  public init(scheme: String, token68: String? = nil, parameters: [FieldParameter] = []) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// Returns whether the challenge has a scheme, ignoring the case of letters.
  public func hasScheme(_ name: String) -> Bool { scheme.equalsIgnoringASCIICase(name) }

  /// The value of a parameter, ignoring the case of its name; nil if absent.
  public subscript(parameter: String) -> String? { parameters[parameter] }

  /// The protection space that the challenge is for; nil if absent.
  public var realm: String? { parameters["realm"] }

  /// Reads the challenges of one field line, in order.
  ///
  /// Servers deviate from the grammar in three ways that are accepted: a missing comma, an empty value, and characters that
  /// would need quotes.
  ///
  /// - Throws: `FieldError` of kind `malformed` for any other violation of the grammar, `duplicate` when a challenge has two
  ///   parameters of one name, and `tooMany` beyond `maximumChallenges` or `maximumParameters`.
  public static func parse(_ value: String) throws(FieldError) -> [AuthenticationChallengeField] {
    var parser = AuthenticationParser()
    return try parser.challenges(value.utf8Span.span)
  }

  /// Returns the challenges of all lines of a field.
  ///
  /// Lines that cannot be read are ignored.
  ///
  /// - Parameter name: `wwwAuthenticate` or `proxyAuthenticate`.
  public static func all(in fields: HTTPFields, _ name: HTTPField.Name) -> [AuthenticationChallengeField] {
    fields[values: name].flatMap { (try? parse($0)) ?? [] }
  }
}

/// The parameters of `Authentication-Info` (RFC 9110 §11.6.3).
///
/// `Proxy-Authentication-Info` has the same form.
public struct AuthenticationInfoField: Sendable, Hashable {
  /// The parameters in order; names are in lower case and unique.
  public let parameters: [FieldParameter]

  /// Reads a field value.
  ///
  /// - Throws: The errors of `AuthenticationChallengeField.parse(_:)`.
  public init(_ value: String) throws(FieldError) {
    var parser = AuthenticationParser()
    parameters = try parser.parameters(value.utf8Span.span)
  }

  /// The value of a parameter, ignoring the case of its name; nil if absent.
  public subscript(parameter: String) -> String? { parameters[parameter] }
}
