public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A private HTTP cache (RFC 9111, with RFC 5861 and RFC 8246).
///
/// It answers `GET` and `HEAD` from what is stored while that is fresh, asks the server with `If-None-Match` and
/// `If-Modified-Since` whether it still holds when it is not, stores what may be stored while the app reads it, and forgets
/// what other methods may have changed. `RequestOptions.cachePolicy` and the directives of a request's `Cache-Control`
/// decide for one request; `ExchangeHooks.storeInCache` has the last word on each response. Equal requests whose bodies
/// are collected share one sending. A response says in `ResponseHead.source` who gave it.
///
/// It stands nearest to the transport but for interceptors that look at what is sent: it must see credentials and
/// cookies, since other ones mean another response. It is *private*: one user's, not one for many.
///
/// ```swift
/// let caching = Caching(MemoryCacheStore(capacity: 32 << 20))
/// let loader = Loader(transport, interceptors: [caching])
/// ```
public final class Caching: Interceptor {
  /// Where responses are kept.
  public let store: any CacheStore
  let configuration: Configuration
  let flights = CacheFlights()
  let background = BackgroundWork()

  /// What RFC 9111 leaves open.
  public struct Configuration: Sendable, Hashable {
    /// For how much of the time since its last change a response is fresh that does not say how long, 0…1 (§4.2.2).
    public var heuristicFraction = 0.1
    /// For how long at most such a response is fresh.
    public var longestHeuristic = Duration.seconds(7 * 86_400)
    /// Whether a stale response is given when the server cannot be reached, unless the server forbade that (§4.2.4);
    /// without it only responses with `stale-if-error` are.
    public var servesStaleWhenUnreachable = false
    /// How many `stale-while-revalidate` questions may be on their way at once; of more, responses stay stale.
    public var revalidationLimit = 8

    /// What RFC 9111 suggests.
    public init() {}

    var heuristics: CacheHeuristics {
      CacheHeuristics(
        fraction: min(max(heuristicFraction, 0), 1), longest: Double(longestHeuristic.components.seconds))
    }
  }

  /// Makes a cache over a store; two caches may have one store.
  public init(_ store: any CacheStore, configuration: Configuration = Configuration()) {
    self.store = store
    self.configuration = configuration
  }

  /// Answers from the store, or from the rest of the chain.
  ///
  /// - Throws: `notInCache` for `CachePolicy.returnStoredDontLoad` with nothing stored; else what the chain throws. A
  ///   request with `Cache-Control: only-if-cached` gets a 504 instead (§5.2.1.7).
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard CacheDecision.isSafe(request.method) else { return try await change(request, in: exchange, next) }
    guard request.method == .get || request.method == .head, request.body.isEmpty,
      let key = CacheKey(request, in: exchange)
    else { return try await next(request, in: exchange) }
    return try await CachePass(CacheRequest(request), key, exchange, next, self).run()
  }

  /// Returns when no question of `stale-while-revalidate` is on its way.
  public func waitForRevalidations() async { await background.wait() }

  /// Sends a request that may change what is stored (§4.4).
  private nonisolated(nonsending) func change(
    _ request: Request, in exchange: Exchange, _ next: Next
  ) async throws -> Response {
    do {
      let response = try await next(request, in: exchange)
      if response.head.status.kind == .successful || response.head.status.kind == .redirection {
        await invalidate(request, response.head, exchange)
      }
      return response
    } catch let error as NetworkError where error.maybeProcessed {
      await invalidate(request, nil, exchange)
      throw error
    }
  }

  private func invalidate(_ request: Request, _ head: ResponseHead?, _ exchange: Exchange) async {
    var urls = [request.url]
    for name in [HTTPField.Name.location, .contentLocation] {
      guard let text = head?.headerFields[name], let url = URL(string: text, relativeTo: request.url)?.absoluteURL,
        let origin = try? Origin(url), origin == (try? request.origin)
      else { continue }
      urls.append(url)
    }
    for key in urls.flatMap({ CacheKey.affected(by: request, in: exchange, at: $0) }) {
      flights.revoke(key)
      await store.remove(key)
    }
  }
}
