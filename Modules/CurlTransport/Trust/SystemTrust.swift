import COpenSSL
public import CurlewCore
import FoundationEssentials
import Glibc

/// Trusts servers by the system's anchors and the host; the default.
///
/// OpenSSL verifies the chain, its validity, its purpose and the name (RFC 9525). The anchors are parsed once in a process.
public struct SystemTrust: ServerTrustEvaluating {
  /// Creates an evaluator; all of them are equal.
  public init() {}

  /// A constant, so all of them share connections.
  public var connectionKey: ConnectionKey { ConnectionKey("system") }

  /// Verifies chain, date and host.
  ///
  /// - Throws: `ServerTrustError` with the rule that failed and the certificate at fault.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let anchors = SystemAnchors.shared else {
      throw ServerTrustError(
        .untrusted, message: "No trust anchors were found on this system.",
        advice: "Install the package ca-certificates.")
    }
    try ChainVerifier(anchors: anchors.store).verify(trust)
  }
}

/// The system's anchors, parsed once.
// Safe because OpenSSL locks its store, and nothing is added to it.
private struct SystemAnchors: @unchecked Sendable {
  let store: OpaquePointer

  static let shared: SystemAnchors? = curlew_system_anchors().map { SystemAnchors(store: $0) }
}

/// Verifies a chain with OpenSSL and the given anchors.
struct ChainVerifier {
  let anchors: OpaquePointer

  /// Returns normally if the chain is valid at the date, for the host.
  func verify(_ trust: ServerTrust) throws(ServerTrustError) {
    let certificates = trust.certificates.map(Self.parse)
    defer { for certificate in certificates { X509_free(certificate) } }
    guard let leaf = certificates.first ?? nil, !certificates.contains(nil) else {
      throw ServerTrustError(.malformed, message: "A certificate that the server presented cannot be read.")
    }
    guard let stack = curlew_x509_stack(), let context = X509_STORE_CTX_new() else { throw Self.noMemory }
    defer {
      curlew_x509_stack_free(stack)
      X509_STORE_CTX_free(context)
    }
    for certificate in certificates { _ = curlew_x509_push(stack, certificate) }
    guard X509_STORE_CTX_init(context, anchors, leaf, stack) == 1, let parameters = X509_STORE_CTX_get0_param(context)
    else { throw Self.noMemory }
    guard let time = time_t(exactly: trust.date.timeIntervalSince1970.rounded(.down)) else {
      throw ServerTrustError(.policy, message: "The date of the verification is out of range.")
    }
    curlew_server_rules(parameters, time, 0)
    guard curlew_require_host(parameters, trust.host, trust.host.utf8.count) == 1 else {
      throw ServerTrustError(
        .hostMismatch, certificate: 0, message: "The host is not a name or address that a certificate can contain.")
    }
    ERR_clear_error()
    guard X509_verify_cert(context) != 1 else { return }
    throw Self.refusal(X509_STORE_CTX_get_error(context), at: X509_STORE_CTX_get_error_depth(context), trust.host)
  }

  private static func parse(_ der: Data) -> OpaquePointer? {
    der.withUnsafeBytes { buffer in
      var cursor = buffer.bindMemory(to: UInt8.self).baseAddress
      guard let certificate = d2i_X509(nil, &cursor, buffer.count) else { return nil }
      return certificate
    }
  }

  private static let noMemory = ServerTrustError(.malformed, message: "OpenSSL has no memory for the verification.")

  private static func refusal(_ code: Int32, at depth: Int32, _ host: String) -> ServerTrustError {
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
    return ServerTrustError(
      ServerTrustError.Reason(rawValue: String(cString: curlew_refusal_reason(code))), certificate: Int(max(0, depth)),
      message: "The certificate chain of \(host) is not trusted: \(words).")
  }
}
