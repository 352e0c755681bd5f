#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import NIOSSL
import Synchronization

/// Adds TLS to a connection that AsyncHTTPClient opened in the clear.
///
/// AsyncHTTPClient's own TLS shows the leaf only, after the handshake. Here the evaluator sees all certificates as presented,
/// inside the handshake. AsyncHTTPClient gets the connection when the handshake is complete, so nothing is sent before.
struct EvaluatedHandshake: Sendable {
  private let origin: Origin
  private let evaluators: WaitingEvaluators
  private let context: NIOSSLContext
  private let timeout: TimeAmount

  /// - Throws: `NetworkError` of kind `clientIdentityFailed` or `handshakeFailed` when NIOSSL rejects the settings.
  init(
    _ origin: Origin, _ evaluators: WaitingEvaluators, _ tls: TLSConfiguration, timeout: Duration
  ) throws(NetworkError) {
    self.origin = origin
    self.evaluators = evaluators
    self.timeout = timeout.timeAmount
    do {
      context = try NIOSSLContext(configuration: tls)
    } catch {
      throw NetworkError(
        tls.privateKey == nil ? .handshakeFailed : .clientIdentityFailed, stage: .preparing,
        message: "NIOSSL rejects the settings of TLS.", underlying: error)
    }
  }

  /// Completes the handshake on a connection, or closes it; called on its event loop.
  ///
  /// - Returns: How long the handshake took.
  func secure(_ channel: any Channel) -> EventLoopFuture<Duration> {
    let done = channel.eventLoop.makePromise(of: Void.self)
    let refusal = Refusal()
    let start = ContinuousClock.now
    do {
      let tls = try NIOSSLClientHandler(
        context: context, serverHostname: origin.isIPAddress ? nil : origin.host,
        customVerificationCallback: { certificates, verdict in
          verdict.succeed(judge(certificates, refusal) ? .certificateVerified : .failed)
        })
      let sync = channel.pipeline.syncOperations
      try sync.addHandler(HandshakeWatch(done, within: timeout), position: .first)
      try sync.addHandler(tls, position: .first)
    } catch {
      done.fail(error)
    }
    return done.futureResult.map { start.duration(to: .now) }.flatMapErrorThrowing { error in
      channel.close(promise: nil)
      throw refusal.error ?? error
    }
  }

  /// Asks the evaluator, and keeps its refusal.
  private func judge(_ certificates: [NIOSSLCertificate], _ refusal: Refusal) -> Bool {
    do throws(ServerTrustError) {
      let chain: [Data]
      do {
        chain = try certificates.map { Data(try $0.toDERBytes()) }
      } catch {
        throw ServerTrustError(.malformed, message: "The server's certificates cannot be read.")
      }
      try evaluators.evaluate(chain, of: origin)
      return true
    } catch {
      refusal.set(error)
      return false
    }
  }
}

/// The evaluator's refusal, which the handshake itself would turn into an alert.
private final class Refusal: Sendable {
  private let kept = Mutex<ServerTrustError?>(nil)

  var error: ServerTrustError? { kept.withLock { $0 } }

  func set(_ error: ServerTrustError) { kept.withLock { $0 = error } }
}
#endif
