import Synchronization

/// Questions that only the app can answer; each has a default.
///
/// The loading system calls them, never a transport, on the task of the request, one at a time.
public struct ExchangeHooks: Sendable {
  /// Called before a redirect is followed, or before a URL is normalized.
  ///
  /// In the second case there is no response. It returns the request to send; nil stops and returns the 3xx. Default: the
  /// proposed request.
  public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) async throws -> Request?)?
  /// Decides whether challenges of a protection space can be answered at all.
  ///
  /// Default: whether credentials are known.
  public var canAnswer: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Decides whether known credentials may be used. Default: true.
  ///
  /// It also decides whether the credentials of this request may be used for later ones.
  public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Answers a challenge. Default: the default handling.
  ///
  /// An answer that worked is remembered, and used without a question for later requests whose hooks are a copy of these. Where the hook
  /// is set anew, it is asked anew, so that one user's credentials are not sent for another; set it once, not for each request.
  public var challenge: (@Sendable (Challenge) async -> ChallengeAnswer)? {
    didSet { answerer = challenge == nil ? nil : .new() }
  }
  /// Whose answers `challenge` gives; nil without it.
  package var answerer: ChallengeAnswerer?
  /// Provides another copy of a body that can only be sent once.
  ///
  /// If it is unset or returns nil, the request fails with `bodyNotReplayable`.
  public var newBody: (@Sendable (Request) async throws -> Body?)?
  /// Called before a response is cached. Default: the proposed answer.
  public var storeInCache: (@Sendable (_ response: ResponseHead) async -> CacheAnswer)?
  /// Whether `storeInCache` is also asked about revalidations in the background.
  ///
  /// Those are the responses that a cache itself fetches for `stale-while-revalidate`. If false, they are stored without a
  /// question. `Connection` and operations set false, because such a response does not belong to their request.
  package var asksAboutRevalidations = true

  /// Creates hooks that are all unset.
  public init() {}
}

/// The one who answers the challenges of an exchange: a hook, or a credential.
///
/// What the app's `challenge` hook gave, be it a password, an identity or the acceptance of a certificate, is used unasked only for
/// requests with the same answerer. So two copies of a session that act for two people never use each other's answers, although they share
/// the interceptors that remember them.
package enum ChallengeAnswerer: Sendable, Hashable {
  /// A closure that was set as a hook, by a number of its own; copies of the hooks keep it.
  case hook(UInt64)
  /// A credential that answers every challenge.
  case credential(Credential)

  private static let last = Atomic<UInt64>(0)

  /// Returns one that equals no other.
  package static func new() -> ChallengeAnswerer { .hook(last.add(1, ordering: .relaxed).newValue) }
}

extension Exchange {
  /// Returns a body for a request that is sent again: its own if it can be read again, otherwise another one from `newBody`.
  ///
  /// - Parameter reason: Why it is sent again, for the error.
  /// - Throws: `NetworkError` of kind `bodyNotReplayable`; the error of the hook.
  package nonisolated(nonsending) func body(
    toRepeat request: Request, at stage: NetworkError.Stage, because reason: String
  ) async throws -> Body {
    if request.body.isReplayable { return request.body }
    if let body = try await settings.hooks.newBody?(request) { return body }
    throw NetworkError(
      .bodyNotReplayable, stage: stage, message: "\(reason), and the body can be sent only once.",
      advice: "Set the newBody hook.")
  }
}

/// The app's decision about storing a response.
public enum CacheAnswer: Sendable {
  /// Store it.
  case store
  /// Store it with another head.
  case change(ResponseHead)
  /// Do not store it.
  case refuse
}

/// Names some of the questions of `ExchangeHooks`.
///
/// An interceptor declares in `Interceptor.asks` which questions it asks. An app thereby learns, before anything is sent, that
/// a hook it has set would never be called.
public struct HookNames: OptionSet, Sendable, Hashable, CustomStringConvertible {
  /// The bits, one for each question.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `ExchangeHooks.redirect`.
  public static let redirect = HookNames(rawValue: 1 << 0)
  /// `ExchangeHooks.canAnswer`.
  public static let canAnswer = HookNames(rawValue: 1 << 1)
  /// `ExchangeHooks.mayUseStoredCredentials`.
  public static let mayUseStoredCredentials = HookNames(rawValue: 1 << 2)
  /// `ExchangeHooks.challenge`.
  public static let challenge = HookNames(rawValue: 1 << 3)
  /// `ExchangeHooks.newBody`.
  public static let newBody = HookNames(rawValue: 1 << 4)
  /// `ExchangeHooks.storeInCache`.
  public static let storeInCache = HookNames(rawValue: 1 << 5)

  /// The names of the hooks as properties of `ExchangeHooks`, in their order.
  public var names: [String] { Self.named.filter { contains($0.0) }.map(\.1) }

  /// The names, separated by commas.
  public var description: String { names.joined(separator: ", ") }

  private static let named: [(HookNames, String)] = [
    (.redirect, "redirect"), (.canAnswer, "canAnswer"), (.mayUseStoredCredentials, "mayUseStoredCredentials"),
    (.challenge, "challenge"), (.newBody, "newBody"), (.storeInCache, "storeInCache"),
  ]
}

extension ExchangeHooks {
  /// The hooks that are set.
  public var names: HookNames {
    var names: HookNames = []
    if redirect != nil { names.insert(.redirect) }
    if canAnswer != nil { names.insert(.canAnswer) }
    if mayUseStoredCredentials != nil { names.insert(.mayUseStoredCredentials) }
    if challenge != nil { names.insert(.challenge) }
    if newBody != nil { names.insert(.newBody) }
    if storeInCache != nil { names.insert(.storeInCache) }
    return names
  }
}
