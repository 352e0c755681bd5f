import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What RFC 9111 says of a response that is stored, or could be.
enum CacheDecision {
  /// What to do with a stored response that fits a request.
  enum Verdict: Sendable, Hashable {
    /// Give it.
    case serve
    /// Give it, and ask the server in the meantime.
    case serveAndRevalidate
    /// Ask the server first.
    case validate
  }

  /// Whether, and how, a stored response answers a request (§4, §5.2).
  static func verdict(
    on stored: StoredResponse, for asked: CacheRequest, now: Date, _ heuristics: CacheHeuristics
  ) -> Verdict {
    if asked.policy == .returnStoredElseLoad || asked.policy == .returnStoredDontLoad { return .serve }
    let directives = CacheControl(of: stored.head.headerFields)
    let freshness = CacheFreshness(stored, directives, now: now, heuristics)
    // While fresh, an immutable response does not change (RFC 8246 §2).
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

  /// Whether a stale response may be given when the server fails or cannot be reached (RFC 5861 §4, RFC 9111 §4.2.4).
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

  /// Whether a response may, and is worth to, be stored (§3).
  static func isStorable(_ head: ResponseHead, for asked: CacheRequest) -> Bool {
    guard asked.mayStore, head.status != .notModified, head.status.code >= 200 else { return false }
    if head.status == .partialContent {
      guard asked.asksForRange, StoredPart(head, length: head.expectedLength) != nil else { return false }
    } else if asked.asksForRange, head.status != .ok {
      return false
    }
    let fields = head.headerFields
    let directives = CacheControl(of: fields)
    if directives.mustUnderstand {
      guard head.status.isUnderstood else { return false }
    } else if directives.noStore {
      return false
    }
    if fields.has(.vary), VaryField(of: fields) == .any { return false }
    let isExplicit =
      directives.maxAge != nil || directives.isPublic || directives.onlyPrivate != nil || fields.has(.expires)
    let isNegotiable = fields.has(.eTag) || fields.has(.lastModified)
    return isExplicit || (head.status.isHeuristicallyCacheable && isNegotiable)
  }

  /// Statuses in whose place a stale response may be given (RFC 5861 §4).
  static func isServerFailure(_ status: HTTPResponse.Status) -> Bool {
    [500, 502, 503, 504].contains(status.code)
  }

  /// Errors that mean the server could not be reached, or went away; not those of trust.
  static func isUnreachable(_ error: any Error) -> Bool {
    guard let error = error as? NetworkError else { return false }
    switch error.kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost,
      .streamReset, .proxyFailed:
      return true
    default: return false
    }
  }

  /// Methods that change nothing on the server (RFC 9110 §9.2.1); others invalidate.
  static func isSafe(_ method: HTTPRequest.Method) -> Bool {
    switch method {
    case .get, .head, .options, .trace: true
    default: method.rawValue == "QUERY" || method.rawValue == "PROPFIND" || method.rawValue == "SEARCH"
    }
  }
}
