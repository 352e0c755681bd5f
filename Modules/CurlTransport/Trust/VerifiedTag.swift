import COpenSSL
import CurlewCore
import FoundationEssentials

/// The mark of the policy that verified a connection; owned by its `SSL`.
// Safe because only the loop's thread, on which OpenSSL calls, touches what changes.
final class VerifiedTag: @unchecked Sendable {
  let tag: String
  /// Whether the server said that it closes (RFC 8446 §6.1); without it, an end is a cut.
  private(set) var sawCloseNotify = false
  /// Whether it carries HTTP/1.1 and its last response is complete.
  var isResting = false

  init(_ tag: String) { self.tag = tag }

  /// The mark that a connection carries; nil before its chain was verified.
  static func of(_ ssl: OpaquePointer) -> VerifiedTag? {
    guard let indices = ExDataIndices.shared, let seal = SSL_get_ex_data(ssl, indices.connection) else { return nil }
    return Unmanaged<VerifiedTag>.fromOpaque(seal).takeUnretainedValue()
  }

  /// Whether HTTP/2 was negotiated on a connection.
  static func speaksHTTP2(_ ssl: OpaquePointer) -> Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    guard let name, length == 2 else { return false }
    return name[0] == UInt8(ascii: "h") && name[1] == UInt8(ascii: "2")
  }

  /// OpenSSL tells of an alert or of a step of the handshake.
  static func noteAlert(_ ssl: OpaquePointer?, _ event: Int32, _ alert: Int32) {
    guard let ssl, event == SSL_CB_READ_ALERT, alert & 0xff == SSL_AD_CLOSE_NOTIFY else { return }
    of(ssl)?.sawCloseNotify = true
  }
}
