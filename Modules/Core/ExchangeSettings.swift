/// What a logical request may use, as a value.
public struct ExchangeSettings: Sendable {
  /// The time.
  public var clock: any NetworkClock = SystemClock()
  /// When the logical request as a whole must be over, all attempts and waits included; nil is never.
  public var deadline: ContinuousClock.Instant?
  /// Decides whether a server's certificate chain is trusted; nil is the transport's own default, the system's anchors.
  public var serverTrust: (any ServerTrustEvaluating)?
  /// What is presented to a server that asks for a certificate; nil is none.
  public var clientIdentity: ClientIdentity?
  /// The proxy; nil goes straight to the server.
  public var proxy: Proxy?
  /// Who is told what happens.
  public var observers: [any EventObserver] = []
  /// The questions that only the app can answer.
  public var hooks = ExchangeHooks()
  /// What observers are not shown.
  public var redaction = Redaction.standard
  /// The app's own values.
  public var userInfo = UserInfo()

  /// Settings that are all at their defaults.
  public init() {}
}

/// A key of `UserInfo`, which names the type of its value.
public protocol UserInfoKey {
  /// What is stored under the key.
  associatedtype Value: Sendable
}

/// The app's own values, by type instead of by string.
public struct UserInfo: Sendable {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Holds nothing.
  public init() {}

  /// The value under a key; nil when there is none.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { values[ObjectIdentifier(key)] as? Key.Value }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
