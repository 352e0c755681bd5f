#if Configuration
public import Configuration
import CurlewCore
import CurlewLoading
import CurlewRequests
import CurlewSecurity
public import CurlewSession
import FoundationEssentials

extension SessionConfiguration {
  /// Sets what a configuration says: the environment, a file of JSON or YAML, or another provider of swift-configuration.
  ///
  /// ```swift
  /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
  /// var configuration = SessionConfiguration()
  /// try configuration.apply(config.scoped(to: "birds"))     // BIRDS_BASE_URL, BIRDS_TIMEOUT_TOTAL, …
  /// ```
  ///
  /// | key | value |
  /// |---|---|
  /// | `baseURL` | the URL that paths are relative to |
  /// | `timeout.connect`, `timeout.idle`, `timeout.total` | seconds, more than 0 |
  /// | `retry.limit` | attempts after the first; 0 sends each request once |
  /// | `retry.budget` | the most seconds for all attempts of a request |
  /// | `proxy` | `http://` or `socks5://`, with user and password if it asks for them |
  /// | `pins`, `backupPins` | lists of `sha256/…`, for the public keys of the server |
  ///
  /// A key that is missing changes nothing. A value that cannot be used is an error, and then nothing is changed: a wrong timeout or
  /// a wrong pin is not ignored. With pins, `settings.serverTrust` is replaced by a `SecurityPolicy` that requires one of them.
  ///
  /// - Throws: ``SettingError`` with the key.
  public mutating func apply(_ config: ConfigReader) throws(SettingError) {
    var changed = self
    let settings = SettingReader(config)
    if let text = try settings.text("baseURL") {
      do throws(NetworkError) {
        changed.baseURL = try BaseURL(text)
      } catch {
        throw SettingError("baseURL", [error.message, error.advice].compactMap(\.self).joined(separator: " "))
      }
    }
    if let time = try settings.duration("timeout.connect") { changed.options.timeouts.connect = time }
    if let time = try settings.duration("timeout.idle") { changed.options.timeouts.idle = time }
    if let time = try settings.duration("timeout.total") { changed.options.timeouts.total = time }
    try changed.applyRetries(settings)
    if let text = try settings.text("proxy", isSecret: true) {
      guard let proxy = Proxy(setting: text) else {
        throw SettingError("proxy", "expected http:// or socks5:// with a host")
      }
      changed.settings.proxy = proxy
    }
    try changed.applyPins(settings)
    self = changed
  }

  private mutating func applyRetries(_ settings: SettingReader) throws(SettingError) {
    if let limit = try settings.count("retry.limit") {
      if limit == 0 {
        retry = nil
      } else {
        var policy = retry ?? RetryPolicy()
        policy.limit = limit
        retry = policy
      }
    }
    if let budget = try settings.duration("retry.budget") {
      guard var policy = retry else { throw SettingError("retry.budget", "there are no retries; set retry.limit, too") }
      policy.budget = budget
      retry = policy
    }
  }

  private mutating func applyPins(_ settings: SettingReader) throws(SettingError) {
    let pins = try settings.pins("pins")
    let backups = try settings.pins("backupPins")
    guard let pins else {
      guard backups == nil else { throw SettingError("backupPins", "there are no pins; set pins, too") }
      return
    }
    var policy = SecurityPolicy.Settings()
    policy.pinningMode = .publicKey
    policy.publicKeyPins = pins
    policy.backupPublicKeyPins = backups ?? []
    do throws(SecurityError) {
      self.settings.serverTrust = try SecurityPolicy(policy, baseURL: baseURL?.url)
    } catch {
      throw SettingError("pins", error.message)
    }
  }
}

extension Proxy {
  /// Reads `scheme://[user:password@]host[:port]`.
  fileprivate init?(setting text: String) {
    guard let url = URL(keepingEscapes: text), let host = url.host(percentEncoded: false), !host.isEmpty else {
      return nil
    }
    let (kind, port): (Proxy.Kind, Int)
    switch url.scheme?.lowercased() {
    case "http": (kind, port) = (.http, 80)
    case "socks5", "socks5h": (kind, port) = (.socks5, 1080)
    default: return nil
    }
    let credential = url.user(percentEncoded: false).map { user in
      Credential.password(user: user, password: url.password(percentEncoded: false) ?? "")
    }
    self.init(kind, host: host, port: url.port ?? port, credential: credential)
  }
}
#endif
