#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import NIOCore
import NIOSSL

/// The settings that requests must share to use one client, and so its connections.
struct ClientSettings: Hashable, Sendable {
  /// The evaluator's settings, for one origin; nil leaves the verification to NIOSSL.
  let trust: TrustSettings?
  let identity: ClientIdentity?
  let isHTTP1Only: Bool
  let connectTimeout: Duration

  /// What an evaluator requires, and for which server.
  ///
  /// The origin belongs to it, because a connection must tell the evaluator which host it is for.
  struct TrustSettings: Hashable, Sendable {
    let key: ConnectionKey
    let origin: Origin
    let requirements: HandshakeRequirements
  }

  /// - Throws: `NetworkError` of kind `clientIdentityFailed` when the identity cannot be read.
  init(
    _ origin: Origin, _ evaluator: (any ServerTrustEvaluating)?, _ identity: ClientIdentity?, isHTTP1Only: Bool,
    connectTimeout: Duration
  ) throws(NetworkError) {
    trust = evaluator.map {
      TrustSettings(key: $0.connectionKey, origin: origin, requirements: $0.requirements)
    }
    self.identity = origin.scheme == .https ? identity : nil
    self.isHTTP1Only = isHTTP1Only
    self.connectTimeout = connectTimeout
  }

  /// Returns NIOSSL's settings.
  ///
  /// - Parameter roots: The anchors for requests without an evaluator.
  /// - Throws: `NetworkError` of kind `clientIdentityFailed` when the identity cannot be read.
  func tls(_ roots: NIOSSLTrustRoots) throws(NetworkError) -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    // A closed connection must not wait long for a server that goes on sending.
    tls.shutdownTimeout = .milliseconds(50)
    tls.minimumTLSVersion = trust?.requirements.leastVersion == .tls13 ? .tlsv13 : .tlsv12
    if trust == nil {
      tls.trustRoots = roots
    } else {
      // The evaluator decides about the chain and the host's name. NIOSSL still verifies that the server has the leaf's key.
      tls.trustRoots = .certificates([])
      tls.certificateVerification = .noHostnameVerification
      tls.applicationProtocols = ["http/1.1"]
    }
    guard let identity else { return tls }
    do {
      tls.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificateChain)).map {
        .certificate($0)
      }
      tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKey), format: .pem))
    } catch {
      throw NetworkError(
        .clientIdentityFailed, stage: .preparing, message: "The client identity's certificates or key cannot be read.",
        underlying: error)
    }
    return tls
  }
}

extension Duration {
  /// The duration for NIO, at least a millisecond.
  var timeAmount: TimeAmount {
    let (seconds, attoseconds) = components
    guard seconds < 1 << 33 else { return .seconds(1 << 33) }
    return .nanoseconds(max(1_000_000, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
#endif
