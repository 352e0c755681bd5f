public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A private HTTP cache (RFC 9111, with RFC 5861 and RFC 8246).
///
/// It answers `GET` and `HEAD` from stored responses while they are fresh, validates stale ones with `If-None-Match`
/// and `If-Modified-Since`, stores what may be stored while the app reads it, and invalidates what other methods may
/// have changed. `RequestOptions.cachePolicy` and the request's `Cache-Control` decide for one request;
/// `ExchangeHooks.storeInCache` can veto the storage of each response. Of equal requests whose bodies are collected,
/// one is sent, and the others wait for its response. `ResponseHead.source` says where a response came from.
///
/// Its place is next to the transport, except for interceptors that inspect what is sent: it must see credentials and
/// cookies, because they select the response. It is *private*: for one user, not for many.
///
/// ```swift
/// let caching = Caching(MemoryCacheStore(capacity: 32 << 20))
/// let loader = Loader(transport, interceptors: [caching])
/// ```
public final class Caching: Interceptor {
  /// The store of the responses.
  public let store: any CacheStore
  /// The store if it is one in memory.
  let memory: MemoryCacheStore?
  let configuration: Configuration
  let flights = CacheFlights()
  let background = BackgroundWork()

  /// Choices that RFC 9111 leaves open.
  public struct Configuration: Sendable, Hashable {
    /// The heuristic freshness as a fraction of time, 0 to 1 (§4.2.2).
    ///
    /// The time is that from the last modification to the response.
    public var heuristicFraction = 0.1
    /// The longest heuristic freshness.
    public var longestHeuristic = Duration.seconds(7 * 86_400)
    /// Whether a stale response may be used when the server is unreachable (§4.2.4).
    ///
    /// It is not used if the server forbids that. If this is false, only responses with `stale-if-error` are used.
    public var servesStaleWhenUnreachable = false
    /// The most `stale-while-revalidate` requests in flight at once.
    ///
    /// Beyond it responses stay stale.
    public var revalidationLimit = 8
    /// How long a request waits for an equal one without progress, at least 1 ms.
    ///
    /// After that, it is sent too.
    ///
    /// It does not wait for a paused request.
    public var patience = Duration.seconds(10)

    /// Creates the configuration that RFC 9111 suggests.
    public init() {}

    var heuristics: CacheHeuristics {
      CacheHeuristics(
        fraction: min(max(heuristicFraction, 0), 1), longest: longestHeuristic.limited / .seconds(1))
    }
  }

  /// Creates a cache with a store, which other caches may share.
  public init(_ store: any CacheStore, configuration: Configuration = Configuration()) {
    self.store = store
    memory = store as? MemoryCacheStore
    self.configuration = configuration
  }

  /// The hook that is asked before a response is stored.
  public var asks: HookNames { .storeInCache }

  /// Answers from the store, or from the rest of the chain.
  ///
  /// - Throws: `notInCache` for `CachePolicy.returnStoredDontLoad` without a stored response; else the errors of the
  ///   chain. A request with `Cache-Control: only-if-cached` gets a 504 instead (§5.2.1.7).
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard CacheDecision.isSafe(request.method) else { return try await change(request, in: exchange, next) }
    guard request.method == .get || request.method == .head, request.body.isEmpty,
      let key = CacheKey(request, in: exchange, secret: store.secret)
    else { return try await next(request, in: exchange) }
    return try await CacheLookup(CacheRequest(request), key, exchange, next, self).run()
  }

  /// Returns when no `stale-while-revalidate` request is in flight.
  public func waitForRevalidations() async { await background.wait() }

  /// Sends a request that may invalidate stored responses (§4.4).
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
    let base = try? URLReference(request.url.absoluteString)
    for field in head?.headerFields ?? [:] where field.name == .location || field.name == .contentLocation {
      guard let base, let url = try? URLReference(field).resolved(against: base), let origin = try? Origin(url),
        origin == (try? request.origin)
      else { continue }
      urls.append(url)
    }
    for key in urls.flatMap({ CacheKey.affected(by: request, in: exchange, at: $0, secret: store.secret) }) {
      flights.revoke(key)
      await store.remove(key)
    }
  }
}

/// Runs tasks in the background, for which no request waits.
package final class BackgroundWork: Sendable {
  private struct State {
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var running = 0
    var last: UInt64 = 0
    /// Tasks that ended before they were registered.
    var early: Set<UInt64> = []
  }

  private let state = Guarded(State())

  /// Starts a task unless too many are running.
  func start(limit: Int, _ work: @escaping @Sendable () async -> Void) {
    let id = state.withLock { state -> UInt64? in
      guard state.running < limit else { return nil }
      state.running += 1
      state.last += 1
      return state.last
    }
    guard let id else { return }
    let task = Task {
      await work()
      state.withLock { state in
        state.running -= 1
        if state.tasks.removeValue(forKey: id) == nil { state.early.insert(id) }
      }
    }
    state.withLock { state in
      if state.early.remove(id) == nil { state.tasks[id] = task }
    }
  }

  func wait() async {
    while let task = state.withLock({ $0.tasks.first?.value }) {
      await task.value
    }
  }
}
