import COpenSSL
import CurlewCore
import FoundationEssentials

/// The tag of the policy that verified a connection; owned by its `SSL`.
// Safe because only the loop's thread, on which OpenSSL calls, uses the mutable parts.
final class VerifiedTag: @unchecked Sendable {
  let tag: String
  /// When the server proved in a full handshake that it has the key of its certificate.
  let provedAt: UInt64
  /// Whether the server announced the end (RFC 8446 §6.1).
  ///
  /// Without the announcement, the end of the connection is a truncation.
  private(set) var sawCloseNotify = false
  /// Whether it is an HTTP/1.1 connection whose last response is complete.
  var isResting = false

  init(_ tag: String, provedAt: UInt64) {
    self.tag = tag
    self.provedAt = provedAt
  }

  /// Returns the tag of a connection; nil before its chain was verified, or a verified session was resumed.
  static func of(_ ssl: OpaquePointer) -> VerifiedTag? {
    guard let indices = ExDataIndices.shared, let seal = SSL_get_ex_data(ssl, indices.connection) else { return nil }
    return Unmanaged<VerifiedTag>.fromOpaque(seal).takeUnretainedValue()
  }

  /// Returns whether HTTP/2 was negotiated on a connection.
  static func speaksHTTP2(_ ssl: OpaquePointer) -> Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    guard let name, length == 2 else { return false }
    return name[0] == UInt8(ascii: "h") && name[1] == UInt8(ascii: "2")
  }

  /// Handles an alert that the server sent.
  static func noteAlert(_ ssl: OpaquePointer, _ alert: Int32) {
    if alert & 0xff == SSL_AD_CLOSE_NOTIFY { of(ssl)?.sawCloseNotify = true }
  }
}
