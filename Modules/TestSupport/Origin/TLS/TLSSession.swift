import COpenSSL

/// TLS for one connection, between two memory buffers and without a socket.
package final class TLSSession {
  package enum Progress {
    case underway
    case done
    case failed
  }

  private let ssl: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private let context: TLSContext
  package private(set) var isEstablished = false
  /// Whether the peer has declared the end of its bytes.
  package private(set) var sawCloseNotify = false

  /// Creates a session; nil when memory is exhausted.
  package init?(_ context: TLSContext) {
    guard let ssl = SSL_new(context.context) else { return nil }
    guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(ssl)
      return nil
    }
    SSL_set_bio(ssl, incoming, outgoing)
    SSL_set_accept_state(ssl)
    self.ssl = ssl
    self.incoming = incoming
    self.outgoing = outgoing
    self.context = context
  }

  deinit { SSL_free(ssl) }

  /// Adds bytes that the peer has sent.
  package func feed(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(incoming, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  /// Continues the handshake with the available bytes.
  package func handshake() -> Progress {
    ERR_clear_error()
    let outcome = SSL_do_handshake(ssl)
    if outcome == 1 {
      isEstablished = true
      return .done
    }
    let error = SSL_get_error(ssl, outcome)
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? .underway : .failed
  }

  /// Moves decrypted bytes to `input`; returns false after a protocol violation.
  package func read(into input: inout ByteQueue, by scratch: UnsafeMutableRawBufferPointer) -> Bool {
    while true {
      ERR_clear_error()
      let count = SSL_read(ssl, scratch.baseAddress, Int32(clamping: scratch.count))
      if count > 0 {
        input.append(UnsafeRawBufferPointer(rebasing: scratch[..<Int(count)]))
        continue
      }
      switch SSL_get_error(ssl, count) {
      case SSL_ERROR_ZERO_RETURN:
        sawCloseNotify = true
        return true
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return true
      default: return false
      }
    }
  }

  /// Encrypts bytes; call it after the handshake.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  /// Declares the end of the bytes.
  package func closeNotify() {
    guard isEstablished else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
  }

  /// Moves bytes to send to `output`.
  package func drain(into output: inout ByteQueue) {
    var bytes: UnsafeMutablePointer<CChar>?
    let count = curlew_memory(outgoing, &bytes)
    guard count > 0, let bytes else { return }
    output.append(UnsafeRawBufferPointer(start: bytes, count: count))
    curlew_memory_reset(outgoing)
  }

  /// The parameters of the handshake.
  package var summary: OriginTLSSession {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    let certificate = SSL_get1_peer_certificate(ssl)
    defer { X509_free(certificate) }
    return OriginTLSSession(
      version: String(cString: SSL_get_version(ssl)),
      cipher: SSL_get_current_cipher(ssl).flatMap(SSL_CIPHER_get_name).map { String(cString: $0) } ?? "",
      serverName: SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) },
      applicationProtocol: name.map {
        String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
      },
      isResumed: SSL_session_reused(ssl) == 1,
      clientCertificate: certificate.flatMap { certificate in derBytes { i2d_X509(certificate, $0) } })
  }
}
