import FoundationEssentials
import HTTPTypes

extension NetworkError {
  /// A sentence for the app's developer that says what to do; nil if the message says it, or nothing is known.
  ///
  /// It is about settings of the SDK. A program whose users know nothing of these, such as a command-line tool, shows the message and
  /// words of its own.
  var advice: String? {
    if let trust = details.trust { return trust.reason.advice }
    guard !details.lacksNetwork else { return nil }
    switch kind {
    case .nameLookupFailed: return "Check the spelling of the host, and that this machine reaches a name server."
    case .connectionFailed: return "Check the address, and that the server runs."
    case .connectTimedOut: return "Check that the server can be reached, or raise `options.timeouts.connect`."
    case .idleTimedOut: return "If the server needs longer, raise `options.timeouts.idle`."
    case .timedOut:
      return "If the server needs longer, raise `options.timeouts.total`, or the deadline if there is one."
    case .unsupported where details.missing.contains(.http2):
      return "For HTTP/2, use libcurl 8.14 or later (but not 8.16), or the transport of the trait AsyncHTTPClient"
        + " (\"HTTP/2 needs\" in README.md)."
    case .unacceptableStatus where isAnswerToPlainHTTP:
      return "The server expects TLS at this port: write https:// in the URL."
    default: return nil
    }
  }

  /// Whether the server says that it expected TLS where it was sent HTTP without it.
  ///
  /// The sentences are those of nginx, Apache and Go's server, which answer so with 400.
  private var isAnswerToPlainHTTP: Bool {
    guard status == .badRequest, details.response?.url.scheme?.lowercased() == "http", let body = details.responseBody
    else { return false }
    let text = String(decoding: body.prefix(4_096), as: UTF8.self)
    return [
      "The plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
      "Client sent an HTTP request to an HTTPS server",
    ].contains { text.contains($0) }
  }
}

extension ServerTrustError.Reason {
  /// A sentence that says what to do; nil if nothing general can be said.
  ///
  /// No advice makes an app trust a server that it should not trust.
  fileprivate var advice: String? {
    switch self {
    case .untrusted:
      "If the server is your own, such as one for development, get its certificate or that of its authority from where it was made,"
        + " and trust it alone: set `anchors` of a `SecurityPolicy` (\"Settings\" in TASKS.md)."
    case .expired: "The server needs a new certificate; check this machine's clock, too."
    case .notYetValid: "Check this machine's clock."
    case .hostMismatch:
      "Check the host in the URL; a certificate is only valid for the names and addresses that it contains."
    case .pinMismatch:
      "Someone may be between the app and the server: ask the server's operator, over another way, which key it has now."
    case .revoked: "Its authority withdrew the certificate, so the server needs a new one."
    default: nil
    }
  }
}
