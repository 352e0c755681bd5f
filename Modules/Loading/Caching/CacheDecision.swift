import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The rules of RFC 9111 for responses that are stored or can be stored.
enum CacheDecision {
  /// What to do with a stored response that matches a request.
  enum Verdict: Sendable, Hashable {
    /// Return it.
    case serve
    /// Return it, and revalidate it in the background.
    case serveAndRevalidate
    /// Revalidate it first.
    case validate
  }

  /// Returns whether and how a stored response answers a request (§4, §5.2).
  static func verdict(
    on stored: StoredResponse, for asked: CacheRequest, now: Date, _ heuristics: CacheHeuristics
  ) -> Verdict {
    if asked.policy == .returnStoredElseLoad || asked.policy == .returnStoredDontLoad { return .serve }
    let directives = CacheControl(of: stored.head.headerFields)
    let freshness = CacheFreshness(stored, directives, now: now, heuristics)
    // While it is fresh, an immutable response does not change (RFC 8246 §2).
    if asked.policy == .revalidate, !(directives.immutable && freshness.isFresh) { return .validate }
    if asked.directives.noCache != nil || directives.noCache == .response { return .validate }

    let wanted = min(freshness.lifetime, asked.directives.maxAge.map { Double($0) } ?? .infinity)
    let left = wanted - freshness.age - Double(asked.directives.minFresh ?? 0)
    if left > 0 { return .serve }
    if directives.mustRevalidate { return .validate }
    switch asked.directives.maxStale {
    case .any?: return .serve
    case .seconds(let seconds)? where -left <= Double(seconds): return .serve
    default: break
    }
    guard asked.directives.maxAge == nil, asked.directives.minFresh == nil else { return .validate }
    if let window = directives.staleWhileRevalidate, freshness.staleness <= Double(window) {
      return .serveAndRevalidate
    }
    return .validate
  }

  /// Returns whether a stale response may replace a failure.
  ///
  /// The server failed or is unreachable (RFC 5861 §4, RFC 9111 §4.2.4).
  static func mayServeStale(
    _ stored: StoredResponse, for asked: CacheRequest, now: Date, whenUnreachable: Bool, _ heuristics: CacheHeuristics
  ) -> Bool {
    let directives = CacheControl(of: stored.head.headerFields)
    guard !directives.mustRevalidate, directives.noCache != .response, asked.directives.noCache == nil,
      asked.policy == .protocolDefined
    else { return false }
    if whenUnreachable { return true }
    let window = max(directives.staleIfError ?? 0, asked.directives.staleIfError ?? 0)
    guard directives.staleIfError != nil || asked.directives.staleIfError != nil else { return false }
    return CacheFreshness(stored, directives, now: now, heuristics).staleness <= Double(window)
  }

  /// Returns whether a response may be stored and is worth it (§3).
  static func isStorable(_ head: ResponseHead, for asked: CacheRequest) -> Bool {
    guard asked.mayStore, head.status != .notModified, head.status.code >= 200 else { return false }
    if head.status == .partialContent {
      guard asked.asksForRange, StoredPart(head, length: head.expectedLength) != nil else { return false }
    } else if asked.asksForRange, head.status != .ok {
      return false
    }
    let fields = head.headerFields
    let directives = CacheControl(of: fields)
    guard mayStore(head.status, directives) else { return false }
    if fields.has(.vary), VaryField(of: fields) == .any { return false }
    let isExplicit =
      directives.maxAge != nil || directives.isPublic || directives.onlyPrivate != nil || fields.has(.expires)
    let isNegotiable = fields.has(.eTag) || fields.has(.lastModified)
    return isExplicit || (head.status.isHeuristicallyCacheable && isNegotiable)
  }

  /// Returns whether a stored response may stay stored after a 304 or a `HEAD` has updated its fields (§3.2, §4.3.4).
  ///
  /// It may not if the newer head forbids to store it, or if it depends on other request fields than before: the values that
  /// the stored content depends on are then unknown.
  static func mayKeep(_ updated: ResponseHead, insteadOf stored: ResponseHead) -> Bool {
    mayStore(updated.status, CacheControl(of: updated.headerFields))
      && VaryField(of: updated.headerFields) == VaryField(of: stored.headerFields)
  }

  /// Returns whether the directives of a response allow to store it (§5.2.2.3, §5.2.2.5).
  private static func mayStore(_ status: HTTPResponse.Status, _ directives: CacheControl) -> Bool {
    directives.mustUnderstand ? status.isUnderstood : !directives.noStore
  }

  /// Returns whether a stale response may replace this status (RFC 5861 §4).
  static func isServerFailure(_ status: HTTPResponse.Status) -> Bool {
    [500, 502, 503, 504].contains(status.code)
  }

  /// Returns whether an error means that the server is unreachable.
  ///
  /// Trust failures do not count.
  static func isUnreachable(_ error: any Error) -> Bool {
    guard let error = error as? NetworkError else { return false }
    switch error.kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost,
      .streamReset, .proxyFailed:
      return true
    default: return false
    }
  }

  /// Returns whether a method is safe (RFC 9110 §9.2.1); others invalidate.
  static func isSafe(_ method: HTTPRequest.Method) -> Bool {
    switch method {
    case .get, .head, .options, .trace: true
    default: method.rawValue == "QUERY" || method.rawValue == "PROPFIND" || method.rawValue == "SEARCH"
    }
  }
}
