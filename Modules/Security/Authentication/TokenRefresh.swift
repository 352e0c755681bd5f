import CurlewCore
import FoundationEssentials

/// One token, those who wait for it, and at most one refresh: a state machine without time, tasks or locks.
struct TokenRefresh {
  typealias Waiter = UInt64

  /// What one who asks is told.
  enum Reply: Equatable {
    case token(BearerToken)
    /// The answer comes with `finish`, `set` or `leave`; with `starts` the asker also starts the refresh of this number.
    case wait(starts: UInt64?)
    /// Too many refreshes in the window.
    case tooMany
    /// It left before it asked.
    case left
  }

  private(set) var token: BearerToken?
  /// The number of the refresh under way.
  private(set) var running: UInt64?
  private(set) var waiters: Set<Waiter> = []
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

  /// The name of one who is about to ask.
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
      // A token whose life is shorter than the leeway is used until it ends.
      guard starts.count < max(1, window.limit) else { return usable.map { .token($0) } ?? .tooMany }
      starts.append(now)
      lastRefresh += 1
      running = lastRefresh
      waiters.insert(waiter)
      return .wait(starts: lastRefresh)
    }
    waiters.insert(waiter)
    return .wait(starts: nil)
  }

  /// One no longer waits; true when it did, and is to be told so now.
  mutating func leave(_ waiter: Waiter) -> Bool {
    if waiters.remove(waiter) != nil { return true }
    departed.insert(waiter)
    return false
  }

  /// One was told and will not come again.
  mutating func exit(_ waiter: Waiter) { departed.remove(waiter) }

  /// A refresh is over; gives who is to be told, each once. An outdated refresh changes nothing.
  mutating func finish(_ refresh: UInt64, with renewed: BearerToken?) -> Set<Waiter> {
    guard refresh == running else { return [] }
    running = nil
    if let renewed { token = renewed }
    return takeWaiters()
  }

  /// The app puts a token in place, or takes it away: a refresh under way is outdated, and all who wait are told.
  mutating func set(_ token: BearerToken?) -> Set<Waiter> {
    self.token = token
    running = nil
    return takeWaiters()
  }

  private mutating func takeWaiters() -> Set<Waiter> {
    defer { waiters = [] }
    return waiters
  }

  private func isPast(_ token: BearerToken, _ date: Date, _ leeway: Duration) -> Bool {
    guard let expires = token.expires else { return false }
    let (seconds, attoseconds) = leeway.components
    return date.timeIntervalSince1970 + Double(seconds) + Double(attoseconds) * 1e-18 >= expires.timeIntervalSince1970
  }
}
