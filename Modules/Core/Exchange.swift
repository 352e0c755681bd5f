import Synchronization

/// The context of one logical request: who it is, what it may use, who is told.
///
/// One logical request may be sent several times (attempts) and to several places (hops). Each sending has an exchange
/// of its own, derived from the first; they share id, settings and the record of metrics. Safe from any isolation.
public final class Exchange: Sendable {
  /// Names one logical request in this process.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    /// 1…, in order of creation.
    public let number: UInt64
    /// What it is, in words without secrets.
    public var description: String { String(number) }
  }

  /// The logical request.
  public let id: ID
  /// Which attempt this is, 1….
  public let attempt: Int
  /// How many redirects and answered challenges came before in this attempt, 0….
  public let hop: Int
  /// Whether the transport must open a connection of its own for it.
  public let requiresFreshConnection: Bool
  /// What the request may use.
  public var settings: ExchangeSettings { @inlinable _read { yield shared.settings } }
  @usableFromInline let shared: SharedSettings
  private let ledger: ExchangeLedger

  /// Settings that many exchanges have in common, so that a new one copies a reference; what most requests go without is
  /// seen without a look at it.
  @usableFromInline package final class SharedSettings: Sendable {
    @usableFromInline package let settings: ExchangeSettings
    let hasDeadline: Bool
    let hasServerTrust: Bool
    let hasProxy: Bool

    package init(_ settings: ExchangeSettings) {
      self.settings = settings
      hasDeadline = settings.deadline != nil
      hasServerTrust = settings.serverTrust != nil
      hasProxy = settings.proxy != nil
    }
  }

  /// Begins a logical request.
  public convenience init(_ settings: ExchangeSettings = ExchangeSettings()) { self.init(SharedSettings(settings)) }

  /// Begins a logical request with settings that others have too.
  package init(_ shared: SharedSettings) {
    id = ID(number: Self.lastID.add(1, ordering: .relaxed).newValue)
    attempt = 1
    hop = 0
    requiresFreshConnection = false
    self.shared = shared
    ledger = ExchangeLedger()
  }

  private init(_ origin: Exchange, attempt: Int, hop: Int, fresh: Bool, settings: ExchangeSettings) {
    id = origin.id
    self.attempt = attempt
    self.hop = hop
    requiresFreshConnection = fresh
    shared = SharedSettings(settings)
    ledger = origin.ledger
  }

  private static let lastID = Atomic<UInt64>(0)

  /// The same logical request at another point.
  ///
  /// - Parameters:
  ///   - attempt: nil keeps it.
  ///   - hop: nil keeps it.
  ///   - freshConnection: Whether a connection that is there already may not be used.
  ///   - change: Changes a copy of the settings.
  public func derived(
    attempt: Int? = nil, hop: Int? = nil, freshConnection: Bool = false,
    _ change: (inout ExchangeSettings) -> Void = { _ in }
  ) -> Exchange {
    var settings = settings
    change(&settings)
    if let hop { ledger.note(hop: hop, of: attempt ?? self.attempt) }
    return Exchange(
      self, attempt: attempt ?? self.attempt, hop: hop ?? self.hop, fresh: freshConnection, settings: settings)
  }

  /// The same attempt at its next hop: one more than the highest that any exchange of this attempt has come to.
  ///
  /// A redirect and an answered challenge each go on with it, so that their hops are counted together although neither
  /// knows of the other.
  ///
  /// - Parameter change: Changes a copy of the settings.
  public func nextHop(_ change: (inout ExchangeSettings) -> Void = { _ in }) -> Exchange {
    var settings = settings
    change(&settings)
    let hop = ledger.takeHop(after: hop, of: attempt)
    return Exchange(self, attempt: attempt, hop: hop, fresh: false, settings: settings)
  }

  /// Whether it must be over at some time.
  package var hasDeadline: Bool { shared.hasDeadline }

  /// Whether it has an evaluator of its own.
  package var hasServerTrust: Bool { shared.hasServerTrust }

  /// Whether it goes through a proxy.
  package var hasProxy: Bool { shared.hasProxy }

  /// Whether anyone looks at events.
  public var isObserved: Bool { !settings.observers.isEmpty }

  /// Tells the observers; costs nothing when there are none.
  ///
  /// Observers are told one event after the other. The first `.finished` is the last: whatever comes later, a second
  /// `.finished` too, is told to no one. Of two tasks that emit at once, one tells both events.
  public func emit(_ kind: @autoclosure () -> ExchangeEvent.Kind) {
    guard isObserved else { return }
    ledger.tell(
      ExchangeEvent(exchange: id, attempt: attempt, hop: hop, instant: settings.clock.now, kind: kind()), settings)
  }

  /// Adds the measurements of one sending; called by the transport when its body has ended, failed or was dropped.
  public func record(_ metrics: ExchangeMetrics) { ledger.record(metrics) }

  /// The measurements so far, one for each attempt and hop that was sent; of more than 1,000 the newest.
  public var metrics: [ExchangeMetrics] { ledger.metrics }
}

extension Exchange {
  /// The value that was set for a key.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? { settings.userInfo[key] }
}
