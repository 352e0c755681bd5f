public import CurlewCore

/// Gives requests to some origins a bearer token, renewed once for all of them.
///
/// Requests to these origins, and to no others, get the token from the first one on. When it is about to end, or a server
/// refuses it, `refresh` is called, by one task however many requests need it; the others wait. A refresh that fails fails
/// all who wait, once; the next request tries again. A cancelled request stops waiting and nothing else: the refresh goes
/// on, since a refresh token can often be used only once. Safe from any isolation.
///
/// ```swift
/// let tokens = TokenSource(for: [api]) { _ in
///   let (data, _) = try await loader.data(for: signIn, upTo: 65_536)
///   return try BearerToken(reply: data)
/// }
/// let loader = Loader(.curl(), interceptors: [Authentication(tokens: [tokens])])
/// ```
///
/// Requests that `refresh` makes, in its own task or in child tasks, are left alone by the source they renew. In a
/// detached task they would wait for themselves. A `refresh` that does not end holds up all who wait: give its requests a
/// timeout.
public final class TokenSource: Sendable {
  /// Fetches a new token; is given the last one, nil before the first.
  public typealias Refresh = @Sendable (BearerToken?) async throws -> BearerToken

  /// Who is sent the token.
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

  /// The sources whose refresh the present task is part of.
  @TaskLocal private static var refreshing: [ObjectIdentifier] = []

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - origins: Who is sent the token; a token is worth what it opens, so name `https` origins.
  ///   - token: The first token; nil fetches it before the first request.
  ///   - leeway: How long before its end a token is renewed; 0 or more.
  ///   - window: How often it may be renewed; past that requests fail with `authenticationFailed`.
  ///   - refresh: Fetches a new token. Called by a task of its own, never twice at once.
  public init(
    for origins: Set<Origin>, token: BearerToken? = nil, leeway: Duration = .seconds(30),
    window: RefreshWindow = RefreshWindow(), refresh: @escaping Refresh
  ) {
    self.origins = origins
    self.refresh = refresh
    state = Guarded(State(machine: TokenRefresh(token, window: window, leeway: leeway)))
  }

  /// Puts another token in place, as after a new sign-in; nil takes it away.
  ///
  /// Requests that wait get it at once, or fail without it; what a refresh under way brings is dropped.
  public func set(_ token: BearerToken?) {
    let waiting = state.withLock { state in
      let told = state.machine.set(token)
      return state.take(told)
    }
    let outcome: Result<BearerToken, any Error> = token.map { .success($0) } ?? .failure(Self.takenAway)
    for continuation in waiting { continuation.resume(with: outcome) }
  }

  /// The token to send, renewed where it has to be.
  ///
  /// - Parameters:
  ///   - refused: The value of the token that a server has just refused; nil when none was.
  ///   - clock: The time.
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
        case .wait(starts: let number?): start(number, from: reply.1)
        }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.machine.leave(waiter) ? state.waiting.removeValue(forKey: waiter) : nil
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Whether a request is made by this source's own refresh.
  var isRefreshing: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

  /// How many wait for the refresh under way.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// Runs the refresh in a task of its own, so that no request's cancellation ends it.
  private func start(_ number: UInt64, from last: BearerToken?) {
    let sources = Self.refreshing + [ObjectIdentifier(self)]
    Task.detached { [self] in
      let outcome: Result<BearerToken, any Error>
      do {
        let renewed = try await Self.$refreshing.withValue(sources) { try await refresh(last) }
        outcome = .success(renewed)
      } catch {
        outcome = .failure(Self.failed(error))
      }
      let waiting = state.withLock { state in
        let told = state.machine.finish(number, with: try? outcome.get())
        return state.take(told)
      }
      for continuation in waiting { continuation.resume(with: outcome) }
    }
  }

  private static func failed(_ error: any Error) -> NetworkError {
    NetworkError(
      .authenticationFailed, stage: .preparing, message: "The bearer token could not be renewed.", underlying: error)
  }

  private static let takenAway = NetworkError(
    .authenticationFailed, stage: .preparing, message: "The bearer token was taken away; sign in again.")

  private static let tooManyRefreshes = NetworkError(
    .authenticationFailed, stage: .preparing,
    message: "The bearer token was renewed too often and refused again; see RefreshWindow.")
}
