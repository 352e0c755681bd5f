import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A challenge that can be answered by a scheme we know.
struct AuthenticationOffer: Sendable, Hashable {
  enum Scheme: Sendable, Hashable {
    case basic
    case digest(DigestChallenge)
    /// With its `error` code (RFC 6750 §3.1).
    case bearer(error: String?)
  }

  /// The most challenges of one response.
  static let maximumCount = 32

  var challenge: Challenge
  var scheme: Scheme

  var space: ProtectionSpace { challenge.protectionSpace }

  /// Whether the server says that only the nonce was refused.
  var isStale: Bool { if case .digest(let digest) = scheme { digest.isStale } else { false } }

  /// What can be answered, the strongest first; equal ones in the server's order.
  static func all(in challenges: [Challenge]) -> [AuthenticationOffer] {
    let offers = challenges.prefix(maximumCount).compactMap { AuthenticationOffer($0) }
    return offers.enumerated().sorted { left, right in
      (-left.element.strength, left.offset) < (-right.element.strength, right.offset)
    }.map(\.element)
  }

  /// The challenges of a response.
  static func challenges(in head: ResponseHead, from origin: Origin, isProxy: Bool) -> [Challenge] {
    let name: HTTPField.Name = isProxy ? .proxyAuthenticate : .wwwAuthenticate
    return AuthenticationChallengeField.all(in: head.headerFields, name).prefix(maximumCount).map { field in
      Challenge(
        protectionSpace: ProtectionSpace(
          origin: origin, isProxy: isProxy, scheme: field.scheme.lowercased(), realm: field.realm),
        parameters: field.parameters.map { Challenge.Parameter(name: $0.name, value: $0.value) }, response: head)
    }
  }

  /// Nil for a scheme we do not know, and for a challenge that lacks what its scheme needs.
  private init?(_ challenge: Challenge) {
    self.challenge = challenge
    switch challenge.protectionSpace.scheme {
    case "basic":
      // RFC 7617 §2 has the realm required; servers leave it out, and it is then one realm for all of the origin.
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

  /// Whether a credential is of the kind that the scheme takes.
  func takes(_ credential: Credential) -> Bool {
    switch (scheme, credential) {
    case (.basic, .password), (.digest, .password), (.bearer, .bearer): true
    default: false
    }
  }
}
