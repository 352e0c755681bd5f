import FoundationEssentials
import HTTPTypes

extension NetworkError {
  /// A sentence that says what to do; nil if the message says it, or nothing is known.
  ///
  /// The description contains it. Where it names settings, they are those of the SDK: a program whose users know nothing of these, such
  /// as a command-line tool, shows the message, and this or words of its own.
  public var advice: String? {
    if let trust = details.trust { return trust.reason.advice }
    guard !details.lacksNetwork else { return nil }
    switch kind {
    case .nameLookupFailed:
      return "Check the spelling of the host; if it is right, the name server may not answer at the moment: try again."
    case .connectionFailed: return "Check the address, and that the server runs."
    case .connectTimedOut: return "Check that the server can be reached, or raise `options.timeouts.connect`."
    case .idleTimedOut: return "If the server needs longer, raise `options.timeouts.idle`."
    case .timedOut:
      return "If the server needs longer, raise `options.timeouts.total`, or the deadline if there is one."
    case .unsupported where details.missing.contains(.http2):
      return "For HTTP/2, use libcurl 8.14 or later (but not 8.16), or the transport of the trait AsyncHTTPClient"
        + " (\"HTTP/2 needs\" in README.md)."
    case .connectionLost where mayHaveMetTLS: return "If the server speaks TLS at this port, write https:// in the URL."
    case .unacceptableStatus where isAnswerToPlainHTTP:
      return "The server expects TLS at this port: write https:// in the URL."
    case .unacceptableStatus where status == .unauthorized:
      return isElsewhere
        ? "Credentials are not sent after a redirect to another server; request that URL itself."
        : "Give the session a password or a token for this server (\"Settings\" in TASKS.md); if it has one, the server refused it."
    case .unacceptableContentType where isAnsweredWithHTML, .serializationFailed where isAnsweredWithHTML:
      return "The body is a page of HTML, such as one for signing in, one of a proxy, or one that a wrong URL leads to."
    default: return nil
    }
  }

  /// Whether a server for TLS may have closed the connection, because it was sent HTTP without TLS.
  private var mayHaveMetTLS: Bool {
    guard stage == .awaitingHead, details.connectionReused != true, let url = details.request?.url else { return false }
    return url.scheme?.lowercased() == "http" && url.port.map { $0 != 80 } == true
  }

  /// Whether the response came from another origin than the one that was asked.
  private var isElsewhere: Bool {
    guard let asked = details.request?.url, let answered = details.response?.url else { return false }
    return (try? Origin(asked)) != (try? Origin(answered))
  }

  /// Whether the response is a page of HTML, by its media type or by its first bytes.
  private var isAnsweredWithHTML: Bool {
    if ["text/html", "application/xhtml+xml"].contains(details.response?.mediaType?.essence) { return true }
    let start = String(decoding: (details.responseBody ?? Data()).prefix(256), as: UTF8.self).lowercased()
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
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
      "Someone may be between this machine and the server: ask the server's operator, over another way, which key it has now."
    case .revoked: "Its authority withdrew the certificate, so the server needs a new one."
    case .revocationUnknown: "Give a current and full list, or have the server staple a current response."
    case .weak: "The server needs a certificate with stronger keys and signatures."
    case .constraint: "The server needs a certificate that may be used for this."
    default: nil
    }
  }
}
