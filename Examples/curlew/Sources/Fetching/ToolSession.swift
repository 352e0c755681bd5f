import ArgumentParser
import CurlewCore
import CurlewLoading
import CurlewSecurity
import FoundationEssentials

/// What all requests of one run share: the loader with its transport, and the settings that are not the request's own.
struct ToolSession: Sendable {
  let loader: Loader
  private let transport: any Transport
  private let proxy: ProxyArgument?
  private let trust: TrustSettings
  private let credentials: CredentialSettings
  private let observers: [any EventObserver]
  private let caching: Caching?

  init(
    _ connection: ConnectionArguments, trust: TrustSettings = TrustSettings(),
    credentials: CredentialSettings = CredentialSettings(), caching: Caching? = nil, parallel: Int, tracing: Bool
  ) throws {
    transport = try connection.transport.make(parallel: parallel)
    self.caching = caching
    loader = Loader(transport, chain: InterceptorChain(authentication: Authentication(), caching: caching))
    proxy = connection.proxy
    self.trust = trust
    self.credentials = credentials
    observers = tracing ? [TraceObserver()] : []
  }

  /// The settings of a request's exchange.
  @Sendable func settings(_ request: Request) -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.proxy = proxy?.proxy(for: request.url, environment: ProcessInfo.processInfo.environment)
    settings.serverTrust = trust.evaluator
    settings.clientIdentity = trust.identity
    settings.observers = observers
    credentials.apply(to: &settings, for: request)
    return settings
  }

  /// Lets the cache finish what it asks about, and closes what is open.
  func end() async {
    await caching?.waitForRevalidations()
    await transport.shutdown()
  }
}
