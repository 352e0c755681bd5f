public import FoundationEssentials

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

/// A certificate and its private key, presented to servers that ask for one.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The certificate, followed by its intermediates, as PEM.
  public var certificateChain: Data
  /// The private key as unencrypted PEM.
  public var privateKey: Data

  /// Creates an identity from PEM text, which is checked on first use.
  public init(certificateChain: Data, privateKey: Data) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }

  /// The size of the certificates; nothing about the key.
  public var description: String { "ClientIdentity(\(certificateChain.count) bytes of certificates)" }

  /// The certificates only, so that a dump does not show the key.
  public var customMirror: Mirror { Mirror(self, children: ["certificateChain": certificateChain]) }
}

/// An `Authorization` field that a scheme computes anew for each request, and the credentials behind it.
///
/// An interceptor that computes such a field sets this, so that a cache can tell users apart although the field always differs.
package struct ComputedCredentials: UserInfoKey, Sendable {
  package typealias Value = ComputedCredentials

  /// The value of the field.
  package var field: String
  /// A text that is the same for equal credentials only, with their secret.
  package var identity: String

  /// Creates credentials.
  package init(field: String, identity: String) {
    self.field = field
    self.identity = identity
  }
}
