import CurlewCore
import FoundationEssentials

/// The state machine of one token, its waiting requests and at most one refresh.
///
/// It uses no clocks, tasks or locks.
struct TokenRefresh {
  typealias Waiter = UInt64

  /// The reply to a request that asks for the token.
  enum Reply: Equatable {
    case token(BearerToken)
    /// Wait for the token, which `finish`, `set` or `leave` brings.
    ///
    /// If `starts` is set, the caller must also start the refresh with that number.
    case wait(starts: UInt64?)
    /// The token was refreshed too often within the window.
    case tooMany
    /// The request was cancelled before it asked.
    case left
  }

  private(set) var token: BearerToken?
  /// The number of the refresh that is running; nil without one.
  private(set) var running: UInt64?
  /// The waiting requests, each with the token that a server refused, if any.
  private var waiting: [Waiter: String?] = [:]
  /// The requests that wait for the running refresh.
  var waiters: Set<Waiter> { Set(waiting.keys) }
  private var departed: Set<Waiter> = []
  private var starts: [ContinuousClock.Instant] = []
  private var lastWaiter: Waiter = 0
  private var lastRefresh: UInt64 = 0
  private let window: RefreshWindow
  private let leeway: Duration

  init(_ token: BearerToken?, window: RefreshWindow, leeway: Duration) {
    self.token = token
    self.window = window
    self.leeway = leeway
  }

  /// Returns the identifier of a request that is about to ask.
  mutating func enter() -> Waiter {
    lastWaiter += 1
    return lastWaiter
  }

  /// Asks for a token.
  ///
  /// - Parameter refused: The value of the token that a server refused; nil when none was sent.
  mutating func ask(_ waiter: Waiter, refused: String?, now: ContinuousClock.Instant, date: Date) -> Reply {
    guard departed.remove(waiter) == nil else { return .left }
    let usable = token.flatMap { $0.value == refused || isPast($0, date, .zero) ? nil : $0 }
    if let usable, !isPast(usable, date, leeway) { return .token(usable) }
    if running == nil {
      starts.removeAll { $0.duration(to: now) >= window.interval }
      // A token that lives shorter than the leeway is used until it expires.
      guard starts.count < max(1, window.limit) else { return usable.map { .token($0) } ?? .tooMany }
      starts.append(now)
      lastRefresh += 1
      running = lastRefresh
      waiting.updateValue(refused, forKey: waiter)
      return .wait(starts: lastRefresh)
    }
    waiting.updateValue(refused, forKey: waiter)
    return .wait(starts: nil)
  }

  /// Removes a cancelled request.
  ///
  /// - Returns: Whether the request was waiting; the caller must then resume it.
  mutating func leave(_ waiter: Waiter) -> Bool {
    if waiting.removeValue(forKey: waiter) != nil { return true }
    departed.insert(waiter)
    return false
  }

  /// Removes a request that has its reply.
  mutating func exit(_ waiter: Waiter) { departed.remove(waiter) }

  /// Ends a refresh and returns every waiting request with the token to send.
  ///
  /// The token is nil for requests that fail. When an early renewal fails and the present token is still valid, requests whose
  /// server has not refused it get that token, and the next request starts another renewal. An outdated refresh changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - renewed: The new token; nil when the refresh failed.
  ///   - date: The present date, which decides whether the token is still valid.
  mutating func finish(
    _ refresh: UInt64, with renewed: BearerToken?, date: Date
  ) -> [(waiter: Waiter, token: BearerToken?)] {
    guard refresh == running else { return [] }
    running = nil
    if let renewed { token = renewed }
    let lasting = renewed ?? token.flatMap { isPast($0, date, .zero) ? nil : $0 }
    defer { waiting = [:] }
    return waiting.sorted { $0.key < $1.key }.map { waiter, refused in
      (waiter, renewed == nil && lasting?.value == refused ? nil : lasting)
    }
  }

  /// Replaces or removes the token, and returns the requests to resume.
  ///
  /// A running refresh becomes outdated.
  mutating func set(_ token: BearerToken?) -> Set<Waiter> {
    self.token = token
    running = nil
    defer { waiting = [:] }
    return waiters
  }

  private func isPast(_ token: BearerToken, _ date: Date, _ leeway: Duration) -> Bool {
    guard let expires = token.expires else { return false }
    let (seconds, attoseconds) = leeway.components
    return date.timeIntervalSince1970 + Double(seconds) + Double(attoseconds) * 1e-18 >= expires.timeIntervalSince1970
  }
}
