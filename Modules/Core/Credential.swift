/// What answers a challenge.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// A user name and a password, for Basic and Digest (RFC 7617, RFC 7616).
  case password(user: String, password: String)
  /// A bearer token (RFC 6750).
  case bearer(token: String)
  /// A certificate and key, for a server that asks for one in the handshake.
  case identity(ClientIdentity)

  /// The kind and the user name; never a secret.
  public var description: String {
    switch self {
    case .password(let user, _): "password of \(user)"
    case .bearer: "bearer token"
    case .identity: "client identity"
    }
  }

  /// The description alone, so that a dump shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}
