import COpenSSL

/// TLS for one connection, as a transform between two memory buffers: it never touches a socket.
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
  /// The peer said that it sends no more.
  package private(set) var sawCloseNotify = false

  /// Nil when memory is short.
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

  /// Takes bytes that came from the peer.
  package func feed(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(incoming, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  /// Goes on with the handshake as far as the bytes reach.
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

  /// Moves decrypted bytes to `input`. False when the peer broke the protocol.
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

  /// Encrypts bytes. Only once the handshake is done.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
  }

  /// Says that no more will be sent.
  package func closeNotify() {
    guard isEstablished else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
  }

  /// Moves what is to be sent to `output`.
  package func drain(into output: inout ByteQueue) {
    var bytes: UnsafeMutablePointer<CChar>?
    let count = curlew_memory(outgoing, &bytes)
    guard count > 0, let bytes else { return }
    output.append(UnsafeRawBufferPointer(start: bytes, count: count))
    curlew_memory_reset(outgoing)
  }

  /// What was agreed on.
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
