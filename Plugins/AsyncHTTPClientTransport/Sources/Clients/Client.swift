#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import NIOSSL

/// One `HTTPClient` with its settings, which shuts down with the last reference.
final class Client: Sendable {
  let http: HTTPClient
  /// The evaluators of the requests that wait for a connection; nil if NIOSSL verifies servers by itself.
  let evaluators: WaitingEvaluators?

  /// - Throws: `NetworkError` of kind `clientIdentityFailed`, or `handshakeFailed` when NIOSSL rejects the settings.
  init(
    _ settings: ClientSettings, _ configuration: AsyncHTTPClientTransport.Configuration, flights: FlightTable
  ) throws(NetworkError) {
    var options = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    // An interceptor of Curlew adds such fields where the app wants them.
    options.tracing.tracer = nil
    options.timeout = .init(connect: settings.connectTimeout.timeAmount)
    options.connectionPool.idleTimeout = configuration.idleConnections.timeAmount
    options.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.requestsAtOnce)
    // `Loader` decides about a second attempt; AsyncHTTPClient would try again until the connect timeout.
    options.connectionPool.retryConnectionEstablishment = false
    options.httpVersion = settings.isHTTP1Only ? .http1Only : .automatic
    let tls = try settings.tls(configuration.trustRoots)
    options.tlsConfiguration = tls
    let tap = TapInstaller(flights: flights, headerBytes: max(1, configuration.headerBytes))
    if let trust = settings.trust {
      let waiting = WaitingEvaluators()
      let handshake = try EvaluatedHandshake(trust.origin, waiting, tls, timeout: settings.connectTimeout)
      evaluators = waiting
      options.http1_1ConnectionDebugInitializer = { channel in
        handshake.secure(channel).flatMap { took in tap.tapConnection(channel, handshake: took) }
      }
    } else {
      evaluators = nil
      options.http1_1ConnectionDebugInitializer = { tap.tapConnection($0, handshake: nil) }
      options.http2ConnectionDebugInitializer = { tap.markConnection($0) }
      options.http2StreamChannelDebugInitializer = { tap.tapStream($0) }
    }
    http = HTTPClient(eventLoopGroupProvider: .shared(configuration.eventLoops), configuration: options)
  }

  deinit { http.shutdown { _ in } }

  /// Closes all connections, and waits for that.
  func shutdown() async { try? await http.shutdown() }
}
#endif
