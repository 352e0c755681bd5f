/// The answer of a token endpoint (RFC 6749 §5.1): a bearer token, and what renews it.
///
/// Descriptions and dumps show the expiry only, never a token.
public struct OAuth2Token: Sendable, Hashable {
  /// The token that is sent, with its expiry.
  public var bearer: BearerToken
  /// The token that gets the next one; nil if the server gave none. A secret.
  public var refreshToken: String?
  /// What the token allows, in the server's words; nil if it is what the client asked for.
  public var scope: String?

  /// Creates a token.
  public init(_ bearer: BearerToken, refreshToken: String? = nil, scope: String? = nil) {
    self.bearer = bearer
    self.refreshToken = refreshToken
    self.scope = scope
  }
}

extension OAuth2Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The expiry, without the tokens.
  public var description: String { bearer.description }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The expiry and the scope, without the tokens.
  public var customMirror: Mirror {
    Mirror(self, children: ["expires": bearer.expires as Any, "scope": scope as Any])
  }
}
