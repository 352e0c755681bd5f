import CurlewCore
import CurlewCurlTransport
import HTTPTypes

/// The version of the tool.
enum Version {
  /// The version as numbers only.
  static let number = "0.1.0"
  /// The lines that `--version` prints: the tool, and the loaded libcurl.
  static var text: String {
    let versions =
      CurlTransport.capabilities().contains(.http2)
      ? "It speaks HTTP/1.1 and HTTP/2." : "It speaks HTTP/1.1; HTTP/2 needs libcurl 8.14 or later, other than 8.16."
    return """
      curlew \(number)
      Built on libcurl \(CurlTransport.libraryVersion). \(versions)
      """
  }

  /// The tool's `User-Agent` (RFC 9110 §10.1.5), unless the request sets one.
  ///
  /// Some servers refuse requests without a `User-Agent`.
  static func addUserAgent(to request: inout Request) {
    guard request.headerFields[.userAgent] == nil else { return }
    request.headerFields[.userAgent] = "curlew/\(number)"
  }
}
