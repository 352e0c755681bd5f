#if Configuration
import Configuration
import CurlewConfiguration
import CurlewCore
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct SettingTests {
  private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
  private static let backup = "sha256/BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private func applied(
    _ values: [AbsoluteConfigKey: ConfigValue], to old: SessionConfiguration? = nil
  ) throws
    -> SessionConfiguration
  {
    var configuration = old ?? SessionConfiguration(.shared(StubTransport(.text(""))))
    try configuration.apply(ConfigReader(provider: InMemoryProvider(values: values)))
    return configuration
  }

  @Test func `every key sets what it names`() throws {
    let configuration = try applied([
      "baseURL": "https://birds.test/v1", "timeout.connect": 0.5, "timeout.idle": 10, "timeout.total": 30,
      "retry.limit": 2, "retry.budget": 60, "proxy": "socks5://user:s%20ecret@proxy.test:9050",
      "pins": .init(.stringArray([Self.pin]), isSecret: false),
      "backupPins": .init(.stringArray([Self.backup]), isSecret: false),
    ])
    #expect(configuration.baseURL?.url.absoluteString == "https://birds.test/v1/")
    #expect(
      configuration.options.timeouts == Timeouts(connect: .milliseconds(500), idle: .seconds(10), total: .seconds(30)))
    #expect(configuration.retry?.limit == 2 && configuration.retry?.budget == .seconds(60))
    let proxy = Proxy(
      .socks5, host: "proxy.test", port: 9050, credential: .password(user: "user", password: "s ecret"))
    #expect(configuration.settings.proxy == proxy)
    let policy = try #require(configuration.settings.serverTrust as? SecurityPolicy)
    #expect(policy.settings.pinningMode == .publicKey)
    #expect(policy.settings.publicKeyPins == [try PublicKeyPin(Self.pin)])
    #expect(policy.settings.backupPublicKeyPins == [try PublicKeyPin(Self.backup)])
  }

  @Test func `a key that is missing changes nothing, and 0 retries turn them off`() throws {
    var old = SessionConfiguration(.shared(StubTransport(.text(""))))
    old.options.timeouts.total = .seconds(7)
    old.retry = RetryPolicy()
    let kept = try applied([:], to: old)
    #expect(kept.options.timeouts.total == .seconds(7) && kept.retry != nil && kept.settings.serverTrust == nil)
    #expect(try applied(["retry.limit": 0], to: old).retry == nil)
  }

  @Test func `the environment's variables are read by their names`() throws {
    let variables = ["BIRDS_BASE_URL": "https://birds.test/", "BIRDS_TIMEOUT_TOTAL": "1.5", "BIRDS_PINS": Self.pin]
    let provider = EnvironmentVariablesProvider(environmentVariables: variables)
    var configuration = SessionConfiguration(.shared(StubTransport(.text(""))))
    try configuration.apply(ConfigReader(provider: provider).scoped(to: "birds"))
    #expect(configuration.baseURL?.url.absoluteString == "https://birds.test/")
    #expect(configuration.options.timeouts.total == .milliseconds(1500))
    #expect(configuration.settings.serverTrust != nil)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var key: String
    var values: [AbsoluteConfigKey: ConfigValue]
    var testDescription: String { "\(key) \(values)" }
  }

  private static let wrong: [Wrong] = [
    Wrong(key: "baseURL", values: ["baseURL": "birds"]),
    Wrong(key: "baseURL", values: ["baseURL": 7]),
    Wrong(key: "timeout.total", values: ["timeout.total": "ten"]),
    Wrong(key: "timeout.total", values: ["timeout.total": true]),
    Wrong(key: "timeout.idle", values: ["timeout.idle": 0]),
    Wrong(key: "timeout.connect", values: ["timeout.connect": -1.5]),
    Wrong(key: "timeout.connect", values: ["timeout.connect": 1e300]),
    Wrong(key: "retry.limit", values: ["retry.limit": -1]),
    Wrong(key: "retry.limit", values: ["retry.limit": "many"]),
    Wrong(key: "retry.budget", values: ["retry.budget": 60]),
    Wrong(key: "proxy", values: ["proxy": "ftp://s3cret@proxy.test"]),
    Wrong(key: "proxy", values: ["proxy": "http://"]),
    Wrong(key: "pins", values: ["pins": .init(.stringArray(["sha256/short"]), isSecret: false)]),
    Wrong(key: "pins", values: ["pins": .init(.stringArray([]), isSecret: false)]),
    Wrong(key: "pins", values: ["pins": true]),
    Wrong(key: "backupPins", values: ["backupPins": .init(.stringArray([pin]), isSecret: false)]),
  ]

  @Test(arguments: wrong)
  func `a value that cannot be used is an error that names its key, and nothing is changed`(wrong: Wrong) throws {
    var configuration = SessionConfiguration(.shared(StubTransport(.text(""))))
    var values = wrong.values
    if wrong.key != "baseURL" { values["baseURL"] = "https://birds.test/" }
    let config = ConfigReader(provider: InMemoryProvider(values: values))
    let error = #expect(throws: SettingError.self) { try configuration.apply(config) }
    #expect(error?.key == wrong.key && error?.description.contains("s3cret") == false)
    #expect(configuration.baseURL == nil && configuration.settings.serverTrust == nil && configuration.retry == nil)
  }
}
#endif
