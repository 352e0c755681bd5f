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
  /// Whether the result of the running refresh is dropped, because the app has set another token.
  private var isOutdated = false
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
      // A token that lives shorter than the leeway is used until it expires.
      guard let number = start(at: now) else { return usable.map { .token($0) } ?? .tooMany }
      waiting.updateValue(refused, forKey: waiter)
      return .wait(starts: number)
    }
    waiting.updateValue(refused, forKey: waiter)
    return .wait(starts: nil)
  }

  /// Begins a refresh; nil if there were too many within the window.
  private mutating func start(at now: ContinuousClock.Instant) -> UInt64? {
    starts.removeAll { $0.duration(to: now) >= window.interval }
    guard starts.count < max(1, window.limit) else { return nil }
    starts.append(now)
    lastRefresh += 1
    running = lastRefresh
    return lastRefresh
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

  /// What follows from the end of a refresh.
  struct Ending {
    /// The requests to resume, each with the token to send; nil for one that fails.
    var told: [(waiter: Waiter, token: BearerToken?)] = []
    /// The number of the refresh that the caller must start for those that still wait.
    var starts: UInt64?
    /// Whether those that fail do so because the token was refreshed too often within the window.
    var isTooMany = false
  }

  /// Ends a refresh and returns the waiting requests to resume.
  ///
  /// When an early renewal fails and the present token is still valid, requests whose server has not refused it get that token,
  /// and the next request starts another renewal. The result of an outdated refresh is dropped. Requests that could not be sent
  /// with the token that the app has set meanwhile have waited for its end, and another refresh begins for them: a refresh token
  /// can often be used only once, so two refreshes never overlap.
  ///
  /// - Parameters:
  ///   - renewed: The new token; nil when the refresh failed.
  ///   - now: The time, for the window of a refresh that follows.
  ///   - date: The present date, which decides whether the token is still valid.
  mutating func finish(
    _ refresh: UInt64, with renewed: BearerToken?, now: ContinuousClock.Instant, date: Date
  ) -> Ending {
    guard refresh == running else { return Ending() }
    running = nil
    if isOutdated {
      isOutdated = false
      guard !waiting.isEmpty else { return Ending() }
      if let number = start(at: now) { return Ending(starts: number) }
      return Ending(told: tellAll(lasting(at: date), isNew: false), isTooMany: true)
    }
    if let renewed { token = renewed }
    return Ending(told: tellAll(renewed ?? lasting(at: date), isNew: renewed != nil))
  }

  /// The present token, unless it has expired.
  private func lasting(at date: Date) -> BearerToken? { token.flatMap { isPast($0, date, .zero) ? nil : $0 } }

  /// Removes all waiting requests, and returns each with the token to send.
  private mutating func tellAll(_ token: BearerToken?, isNew: Bool) -> [(waiter: Waiter, token: BearerToken?)] {
    defer { waiting = [:] }
    return waiting.sorted { $0.key < $1.key }.map { waiter, refused in
      (waiter, !isNew && token?.value == refused ? nil : token)
    }
  }

  /// Replaces or removes the token, and returns the requests to resume.
  ///
  /// A running refresh becomes outdated: its result is dropped, and the next refresh begins after it.
  mutating func set(_ token: BearerToken?) -> Set<Waiter> {
    self.token = token
    isOutdated = running != nil
    defer { waiting = [:] }
    return waiters
  }

  private func isPast(_ token: BearerToken, _ date: Date, _ leeway: Duration) -> Bool {
    guard let expires = token.expires else { return false }
    return date.timeIntervalSince1970 + leeway / .seconds(1) >= expires.timeIntervalSince1970
  }
}
