/// Questions that only the app can answer; each has a default.
///
/// The loading system calls them, never a transport, on the task of the request, one at a time.
public struct ExchangeHooks: Sendable {
  /// Called before a redirect, or without a response before a URL is normalized.
  ///
  /// It returns the request to send; nil stops and returns the 3xx. Default: as proposed.
  public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) async throws -> Request?)?
  /// Whether challenges of a protection space can be answered at all.
  ///
  /// Default: if credentials are known.
  public var canAnswer: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Whether known credentials may be used. Default: yes.
  ///
  /// It also decides whether the credentials of this request may be used for later ones.
  public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) async -> Bool)?
  /// Answers a challenge. Default: the default handling.
  public var challenge: (@Sendable (Challenge) async -> ChallengeAnswer)?
  /// Provides another copy of a body that can only be sent once.
  ///
  /// If it is unset or returns nil, the request fails with `bodyNotReplayable`.
  public var newBody: (@Sendable (Request) async throws -> Body?)?
  /// Called before a response is cached. Default: as proposed.
  public var storeInCache: (@Sendable (_ response: ResponseHead) async -> CacheAnswer)?
  /// Whether `storeInCache` is also asked about responses that a cache fetches for itself (`stale-while-revalidate`).
  ///
  /// Without the question they are stored. `Connection` sets false, since such a response is not one of its request.
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
