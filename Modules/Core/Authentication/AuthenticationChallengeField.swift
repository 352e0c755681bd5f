public import HTTPTypes

/// One challenge of `WWW-Authenticate` or `Proxy-Authenticate` (RFC 9110 §11.6.1).
public struct AuthenticationChallengeField: Sendable, Hashable {
  /// The most challenges of one field line.
  public static let maximumChallenges = 32
  /// The most parameters of one challenge.
  public static let maximumParameters = 64

  /// The scheme as it was sent, as `Digest`; compare it with `hasScheme(_:)`.
  public let scheme: String
  /// The single value some schemes have in place of parameters; nil without one.
  public let token68: String?
  /// The parameters in order, names in lower case, each once.
  public let parameters: [FieldParameter]

  /// Creates a challenge; nothing is checked until it is written.
  public init(scheme: String, token68: String? = nil, parameters: [FieldParameter] = []) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// Returns whether this is the challenge of a scheme, letters in any case.
  public func hasScheme(_ name: String) -> Bool { scheme.equalsIgnoringASCIICase(name) }

  /// The value of a parameter, letters of the name in any case; nil without one.
  public subscript(parameter: String) -> String? { parameters[parameter] }

  /// The protection space the challenge is for; nil without one.
  public var realm: String? { parameters["realm"] }

  /// Reads the challenges of one field line, in order.
  ///
  /// Throws `malformed` where the grammar is left, `duplicate` when a challenge has two parameters
  /// of one name, and `tooMany` beyond `maximumChallenges` or `maximumParameters`. Three departures
  /// that servers make are read all the same: a missing comma, an empty value, and characters
  /// that would need quotes.
  public static func parse(_ value: String) throws(FieldError) -> [AuthenticationChallengeField] {
    var parser = AuthenticationParser()
    return try parser.challenges(value.utf8Span.span)
  }

  /// Returns the challenges of all lines of a field.
  ///
  /// A line that cannot be read is left out.
  ///
  /// The name is `wwwAuthenticate` or `proxyAuthenticate`.
  public static func all(in fields: HTTPFields, _ name: HTTPField.Name) -> [AuthenticationChallengeField] {
    fields[values: name].flatMap { (try? parse($0)) ?? [] }
  }
}

/// The parameters of `Authentication-Info` or `Proxy-Authentication-Info` (RFC 9110 §11.6.3).
public struct AuthenticationInfoField: Sendable, Hashable {
  /// The parameters in order, names in lower case, each once.
  public let parameters: [FieldParameter]

  /// Reads a field value.
  ///
  /// Throws as `AuthenticationChallengeField.parse(_:)` does.
  public init(_ value: String) throws(FieldError) {
    var parser = AuthenticationParser()
    parameters = try parser.parameters(value.utf8Span.span)
  }

  /// The value of a parameter, letters of the name in any case; nil without one.
  public subscript(parameter: String) -> String? { parameters[parameter] }
}
