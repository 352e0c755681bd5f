import Synchronization

/// The context of one logical request: identity, settings, observers and metrics.
///
/// One logical request may be sent several times (attempts) and to several places (hops). Each sending has its own
/// exchange, derived from the first; they share the identity, settings and metrics. Safe from any isolation.
public final class Exchange: Sendable {
  /// Identifies a logical request in this process.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    /// The number, from 1, in order of creation.
    public let number: UInt64
    /// The number as text.
    public var description: String { String(number) }
  }

  /// The identity of the logical request.
  public let id: ID
  /// The number of the attempt, from 1.
  public let attempt: Int
  /// The number of earlier redirects and answered challenges in this attempt.
  public let hop: Int
  /// Whether the transport must open a new connection.
  public let requiresFreshConnection: Bool
  /// The settings of the request.
  public var settings: ExchangeSettings { @inlinable _read { yield shared.settings } }
  @usableFromInline let shared: SharedSettings
  private let ledger: ExchangeLedger
  /// The signal of this attempt only; nil if the settings' signal applies.
  private let ownPause: PauseSignal?

  /// Settings that many exchanges share, so that a new one only copies a reference.
  ///
  /// Flags tell whether rarely used settings are set, without reading them.
  @usableFromInline package final class SharedSettings: Sendable {
    @usableFromInline package let settings: ExchangeSettings
    let hasDeadline: Bool
    let hasServerTrust: Bool
    let hasProxy: Bool
    let mayPause: Bool

    package init(_ settings: ExchangeSettings) {
      self.settings = settings
      hasDeadline = settings.deadline != nil
      hasServerTrust = settings.serverTrust != nil
      hasProxy = settings.proxy != nil
      mayPause = settings.pause != nil
    }
  }

  /// Starts a logical request.
  public convenience init(_ settings: ExchangeSettings = ExchangeSettings()) { self.init(SharedSettings(settings)) }

  /// Starts a logical request with shared settings.
  ///
  /// - Parameter pause: A signal that pauses the first attempt only; nil if the settings' signal applies.
  package init(_ shared: SharedSettings, pausedBy pause: PauseSignal? = nil) {
    id = ID(number: Self.lastID.add(1, ordering: .relaxed).newValue)
    attempt = 1
    hop = 0
    requiresFreshConnection = false
    self.shared = shared
    ledger = ExchangeLedger()
    ownPause = pause
  }

  private init(
    _ origin: Exchange, attempt: Int, hop: Int, fresh: Bool, _ shared: SharedSettings, _ ownPause: PauseSignal?
  ) {
    id = origin.id
    self.attempt = attempt
    self.hop = hop
    requiresFreshConnection = fresh
    self.shared = shared
    ledger = origin.ledger
    self.ownPause = ownPause
  }

  private static let lastID = Atomic<UInt64>(0)

  /// Returns an exchange for the same logical request at another point.
  ///
  /// - Parameters:
  ///   - attempt: The number of the attempt; nil keeps it.
  ///   - hop: The number of the hop; nil keeps it.
  ///   - freshConnection: Whether the transport must open a new connection.
  ///   - change: Changes a copy of the settings.
  public func derived(
    attempt: Int? = nil, hop: Int? = nil, freshConnection: Bool = false,
    _ change: (inout ExchangeSettings) -> Void = { _ in }
  ) -> Exchange {
    var settings = settings
    change(&settings)
    if let hop { ledger.note(hop: hop, of: attempt ?? self.attempt) }
    return Exchange(
      self, attempt: attempt ?? self.attempt, hop: hop ?? self.hop, fresh: freshConnection, SharedSettings(settings),
      ownPause)
  }

  /// Returns an exchange for an attempt that is paused by a signal of its own.
  ///
  /// - Parameter change: Changes a copy of the settings; nil shares them, which costs nothing.
  package func attempt(
    _ number: Int, pausedBy pause: PauseSignal, _ change: ((inout ExchangeSettings) -> Void)? = nil
  ) -> Exchange {
    var shared = shared
    if let change {
      var settings = settings
      change(&settings)
      shared = SharedSettings(settings)
    }
    return Exchange(self, attempt: number, hop: hop, fresh: false, shared, pause)
  }

  /// Returns an exchange for the next hop of the attempt.
  ///
  /// Its number is one higher than that of any other hop of the attempt. Redirects and answered challenges both use it,
  /// so that their hops are counted together although neither knows of the other.
  ///
  /// - Parameter change: Changes a copy of the settings.
  public func nextHop(_ change: (inout ExchangeSettings) -> Void = { _ in }) -> Exchange {
    var settings = settings
    change(&settings)
    let hop = ledger.takeHop(after: hop, of: attempt)
    return Exchange(self, attempt: attempt, hop: hop, fresh: false, SharedSettings(settings), ownPause)
  }

  /// Whether it has a deadline.
  package var hasDeadline: Bool { shared.hasDeadline }

  /// Whether it has its own trust evaluator.
  package var hasServerTrust: Bool { shared.hasServerTrust }

  /// Whether it uses a proxy.
  package var hasProxy: Bool { shared.hasProxy }

  /// The signal that can pause the exchange; nil if nothing can pause it.
  ///
  /// It is the attempt's own in a `Transfer`, otherwise that of the settings.
  public var pause: PauseSignal? { ownPause ?? (shared.mayPause ? settings.pause : nil) }

  /// Whether it has observers.
  public var isObserved: Bool { !settings.observers.isEmpty }

  /// Sends an event to the observers; costs nothing without any.
  ///
  /// Observers receive one event after the other. The first `.finished` is the last event: later ones, including a
  /// second `.finished`, are dropped. When two tasks emit at once, one of them delivers both events.
  public func emit(_ kind: @autoclosure () -> ExchangeEvent.Kind) {
    guard isObserved else { return }
    ledger.tell(
      ExchangeEvent(exchange: id, attempt: attempt, hop: hop, instant: settings.clock.now, kind: kind()), shared)
  }

  /// Adds the metrics of one sending.
  ///
  /// The transport calls it when the body has ended, failed or was released.
  public func record(_ metrics: ExchangeMetrics) { ledger.record(metrics) }

  /// The metrics so far, one for each attempt and hop that was sent.
  ///
  /// Only the newest 1,000 are kept.
  public var metrics: [ExchangeMetrics] { ledger.metrics }
}

extension Exchange {
  /// The value that was set for a key; nil if it was not set.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? { settings.userInfo[key] }
}
