/// A server's or proxy's demand for credentials.
public struct Challenge: Sendable, Hashable {
  /// The protected resources and the scheme.
  public var protectionSpace: ProtectionSpace
  /// The scheme's parameters in order, with names in lower case.
  public var parameters: [FieldParameter]
  /// The number of answers that were rejected before, 0 or more.
  public var previousFailureCount: Int
  /// The credential that is used by default; nil when none is known.
  public var proposedCredential: Credential?
  /// The response that contains the challenge.
  public var response: ResponseHead?
  /// Why the server's certificate was rejected; nil for other challenges.
  ///
  /// It contains the certificates (`trust`), and is only set for the scheme `server-trust`. The answer
  /// `.use(.serverTrust(trust))` accepts that certificate.
  public var serverTrust: ServerTrustError?

  /// Creates a challenge.
  public init(
    protectionSpace: ProtectionSpace, parameters: [FieldParameter] = [], previousFailureCount: Int = 0,
    proposedCredential: Credential? = nil, response: ResponseHead? = nil, serverTrust: ServerTrustError? = nil
  ) {
    self.protectionSpace = protectionSpace
    self.parameters = parameters
    self.previousFailureCount = previousFailureCount
    self.proposedCredential = proposedCredential
    self.response = response
    self.serverTrust = serverTrust
  }
}

/// The resources that one set of credentials protects (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable {
  /// The origin that asks for credentials.
  public var origin: Origin
  /// Whether a proxy asks.
  public var isProxy: Bool
  /// The scheme in lower case.
  ///
  /// `basic`, `digest`, `bearer`, …; `client-certificate` and `server-trust` for TLS.
  public var scheme: String
  /// The realm; nil if absent.
  public var realm: String?

  /// Creates a protection space.
  public init(origin: Origin, isProxy: Bool = false, scheme: String, realm: String? = nil) {
    self.origin = origin
    self.isProxy = isProxy
    self.scheme = scheme
    self.realm = realm
  }
}

/// The four answers to a challenge.
public enum ChallengeAnswer: Sendable {
  /// Continue as if there were no hook.
  case defaultHandling
  /// Send the request again with this credential.
  case use(Credential)
  /// End the request with this error.
  case cancel(any Error)
  /// Ignore this challenge and try the next one in the response.
  ///
  /// After the last one, the response is returned.
  case reject
}
