/// The questions that only the app can answer; each unset one has a default.
///
/// Called by the loading system, never by a transport, from the task that carries the request, one at a time.
public struct ExchangeHooks: Sendable {
  /// Asked before a redirect is followed, and with no response when a request is put into canonical form.
  ///
  /// Returns the request to go on with; nil stops, and the 3xx is the response. Unset: follow as proposed.
  public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) async throws -> Request?)?
  /// Asked whether challenges of a protection space can be answered at all. Unset: as far as credentials are known.
  public var canAnswer: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Asked whether credentials that are known already may be used. Unset: yes.
  ///
  /// Also decides whether what answers this request may be used for later ones.
  public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Asked for an answer to a challenge. Unset: default handling.
  public var challenge: (@Sendable (Challenge) async -> ChallengeAnswer)?
  /// Asked for a second copy of a body that can be sent only once. Nil, or unset: the request fails with `bodyNotReplayable`.
  public var newBody: (@Sendable (Request) async throws -> Body?)?
  /// Asked before a response is stored in a cache. Unset: store as proposed.
  public var storeInCache: (@Sendable (_ response: ResponseHead) async -> CacheAnswer)?

  /// Hooks that are all unset.
  public init() {}
}

/// The app's last word on a response that could be stored.
public enum CacheAnswer: Sendable {
  /// Store it.
  case store
  /// Store it with another head.
  case change(ResponseHead)
  /// Do not.
  case refuse
}
