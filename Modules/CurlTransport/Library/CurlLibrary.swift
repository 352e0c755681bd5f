import CLibcurl
import CurlewCore

/// The libcurl that is really loaded, asked once.
struct CurlLibrary: Sendable {
  let version: String
  /// The version as libcurl counts, 0xXXYYZZ.
  let number: UInt32
  let isUsable: Bool
  let capabilities: TransportCapabilities
  /// All content codings it can undo, as `Accept-Encoding` names them; nil when there is none.
  let contentCodings: String?

  /// Initialises libcurl for the process; the first use of any transport does it, once.
  static let loaded: CurlLibrary = {
    guard curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK, let info = curlew_version_info() else {
      return CurlLibrary(version: "unknown", number: 0, isUsable: false, capabilities: [], contentCodings: nil)
    }
    let features = info.pointee.features
    let version = info.pointee.version.map { String(cString: $0) } ?? "unknown"
    let tls = info.pointee.ssl_version.map { String(cString: $0) } ?? ""
    var capabilities: TransportCapabilities = [
      .proxy, .backpressure, .metrics, .versionChoice, .addressOverrides, .rateLimit, .rawContent, .trailers,
      .informationalResponses, .expectContinue, .streamedUploads, .connectTimeout,
    ]
    if features & CURL_VERSION_HTTP2 != 0 { capabilities.insert(.http2) }
    if features & CURL_VERSION_UNIX_SOCKETS != 0 { capabilities.insert(.unixSocket) }
    // Another TLS library would ignore the callbacks that pins hang on, so pins are refused there.
    if tls.hasPrefix("OpenSSL/") {
      capabilities.formUnion([.serverTrust, .clientIdentity, .ocspStapling])
    }
    let codings = [(CURL_VERSION_LIBZ, "deflate, gzip"), (CURL_VERSION_BROTLI, "br"), (CURL_VERSION_ZSTD, "zstd")]
      .filter { features & $0.0 != 0 }.map(\.1)
    return CurlLibrary(
      version: version, number: info.pointee.version_num, isUsable: info.pointee.version_num >= 0x07_50_00,
      capabilities: capabilities,
      contentCodings: codings.isEmpty ? nil : codings.joined(separator: ", "))
  }()
}
