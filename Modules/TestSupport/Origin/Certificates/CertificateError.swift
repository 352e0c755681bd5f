import COpenSSL
public import FoundationEssentials

/// The error for a test certificate, key or TLS context that cannot be created.
public struct CertificateError: Error, Sendable, CustomStringConvertible {
  /// The failed operation.
  public let operation: String
  /// OpenSSL's own reason; may be empty.
  public let reason: String

  /// Creates an error from the oldest one in OpenSSL's queue, and clears the queue.
  package init(_ operation: String) {
    self.operation = operation
    var buffer = [CChar](repeating: 0, count: 256)
    let code = ERR_get_error()
    ERR_error_string_n(code, &buffer, buffer.count)
    reason = code == 0 ? "" : String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    ERR_clear_error()
  }

  /// A sentence with OpenSSL's reason.
  public var description: String { "Could not \(operation)\(reason.isEmpty ? "" : ": \(reason)")." }
}

/// Returns the DER bytes that one of OpenSSL's `i2d` functions writes.
package func derBytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
  var pointer: UnsafeMutablePointer<UInt8>?
  let count = write(&pointer)
  guard count > 0, let pointer else { return nil }
  defer { CRYPTO_free(pointer, "", 0) }
  return [UInt8](UnsafeBufferPointer(start: pointer, count: Int(count)))
}

/// Reads DER bytes with one of OpenSSL's `d2i` functions.
package func withDER<Result>(
  _ bytes: [UInt8], _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Result?
) -> Result? {
  bytes.withUnsafeBufferPointer { buffer in
    var pointer = buffer.baseAddress
    return read(&pointer, buffer.count)
  }
}

extension CertificateError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
