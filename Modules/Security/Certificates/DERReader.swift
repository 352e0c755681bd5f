import COpenSSL
import FoundationEssentials

/// Parses DER into OpenSSL's structures.
enum DERReader {
  /// Returns a structure, which the caller must free.
  ///
  /// Nil unless the bytes are exactly one structure.
  static func read(
    _ der: Data,
    _ parse: (
      UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
    ) -> OpaquePointer?,
    freeing free: (OpaquePointer?) -> Void
  ) -> OpaquePointer? {
    defer { ERR_clear_error() }
    return der.withUnsafeBytes { buffer -> OpaquePointer? in
      let start = buffer.bindMemory(to: UInt8.self).baseAddress
      var cursor = start
      guard let start, let parsed = parse(nil, &cursor, buffer.count) else { return nil }
      guard let cursor, cursor - start == buffer.count else {
        free(parsed)
        return nil
      }
      return parsed
    }
  }
}
