#if Observability
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Names and values of OpenTelemetry's semantic conventions for HTTP clients (version 1.23 and later).
enum HTTPAttributes {
  static let method = "http.request.method"
  static let originalMethod = "http.request.method_original"
  static let resendCount = "http.request.resend_count"
  static let requestBodySize = "http.request.body.size"
  static let responseBodySize = "http.response.body.size"
  static let status = "http.response.status_code"
  static let serverAddress = "server.address"
  static let serverPort = "server.port"
  static let scheme = "url.scheme"
  static let url = "url.full"
  static let errorType = "error.type"
  static let protocolVersion = "network.protocol.version"
  static let peerAddress = "network.peer.address"

  /// The methods with a meaning of their own (RFC 9110 §9, RFC 5789); others would give a metric any number of dimensions.
  private static let knownMethods: Set<String> = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]

  /// Returns a method, or `_OTHER` for an unknown one.
  static func knownMethod(_ method: HTTPRequest.Method) -> String {
    knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER"
  }

  static func number(of version: ResponseHead.Version) -> String {
    switch version {
    case .http10: "1.0"
    case .http11: "1.1"
    case .http2: "2"
    case .http3: "3"
    }
  }

  /// Returns what identifies an error: the kind of a `NetworkError`, else the name of its type.
  static func type(of error: any Error) -> String {
    if error is CancellationError { return "cancelled" }
    return (error as? NetworkError)?.kind.rawValue ?? String(reflecting: Swift.type(of: error))
  }

  /// Returns the status as an error's type; nil below 400.
  static func errorType(of status: Int) -> String? { status >= 400 ? String(status) : nil }

  /// The dimensions of a request's metrics, which have few values.
  static func dimensions(of request: Request) -> [(String, String)] {
    var dimensions = [(method, knownMethod(request.method))]
    if let origin = try? request.origin {
      dimensions += [
        (serverAddress, origin.host), (serverPort, String(origin.port)), (scheme, origin.scheme.rawValue),
      ]
    }
    return dimensions
  }
}
#endif
