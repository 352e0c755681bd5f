public import CurlewCore
import HTTPTypes

/// A bearer token for some origins, renewed once for all requests that need it.
///
/// Every request to these origins, and to no others, is sent with the token. When the token is about to expire, or a server
/// refuses it, one task calls `refresh` and all requests wait for it. If the refresh fails, requests continue with the present
/// token, provided that it is still valid and was not refused; the others fail. The next request starts another refresh. A
/// cancelled request only stops waiting: the refresh continues, because a refresh token can often be used only once. Safe from
/// any isolation.
///
/// ```swift
/// let tokens = try TokenSource(for: ["https://api.example.com"]) { _ in
///   let (data, _) = try await signInLoader.data(for: signIn, upTo: 65_536)
///   return BearerToken(String(decoding: data, as: UTF8.self))
/// }
/// let loader = Loader(try .curl(), interceptors: [Authentication(tokens: [tokens])])
/// ```
///
/// Requests that `refresh` makes, in its own task or in child tasks, are sent without the token. A detached task would
/// deadlock: its requests would wait for the refresh that they belong to. A `refresh` that never ends blocks every waiting
/// request, so give its requests a timeout.
public final class TokenSource: Sendable {
  /// Fetches a new token, given the last one; nil before the first token.
  public typealias Refresh = @Sendable (BearerToken?) async throws -> BearerToken

  /// The origins that are sent the token.
  public let origins: Set<Origin>
  private let refresh: Refresh
  private let state: Guarded<State>

  private struct State {
    var machine: TokenRefresh
    var waiting: [TokenRefresh.Waiter: CheckedContinuation<BearerToken, any Error>] = [:]

    mutating func take(_ waiters: Set<TokenRefresh.Waiter>) -> [CheckedContinuation<BearerToken, any Error>] {
      waiters.sorted().compactMap { waiting.removeValue(forKey: $0) }
    }
  }

  /// The sources whose refresh the current task belongs to.
  @TaskLocal private static var refreshing: [ObjectIdentifier] = []

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - origins: The origins that are sent the token. Name `https` origins, because whoever reads a token can use it.
  ///   - token: The first token; nil fetches it before the first request.
  ///   - leeway: How long before its expiry a token is renewed; 0 or more.
  ///   - window: How often it may be renewed; beyond that, requests fail with `authenticationFailed`.
  ///   - refresh: Fetches a new token. It is called in a task of its own, and never twice at once.
  public init(
    for origins: Set<Origin>, token: BearerToken? = nil, leeway: Duration = .seconds(30),
    window: RefreshWindow = RefreshWindow(), refresh: @escaping Refresh
  ) {
    self.origins = origins
    self.refresh = refresh
    state = Guarded(State(machine: TokenRefresh(token, window: window, leeway: leeway)))
  }

  /// Creates a source for the origins of some URLs.
  ///
  /// The path of a URL does not matter: its origin is sent the token, whatever the path of a request.
  ///
  /// - Parameters:
  ///   - urls: Whole URLs, such as an API's base URL. Name `https` URLs, because whoever reads a token can use it.
  ///   - token: The first token; nil fetches it before the first request.
  ///   - leeway: How long before its expiry a token is renewed; 0 or more.
  ///   - window: How often it may be renewed; beyond that, requests fail with `authenticationFailed`.
  ///   - refresh: Fetches a new token. It is called in a task of its own, and never twice at once.
  /// - Throws: `NetworkError` of kind `invalidURL` for a text that has no origin.
  public convenience init(
    for urls: [String], token: BearerToken? = nil, leeway: Duration = .seconds(30),
    window: RefreshWindow = RefreshWindow(), refresh: @escaping Refresh
  ) throws(NetworkError) {
    var origins: Set<Origin> = []
    for text in urls {
      let request = try Request(.get, text)
      do throws(InvalidOriginError) {
        origins.insert(try request.origin)
      } catch {
        let name = Redaction.name(of: request.url)
        throw NetworkError(
          .invalidURL, stage: .preparing, message: "\(name): \(error.message)", advice: error.advice, underlying: error)
      }
    }
    self.init(for: origins, token: token, leeway: leeway, window: window, refresh: refresh)
  }

