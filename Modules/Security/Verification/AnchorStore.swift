import COpenSSL
import FoundationEssentials

/// Trust anchors in the form that OpenSSL verifies with; parsed once.
// Safe because OpenSSL locks its store, and nothing is added after the initializer.
final class AnchorStore: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// Creates a store of certificates, and of the anchors of another store.
  ///
  /// - Throws: `SecurityError` of kind `unavailable` when OpenSSL rejects one of them.
  convenience init(_ certificates: some Sequence<Certificate>, beside other: AnchorStore? = nil) throws(SecurityError) {
    guard let pointer = X509_STORE_new() else { throw Self.unavailable }
    self.init(adopting: pointer)
    if let other {
      defer { extendLifetime(other) }
      guard let stack = X509_STORE_get1_all_certs(other.pointer) else { throw Self.unavailable }
      defer { curlew_certificates_free(stack) }
      for index in 0..<max(0, curlew_x509_count(stack)) {
        guard let anchor = curlew_x509_at(stack, index), X509_STORE_add_cert(pointer, anchor) == 1 else {
          throw Self.unavailable
        }
      }
    }
    for certificate in certificates {
      guard let parsed = ParsedCertificate(certificate.der) else { throw Self.unavailable }
      defer { extendLifetime(parsed) }
      guard X509_STORE_add_cert(pointer, parsed.pointer) == 1 else { throw Self.unavailable }
    }
  }

  deinit { X509_STORE_free(pointer) }

  private static let unavailable = SecurityError(.unavailable, "OpenSSL rejects one of the trust anchors.")

  /// The anchors of the system, read once per process; nil if the system has none.
  static let system: AnchorStore? = curlew_system_anchors().map { AnchorStore(adopting: $0) }
}
