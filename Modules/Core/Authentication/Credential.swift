/// An answer to a challenge.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// A user name and a password, for Basic and Digest (RFC 7617, RFC 7616).
  case password(user: String, password: String)
  /// A bearer token (RFC 6750).
  case bearer(token: String)
  /// A certificate and key, for a server that asks for one in the handshake.
  case identity(ClientIdentity)
  /// Certificates that the app accepts although its trust evaluator refused them.
  case serverTrust(ServerTrust)

  /// The kind and the user name, without a secret.
  public var description: String {
    switch self {
    case .password(let user, _): "password of \(user)"
    case .bearer: "bearer token"
    case .identity: "client identity"
    case .serverTrust(let trust): "server trust for \(trust.host)"
    }
  }

  /// Only the description, so that a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }
}
