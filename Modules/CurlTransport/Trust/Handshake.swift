import COpenSSL
import CurlewCore
import FoundationEssentials

/// One TLS handshake and its terms of trust; owned by its TLS context.
// Safe because OpenSSL calls and frees it only on the loop's thread.
final class Handshake: @unchecked Sendable {
  private let terms: TrustLocks.Terms
  private weak var flight: CurlFlight?

  init(_ terms: TrustLocks.Terms, _ flight: CurlFlight) {
    self.terms = terms
    self.flight = flight
  }

  /// Returns to OpenSSL whether a chain is trusted: 1 means yes.
  static func verify(_ store: OpaquePointer?) -> Int32 {
    guard let store, let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let handshake = of(OpaquePointer(connection))
    else { return 0 }
    // Before TLS 1.3 a stapled response follows the certificates, so the decision waits for `stapleSettled`. Until then the
    // connection has no verified tag, without which nothing is sent on it.
    let isTrusted =
      handshake.terms.requirements.requiresStapledOCSP
      || handshake.decide(OpaquePointer(connection), on: X509_STORE_CTX_get0_untrusted(store))
    X509_STORE_CTX_set_error(store, isTrusted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
    return isTrusted ? 1 : 0
  }

  /// Continues once OpenSSL has the stapled response, or knows that none arrives.
  ///
  /// Returns 1 to continue, 0 to end the handshake.
  static func stapleSettled(_ ssl: OpaquePointer?) -> Int32 {
    guard let ssl, let handshake = of(ssl) else { return 0 }
    return handshake.decide(ssl, on: SSL_get_peer_cert_chain(ssl)) ? 1 : 0
  }

  /// Records that the server asks for a client identity and the client has none.
  static func noteLackOfIdentity(_ ssl: OpaquePointer?) {
    guard let ssl else { return }
    of(ssl)?.flight?.lacksIdentity = true
  }

  private static func of(_ ssl: OpaquePointer) -> Handshake? {
    guard let indices = ExDataIndices.shared, let context = SSL_get_SSL_CTX(ssl),
      let pointer = SSL_CTX_get_ex_data(context, indices.context)
    else { return nil }
    return Unmanaged<Handshake>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Asks the evaluator, and tags the connection if it is trusted.
  private func decide(_ ssl: OpaquePointer, on chain: OpaquePointer?) -> Bool {
    let trust = ServerTrust(
      host: terms.host, port: terms.port, certificates: Self.certificates(chain), ocspResponse: Self.staple(ssl),
      date: terms.clock.date)
    let start = monotonicNanoseconds()
    defer { flight?.noteCallback(since: start) }
    do throws(ServerTrustError) {
      guard !trust.certificates.isEmpty else {
        throw ServerTrustError(.malformed, message: "The server presented no certificate.")
      }
      if terms.requirements.requiresStapledOCSP, trust.ocspResponse == nil {
        throw ServerTrustError(
          .revocationUnknown, certificate: 0, message: "The server stapled no OCSP response.")
      }
      try terms.evaluator.evaluate(trust)
    } catch {
      var refusal = error
      refusal.trust = trust
      flight?.trustFailure = .refused(refusal)
      return false
    }
    guard let indices = ExDataIndices.shared else { return false }
    let seal = Unmanaged.passRetained(VerifiedTag(terms.tag)).toOpaque()
    guard SSL_set_ex_data(ssl, indices.connection, seal) == 1 else {
      Unmanaged<VerifiedTag>.fromOpaque(seal).release()
      return false
    }
    return true
  }

  /// Returns the presented certificates in DER, leaf first.
  ///
  /// It returns one more than the limit of the evaluators, so that they can refuse longer chains.
  private static func certificates(_ stack: OpaquePointer?) -> [Data] {
    guard let stack else { return [] }
    return (0..<max(0, min(101, curlew_x509_count(stack)))).compactMap { index in
      guard let certificate = curlew_x509_at(stack, index) else { return nil }
      return DER.of(certificate)
    }
  }

  private static func staple(_ ssl: OpaquePointer) -> Data? {
    var bytes: UnsafePointer<UInt8>?
    let count = curlew_ssl_staple(ssl, &bytes)
    guard count > 0, let bytes else { return nil }
    return Data(bytes: bytes, count: Int(count))
  }
}

/// The indices of our objects in OpenSSL's, and their release.
struct ExDataIndices: Sendable {
  let context: Int32
  let connection: Int32

  static let shared: ExDataIndices? = {
    let context = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil,
      { _, pointer, _, _, _, _ in if let pointer { Unmanaged<Handshake>.fromOpaque(pointer).release() } })
    let connection = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil,
      { _, pointer, _, _, _, _ in if let pointer { Unmanaged<VerifiedTag>.fromOpaque(pointer).release() } })
    guard context >= 0, connection >= 0 else { return nil }
    return ExDataIndices(context: context, connection: connection)
  }()
}

/// Encodes OpenSSL's objects in DER.
enum DER {
  static func of(_ certificate: OpaquePointer) -> Data? {
    let length = i2d_X509(certificate, nil)
    guard length > 0 else { return nil }
    var data = Data(count: Int(length))
    let written = data.withUnsafeMutableBytes { buffer -> Int32 in
      var cursor = buffer.bindMemory(to: UInt8.self).baseAddress
      return i2d_X509(certificate, &cursor)
    }
    return written == length ? data : nil
  }
}
