import ArgumentParser
import CurlewCore
import CurlewLoading
import FoundationEssentials

/// What all requests of one run share: the loader with its transport, and the settings that are not the request's own.
struct ToolSession: Sendable {
  let loader: Loader
  private let transport: any Transport
  private let proxy: ProxyArgument?
  private let trust: TrustSettings
  private let observers: [any EventObserver]

  init(_ connection: ConnectionArguments, trust: TrustSettings = TrustSettings(), parallel: Int, tracing: Bool) throws {
    transport = try connection.transport.make(parallel: parallel)
    loader = Loader(transport)
    proxy = connection.proxy
    self.trust = trust
    observers = tracing ? [TraceObserver()] : []
  }

  /// The settings of a request's exchange.
  @Sendable func settings(_ request: Request) -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.proxy = proxy?.proxy(for: request.url, environment: ProcessInfo.processInfo.environment)
    settings.serverTrust = trust.evaluator
    settings.clientIdentity = trust.identity
    settings.observers = observers
    return settings
  }

  /// Closes what is open.
  func end() async { await transport.shutdown() }
}
