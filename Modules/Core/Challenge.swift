/// A server's or proxy's demand for credentials.
public struct Challenge: Sendable, Hashable {
  /// What is protected, and by which scheme.
  public var protectionSpace: ProtectionSpace
  /// The scheme's parameters, names in lower case, in order.
  public var parameters: [Parameter]
  /// How many answers were refused before, 0….
  public var previousFailureCount: Int
  /// The credential that would be used without an answer; nil when none is known.
  public var proposedCredential: Credential?
  /// The response that carries the challenge.
  public var response: ResponseHead?

  /// One `name=value` of a challenge.
  public struct Parameter: Sendable, Hashable {
    /// Lower case.
    public var name: String
    /// Unquoted.
    public var value: String

    /// Makes a parameter.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes a challenge.
  public init(
    protectionSpace: ProtectionSpace, parameters: [Parameter] = [], previousFailureCount: Int = 0,
    proposedCredential: Credential? = nil, response: ResponseHead? = nil
  ) {
    self.protectionSpace = protectionSpace
    self.parameters = parameters
    self.previousFailureCount = previousFailureCount
    self.proposedCredential = proposedCredential
    self.response = response
  }
}

/// What is protected by one set of credentials (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable {
  /// Who asks.
  public var origin: Origin
  /// Whether it is a proxy that asks.
  public var isProxy: Bool
  /// The scheme, lower case (`basic`, `digest`, `bearer`, …).
  public var scheme: String
  /// The realm; nil when there is none.
  public var realm: String?

  /// Makes a protection space.
  public init(origin: Origin, isProxy: Bool = false, scheme: String, realm: String? = nil) {
    self.origin = origin
    self.isProxy = isProxy
    self.scheme = scheme
    self.realm = realm
  }
}

/// The four answers to a challenge.
public enum ChallengeAnswer: Sendable {
  /// What would happen without a hook.
  case defaultHandling
  /// Send again with this.
  case use(Credential)
  /// End the request with this error.
  case cancel(any Error)
  /// This challenge is not for us: try the next one in the response, else the response stands.
  case reject
}
