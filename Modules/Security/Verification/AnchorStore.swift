import COpenSSL
import FoundationEssentials

/// Trust anchors as OpenSSL wants them, parsed once.
// Safe because OpenSSL locks its store, and nothing is added to it once it is made.
final class AnchorStore: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// A store of certificates, after those of another store.
  ///
  /// - Throws: `SecurityError` of kind `unavailable` when OpenSSL takes one of them not.
  convenience init(_ certificates: some Sequence<Certificate>, beside other: AnchorStore? = nil) throws(SecurityError) {
    guard let pointer = X509_STORE_new() else { throw Self.unavailable }
    self.init(adopting: pointer)
    if let other {
      guard let stack = X509_STORE_get1_all_certs(other.pointer) else { throw Self.unavailable }
      defer { curlew_certificates_free(stack) }
      for index in 0..<max(0, curlew_x509_count(stack)) {
        guard let anchor = curlew_x509_at(stack, index), X509_STORE_add_cert(pointer, anchor) == 1 else {
          throw Self.unavailable
        }
      }
    }
    for certificate in certificates {
      guard let parsed = ParsedCertificate(certificate.der), X509_STORE_add_cert(pointer, parsed.pointer) == 1 else {
        throw Self.unavailable
      }
    }
  }

  deinit { X509_STORE_free(pointer) }

  private static let unavailable = SecurityError(.unavailable, "OpenSSL does not take a trust anchor.")

  /// The system's anchors, read once in a process; nil when none were found.
  static let system: AnchorStore? = curlew_system_anchors().map { AnchorStore(adopting: $0) }
}
