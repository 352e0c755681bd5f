import ArgumentParser
import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewHAR
import CurlewLoading
import CurlewSecurity
import CurlewSession
import FoundationEssentials

/// The loader, the transport and the settings that all requests of one run share.
struct ToolSession: Sendable {
  let loader: Loader
  private let chain: InterceptorChain
  private let transport: any Transport
  private let proxy: ProxyArgument?
  private let cookies: CookieFile?
  private var trust: TrustSettings
  private let credentials: CredentialSettings
  private let observers: [any EventObserver]
  private let caching: Caching?

  init(
    _ connection: ConnectionArguments, cookies: CookieFile? = nil, trust: TrustSettings = TrustSettings(),
    credentials: CredentialSettings = CredentialSettings(), caching: Caching? = nil, parallel: Int,
    trace: TraceObserver?,
    recorder: HARRecorder? = nil
  ) throws {
    transport = try connection.transport.make(parallel: parallel)
    self.cookies = cookies
    self.caching = caching
    proxy = connection.proxy
    var chain = InterceptorChain(
      decoding: ContentDecoding(), redirect: Redirect(), cookies: cookies.map { Cookies($0.jar) },
      authentication: Authentication(), caching: caching)
    if case .environment = connection.proxy {
      chain.proxy = EnvironmentProxies(ProcessInfo.processInfo.environment)
    }
    self.chain = chain
    loader = Loader(transport, chain: chain)
    self.trust = trust
    // Of the transports, libcurl's alone asks who is to be trusted.
    if let trace, connection.transport == .named("curl") {
      self.trust.evaluator = TracedTrust(evaluator: trust.evaluator ?? SystemTrust(), trace: trace)
    }
    self.credentials = credentials
    observers = (trace.map { [$0] } ?? []) + (recorder.map { [$0] } ?? [])
  }

  /// Returns the settings for a request's exchange.
  @Sendable func settings(_ request: Request) -> ExchangeSettings {
    var settings = ExchangeSettings()
    if case .fixed(let proxy) = proxy { settings.proxy = proxy }
    settings.serverTrust = trust.evaluator
    settings.clientIdentity = trust.identity
    settings.observers = observers
    credentials.apply(to: &settings, for: request)
    return settings
  }

  /// Returns a session for a request's WebSocket, over the same transport.
  func session(for request: Request) -> HTTPSession {
    HTTPSession(transport) { configuration in
      configuration.chain = chain
      configuration.settings = settings(request)
    }
  }

  /// Waits for cache revalidations, closes all connections and saves the cookies.
  ///
  /// - Throws: `ToolFailure` when they cannot be written.
  func end() async throws {
    await caching?.waitForRevalidations()
    await transport.shutdown()
    try cookies?.save()
  }
}
