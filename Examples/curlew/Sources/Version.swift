import CurlewCore
import CurlewCurlTransport
import HTTPTypes

/// The version of the tool.
enum Version {
  /// The version as numbers only.
  static let number = "0.1.0"
  /// The lines that `--version` prints: the tool, and the loaded libcurl.
  static var text: String {
    let http2 =
      CurlTransport.capabilities().contains(.http2)
      ? "HTTP/2 is on" : "HTTP/2 is off, since this version is not reliable over it; 8.14.1 is"
    return """
      curlew \(number)
      libcurl \(CurlTransport.libraryVersion): \(http2)
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
