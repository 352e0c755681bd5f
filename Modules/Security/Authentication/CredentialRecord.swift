import CurlewCore

/// The form in which a file holds one credential.
struct CredentialRecord: Codable {
  var scheme: String
  var host: String
  var port: Int
  var isProxy: Bool
  var authentication: String
  var realm: String?
  var user: String?
  var password: String?
  var token: String?

  /// Creates a record, or returns nil for client identities and server trust.
  ///
  /// A file holds neither.
  init?(_ space: ProtectionSpace, _ credential: Credential) {
    scheme = space.origin.scheme.rawValue
    host = space.origin.host
    port = space.origin.port
    isProxy = space.isProxy
    authentication = space.scheme
    realm = space.realm
    switch credential {
    case .password(let user, let password): (self.user, self.password) = (user, password)
    case .bearer(let token): self.token = token
    case .identity, .serverTrust: return nil
    }
  }

  /// The sort key, which makes files with equal credentials equal byte by byte.
  var order: String { "\(scheme)://\(host):\(port) \(isProxy) \(authentication) \(realm ?? "")" }

  /// Returns the space and the credential.
  ///
  /// - Throws: `Incomplete` when a member is missing or invalid.
  func entry() throws -> (ProtectionSpace, Credential) {
    guard let scheme = Origin.Scheme(rawValue: scheme),
      let origin = try? Origin(scheme: scheme, host: host, port: port)
    else { throw Incomplete() }
    let space = ProtectionSpace(origin: origin, isProxy: isProxy, scheme: authentication, realm: realm)
    if let token { return (space, .bearer(token: token)) }
    guard let user, let password else { throw Incomplete() }
    return (space, .password(user: user, password: password))
  }

  /// The error for a record that lacks a member.
  struct Incomplete: Error {}
}
