import COpenSSL

/// OpenSSL's context, which all TLS connections of an origin share.
// Safe because it is set up in the initializer and only read afterwards; OpenSSL locks its session cache.
package final class TLSContext: @unchecked Sendable {
  package let context: OpaquePointer
  /// The protocols in ALPN's form, each after its length (RFC 7301 §3.1).
  private let protocols: UnsafeMutableBufferPointer<UInt8>
  private let stapled: [UInt8]

  package init(_ tls: OriginTLS) throws(CertificateError) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw CertificateError("make a TLS context") }
    self.context = context
    stapled = tls.stapledResponse ?? []
    let names = tls.applicationProtocols.map { [UInt8]($0.utf8.prefix(255)) }.filter { !$0.isEmpty }
    protocols = .allocate(capacity: names.reduce(0) { $0 + $1.count + 1 })
    _ = protocols.initialize(from: names.flatMap { [UInt8($0.count)] + $0 })
    // Weak keys, old versions and old digests must reach the client, which is to refuse them.
    SSL_CTX_set_security_level(context, 0)
    guard curlew_server_versions(context, tls.versions.lowerBound.rawValue, tls.versions.upperBound.rawValue) == 1,
      SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0") == 1
    else { throw CertificateError("choose TLS versions") }
    curlew_server_modes(context)
    try use(tls.identity)
    try ask(tls.clientCertificates)
    SSL_CTX_set_session_id_context(context, [1], 1)
    SSL_CTX_set_max_early_data(context, tls.earlyData)
    if !tls.resumesSessions { curlew_server_no_resumption(context) }
    let own = Unmanaged.passUnretained(self).toOpaque()
    if !protocols.isEmpty {
      SSL_CTX_set_alpn_select_cb(
        context,
        { _, chosen, length, offered, count, own in
          guard let own else { return SSL_TLSEXT_ERR_NOACK }
          return Unmanaged<TLSContext>.fromOpaque(own).takeUnretainedValue().choose(chosen, length, offered, count)
        }, own)
    }
    if !stapled.isEmpty {
      curlew_server_on_status(
        context,
        { ssl, own in
          guard let ssl, let own else { return SSL_TLSEXT_ERR_NOACK }
          let stapled = Unmanaged<TLSContext>.fromOpaque(own).takeUnretainedValue().stapled
          return curlew_server_staple(ssl, stapled, stapled.count) == 1 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
        }, own)
    }
  }

  deinit {
    SSL_CTX_free(context)
    protocols.deallocate()
  }

  private func use(_ identity: TestIdentity) throws(CertificateError) {
    let isUsed = identity.certificate.withCertificate { SSL_CTX_use_certificate(context, $0) }
    guard isUsed == 1 else { throw CertificateError("use a certificate") }
    let hasKey = try? identity.key.withKey { SSL_CTX_use_PrivateKey(context, $0) }
    guard hasKey == 1 else { throw CertificateError("use a key") }
    for issuer in identity.intermediates {
      let isAdded = issuer.withCertificate { curlew_server_chain_add(context, $0) }
      guard isAdded == 1 else { throw CertificateError("show an intermediate certificate") }
    }
  }

  private func ask(_ certificates: OriginTLS.ClientCertificates) throws(CertificateError) {
    let acceptAny: @convention(c) (Int32, OpaquePointer?) -> Int32 = { _, _ in 1 }
    switch certificates {
    case .ignored: return
    case .optional: SSL_CTX_set_verify(context, SSL_VERIFY_PEER, acceptAny)
    case .required: SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, acceptAny)
    case .issued(let roots):
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
      for root in roots {
        let isAdded = root.withCertificate { root in
          X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root) == 1
            && SSL_CTX_add_client_CA(context, root) == 1
        }
        guard isAdded == true else { throw CertificateError("trust a client's root") }
      }
    }
  }

  private func choose(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32
  ) -> Int32 {
    var selected: UnsafeMutablePointer<UInt8>?
    let outcome = SSL_select_next_proto(
      &selected, length, protocols.baseAddress, UInt32(protocols.count), offered, count)
    // Safe because the selected bytes are in `protocols`, which lives as long as the context.
    chosen?.pointee = UnsafePointer(selected)
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
  }
}
