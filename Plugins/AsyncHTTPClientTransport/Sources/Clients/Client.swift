import AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import NIOSSL

/// One `HTTPClient` with its settings, which shuts down with the last reference.
final class Client: Sendable {
  let http: HTTPClient
  /// The evaluator that decides about the next connection.
  private let evaluator: NewestEvaluator?

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
      let newest = NewestEvaluator()
      let handshake = try EvaluatedHandshake(trust.origin, newest, tls, timeout: settings.connectTimeout)
      evaluator = newest
      options.http1_1ConnectionDebugInitializer = { channel in
        handshake.secure(channel).flatMap { took in tap.tapConnection(channel, handshake: took) }
      }
    } else {
      evaluator = nil
      options.http1_1ConnectionDebugInitializer = { tap.tapConnection($0, handshake: nil) }
      options.http2ConnectionDebugInitializer = { tap.markConnection($0) }
      options.http2StreamChannelDebugInitializer = { tap.tapStream($0) }
    }
    http = HTTPClient(eventLoopGroupProvider: .shared(configuration.eventLoops), configuration: options)
  }

  deinit { http.shutdown { _ in } }

  /// Lets an evaluator decide about the connections that are opened from now on.
  ///
  /// All evaluators of a client have equal keys, and so equal settings.
  func use(_ newest: (any ServerTrustEvaluating)?, _ clock: any NetworkClock) {
    if let newest { evaluator?.use(newest, clock) }
  }

  /// Closes all connections, and waits for that.
  func shutdown() async { try? await http.shutdown() }
}

/// The evaluator of the newest request of a client, with its clock.
final class NewestEvaluator: Sendable {
  private struct Newest {
    let evaluator: any ServerTrustEvaluating
    let clock: any NetworkClock
  }

  private let newest = Guarded<Newest?>(nil)

  func use(_ evaluator: any ServerTrustEvaluating, _ clock: any NetworkClock) {
    newest.withLock { $0 = Newest(evaluator: evaluator, clock: clock) }
  }

  /// Evaluates the certificates that a server presents.
  ///
  /// - Throws: The evaluator's refusal, with the certificates.
  func evaluate(_ certificates: [Data], of origin: Origin) throws(ServerTrustError) {
    guard let newest = newest.withLock({ $0 }) else {
      throw ServerTrustError(.policy, message: "There is no evaluator for the server.")
    }
    let trust = ServerTrust(
      host: origin.host, port: origin.port, certificates: certificates, date: newest.clock.date)
    do throws(ServerTrustError) {
      try newest.evaluator.evaluate(trust)
    } catch {
      var error = error
      error.trust = trust
      throw error
    }
  }
}