  /// Replaces the token, for example after a new sign-in; nil removes it.
  ///
  /// Waiting requests get the new token at once, or fail when it was removed. The result of a running refresh is dropped; another
  /// one begins only after its end.
  public func set(_ token: BearerToken?) {
    let waiting = state.withLock { state in
      let told = state.machine.set(token)
      return state.take(told)
    }
    let outcome: Result<BearerToken, any Error> = token.map { .success($0) } ?? .failure(Self.takenAway)
    for continuation in waiting { continuation.resume(with: outcome) }
  }

  /// Returns the token to send, renewing it first if necessary.
  ///
  /// - Parameters:
  ///   - refused: The token that a server has just refused; nil if none was sent.
  ///   - clock: The clock that measures expiry and window.
  /// - Throws: `NetworkError` of kind `authenticationFailed`, with what `refresh` threw as its underlying error;
  ///   `CancellationError`.
  public func token(refused: String? = nil, clock: any NetworkClock = .system) async throws -> BearerToken {
    let waiter = state.withLock { $0.machine.enter() }
    let (now, date) = (clock.now, clock.date)
    defer { state.withLock { $0.machine.exit(waiter) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<BearerToken, any Error>) in
        let reply = state.withLock { state in
          let reply = state.machine.ask(waiter, refused: refused, now: now, date: date)
          if case .wait = reply { state.waiting[waiter] = continuation }
          return (reply, state.machine.token)
        }
        switch reply.0 {
        case .token(let token): continuation.resume(returning: token)
        case .left: continuation.resume(throwing: CancellationError())
        case .tooMany: continuation.resume(throwing: Self.tooManyRefreshes)
        case .wait(starts: nil): break
        case .wait(starts: let number?): start(number, from: reply.1, clock)
        }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.machine.leave(waiter) ? state.waiting.removeValue(forKey: waiter) : nil
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Whether the current task belongs to this source's own refresh.
  var isRefreshing: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

  /// The number of requests that wait for the running refresh.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// Runs the refresh in a detached task.
  ///
  /// Cancelling a request must not cancel a refresh that others wait for.
  private func start(_ number: UInt64, from last: BearerToken?, _ clock: any NetworkClock) {
    let sources = Self.refreshing + [ObjectIdentifier(self)]
    Task.detached { [self] in
      let outcome: Result<BearerToken, any Error>
      do {
        let renewed = try await Self.$refreshing.withValue(sources) { try await refresh(last) }
        outcome = .success(renewed)
      } catch {
        outcome = .failure(Self.failed(error))
      }
      let (now, date) = (clock.now, clock.date)
      let (ending, told, last) = state.withLock { state in
        let ending = state.machine.finish(number, with: try? outcome.get(), now: now, date: date)
        let told = ending.told.compactMap { waiter, token in
          state.waiting.removeValue(forKey: waiter).map { ($0, token) }
        }
        return (ending, told, state.machine.token)
      }
      if let next = ending.starts { start(next, from: last, clock) }
      let failure = ending.isTooMany ? .failure(Self.tooManyRefreshes) : outcome
      for (continuation, token) in told { continuation.resume(with: token.map { .success($0) } ?? failure) }
    }
  }

  /// The text of an error of another kind is not shown: it may contain the token.
  private static func failed(_ error: any Error) -> NetworkError {
    let cause = error as? NetworkError
    return NetworkError(
      .authenticationFailed, stage: .preparing,
      message: "The bearer token could not be renewed: \(cause?.sentence ?? "\(type(of: error)).")",
      advice: cause?.details.responseBody == nil
        ? cause?.advice : "The error of that request is `error.details.underlying`, with its status and body.",
      underlying: error)
  }

  private static let takenAway = NetworkError(
    .authenticationFailed, stage: .preparing, message: "The bearer token was removed.", advice: "Sign in again.")

  private static let tooManyRefreshes = NetworkError(
    .authenticationFailed, stage: .preparing,
    message: "The bearer token was renewed as often as its RefreshWindow allows, and the server still refuses it.")
}
