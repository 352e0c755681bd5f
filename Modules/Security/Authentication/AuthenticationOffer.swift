import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A challenge of a scheme that is supported: Basic, Digest or Bearer.
struct AuthenticationOffer: Sendable, Hashable {
  enum Scheme: Sendable, Hashable {
    case basic
    case digest(DigestChallenge)
    /// A Bearer challenge with its `error` code (RFC 6750 §3.1).
    case bearer(error: String?)
  }

  /// The most challenges that are read from one response.
  static let maximumCount = 32

  var challenge: Challenge
  var scheme: Scheme

  var space: ProtectionSpace { challenge.protectionSpace }

  /// Whether the server refused the nonce only, and not the password.
  var isStale: Bool { if case .digest(let digest) = scheme { digest.isStale } else { false } }

  /// Returns the challenges that can be answered, the strongest first.
  ///
  /// Challenges of equal strength keep the server's order.
  static func all(in challenges: [Challenge]) -> [AuthenticationOffer] {
    let offers = challenges.prefix(maximumCount).compactMap { AuthenticationOffer($0) }
    return offers.enumerated().sorted { left, right in
      (-left.element.strength, left.offset) < (-right.element.strength, right.offset)
    }.map(\.element)
  }

  /// Returns all challenges of a response.
  static func challenges(in head: ResponseHead, from origin: Origin, isProxy: Bool) -> [Challenge] {
    let name: HTTPField.Name = isProxy ? .proxyAuthenticate : .wwwAuthenticate
    return AuthenticationChallengeField.all(in: head.headerFields, name).prefix(maximumCount).map { field in
      Challenge(
        protectionSpace: ProtectionSpace(
          origin: origin, isProxy: isProxy, scheme: field.scheme.lowercased(), realm: field.realm),
        parameters: field.parameters, response: head)
    }
  }

  /// Creates an offer, or returns nil when the challenge cannot be answered.
  ///
  /// That is the case for an unsupported scheme, and when a parameter that the scheme requires is missing.
  private init?(_ challenge: Challenge) {
    self.challenge = challenge
    switch challenge.protectionSpace.scheme {
    case "basic":
      // RFC 7617 §2 requires a realm, but servers leave it out. Then the whole origin is one realm.
      scheme = .basic
    case "digest":
      guard let digest = DigestChallenge(challenge) else { return nil }
      scheme = .digest(digest)
    case "bearer":
      scheme = .bearer(error: challenge.parameters.first { $0.name == "error" }?.value)
    default: return nil
    }
  }

  private var strength: Int {
    switch scheme {
    case .basic: 0
    case .digest(let digest): 1 + digest.strength
    case .bearer: 100
    }
  }

  /// Returns whether the scheme takes this kind of credential.
  func takes(_ credential: Credential) -> Bool {
    switch (scheme, credential) {
    case (.basic, .password), (.digest, .password), (.bearer, .bearer): true
    default: false
    }
  }
}
