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
  public var challenge: (@Sendable (Challenge) async -> ChallengeAnswer)?
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

/// The app's decision about storing a response.
public enum CacheAnswer: Sendable {
  /// Store it.
  case store
  /// Store it with another head.
  case change(ResponseHead)
  /// Do not store it.
  case refuse
}
