/// The settings of a logical request, as a value.
public struct ExchangeSettings: Sendable {
  /// The clock.
  public var clock: any NetworkClock = SystemClock()
  /// The deadline of the logical request; nil means none.
  ///
  /// It includes all attempts and delays.
  public var deadline: ContinuousClock.Instant?
  /// Evaluates the server's certificate chain; nil uses the transport's default.
  ///
  /// The default trusts the system's anchors.
  public var serverTrust: (any ServerTrustEvaluating)?
  /// The identity for servers that ask for a certificate; nil presents none.
  public var clientIdentity: ClientIdentity?
  /// The proxy; nil connects to the server directly.
  public var proxy: Proxy?
  /// The signal that pauses the request; nil if it cannot be paused.
  ///
  /// Transports and interceptors read `Exchange.pause`, since each attempt of a `Transfer` has a signal of its own.
  public var pause: PauseSignal?
  /// The observers of events.
  public var observers: [any EventObserver] = []
  /// Questions that only the app can answer.
  public var hooks = ExchangeHooks()
  /// Defines which values observers must not see.
  public var redaction = Redaction.standard
  /// The app's own values.
  public var userInfo = UserInfo()

  /// Creates settings with their defaults.
  public init() {}
}

/// A key of `UserInfo`, which determines the type of its value.
public protocol UserInfoKey {
  /// The type of the value.
  associatedtype Value: Sendable
}

/// The app's own values, keyed by type.
public struct UserInfo: Sendable {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Creates an empty collection.
  public init() {}

  /// The value of a key; nil if it is unset, and setting nil removes it.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { values[ObjectIdentifier(key)] as? Key.Value }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
