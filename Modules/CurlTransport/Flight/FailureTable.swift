import CLibcurl
import CurlewCore
import Glibc
import HTTPTypes

/// Maps libcurl's result codes to errors, depending on the phase of the request.
struct FailureTable {
  /// `CURLE_TOO_LARGE`, which libcurl 8.6 added.
  private static let tooLarge = CURLcode(100)
  private let flight: CurlFlight
  private let result: CURLcode

  init(_ flight: CurlFlight, _ result: CURLcode) {
    self.flight = flight
    self.result = result
  }

  var error: NetworkError {
    if let refusal = flight.trustFailure { return refusal }
    if let failure = flight.failedResumption(result) { return failure }
    switch result {
    case CURLE_OPERATION_TIMEDOUT: return timeout
    case CURLE_URL_MALFORMAT: return make(.invalidURL, .preparing, "libcurl rejects the URL")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return noHTTP
    case CURLE_COULDNT_RESOLVE_HOST:
      return make(.nameLookupFailed, .resolving, "No address was found for the host's name")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return make(.nameLookupFailed, .resolving, "No address was found for the proxy's name")
    case CURLE_COULDNT_CONNECT: return connecting
    case CURLE_PROXY: return make(.proxyFailed, .connecting, "The proxy refused the connection or failed")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
      return refusedIdentity ?? make(.handshakeFailed, .securing, failedHandshake)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      let trust = ServerTrustError(.untrusted, message: "The server's certificates are not trusted.")
      return make(.serverTrustRefused, .securing, "The server's certificates are not trusted").with { $0.trust = trust }
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
      return make(.clientIdentityFailed, .securing, "The client identity is unusable, or the server rejected it")
    case CURLE_PARTIAL_FILE: return flight.phase.hasHead ? truncated : flight.lostConnection()
    // libcurl cannot read a body again, and fails where it would send the request again.
    case CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND: return flight.repetition
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_READ_ERROR: return broken
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return stream
    // Curlew asked for no coding. Newer versions refuse one before they pass on the head, where `HeadParser` would refuse it.
    case CURLE_BAD_CONTENT_ENCODING where !flight.phase.hasHead:
      return make(.protocolViolation, .awaitingHead, "The server used a transfer coding that the request did not offer")
    case CURLE_BAD_CONTENT_ENCODING:
      return make(.contentDecodingFailed, .receivingBody, "The body cannot be decoded from its transfer coding")
    case CURLE_OUT_OF_MEMORY, Self.tooLarge:
      if trailersAreTooLarge { return tooManyTrailers }
      if flight.phase.hasHead {
        return make(
          .bufferLimitExceeded, .receivingBody, "The body arrives faster than it is read, and its buffer is full")
      }
      return flight.phase.isConnected
        ? make(.headerLimitExceeded, .awaitingHead, "A line of the header section is longer than libcurl accepts")
        : make(.resourceExhausted, .preparing, "libcurl has too little memory for the request")
    // The result codes for invalid chunks differ between versions of libcurl.
    case _ where trailersAreTooLarge: return tooManyTrailers
    case _ where words.contains("chunk"): return badChunks
    // Bytes that arrived before the connection was established are the proxy's.
    case _ where !flight.phase.isConnected && flight.parser.bytes > 0:
      return make(.protocolViolation, .connecting, "The proxy's answer is not valid HTTP")
    // After the request was sent, any other failure is due to the server's bytes, such as a field line without a colon or a
    // frame that is not allowed there.
    default:
      return flight.phase.isConnected
        ? make(.protocolViolation, stage, "The server's bytes are not valid HTTP")
        : make(.internal, stage, "libcurl failed")
    }
  }

  private var stage: NetworkError.Stage {
    flight.phase.stage
  }

  /// What is known of bytes that are not HTTP; those of a server for TLS are not.
  private var noHTTP: NetworkError {
    guard flight.plan.origin.scheme == .http, words.contains("HTTP/0.9") else {
      return make(.protocolViolation, .awaitingHead, "The server's bytes are not valid HTTP")
    }
    return make(.protocolViolation, .awaitingHead, "The server's bytes are not HTTP").with {
      $0.advice = "Check the port, and write https:// if it speaks TLS."
    }
  }

  /// What is known of a handshake that failed.
  ///
  /// OpenSSL says one of these when the first bytes of the server are no record of TLS.
  private var failedHandshake: String {
    ["wrong version number", "packet length too long", "record layer failure"].contains(where: words.contains)
      ? "The server does not speak TLS at this port"
      : "The TLS handshake failed"
  }

  private var timeout: NetworkError {
    let elapsed = (monotonicNanoseconds() &- flight.takenOffAt) / 1_000_000
    let connect = flight.plan.limits.connect
    let isConnect =
      !flight.phase.isConnected && connect > 0 && elapsed + 1 >= UInt64(connect)
      && (flight.plan.limits.total == 0 || connect <= flight.plan.limits.total)
    return .timeout(
      isConnect ? .connectTimedOut : .timedOut, stage: flight.phase.isConnected ? stage : connectStage,
      of: flight.plan.limits.timeouts)
  }

  /// The stage that a connection had reached when it failed.
  private var connectStage: NetworkError.Stage {
    guard let easy = flight.easy else { return .connecting }
    if CurlFlight.offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    return CurlFlight.offset(easy, CURLINFO_CONNECT_TIME_T) == 0 ? .connecting : .securing
  }

  private var connecting: NetworkError {
    let code = flight.loop.sockets.takeOpenError()
    guard code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM else {
      if let path = flight.plan.request.options.unixSocketPath { return unreachable(path) }
      return refused
    }
    return NetworkError(
      .resourceExhausted, stage: .connecting,
      message: "No descriptor is left for a connection.",
      advice: "Raise the process's limit or send fewer requests at once.",
      underlying: FileSystemError(code: code, operation: "socket", path: ""))
  }

  /// The error for a host and port, with the system's reason in the place of libcurl's last clause.
  private var refused: NetworkError {
    let text = flight.plan.proxy == nil ? "The connection to the server failed" : "The connection to the proxy failed"
    let (code, opening) = (systemError, "Failed to connect to ")
    guard code != 0, words.hasPrefix(opening), let end = words.ranges(of: ": ").last else {
      return make(.connectionFailed, .connecting, text)
    }
    let place = words[..<end.lowerBound].dropFirst(opening.count)
    let advice: String? =
      switch code {
      case ENETUNREACH, EHOSTUNREACH: "This machine has no route to that address: check the address and the network."
      case _ where flight.plan.proxy != nil: "Check the proxy's address, and that the proxy runs."
      default: nil
      }
    return NetworkError(
      .connectionFailed, stage: .connecting,
      message: "\(text), \(place): \(FileSystemError(code: code, operation: "connect", path: "").reason).",
      advice: advice)
  }

  /// The system's code for the last connection that failed; 0 if unknown.
  private var systemError: Int32 {
    flight.easy.map { Int32(truncatingIfNeeded: CurlFlight.number($0, CURLINFO_OS_ERRNO)) } ?? 0
  }

  /// The error for a Unix socket.
  ///
  /// It does not contain libcurl's message, which names the host and port of the URL, although the connection was made to the
  /// socket.
  private func unreachable(_ socket: String) -> NetworkError {
    let code = systemError
    let cause = FileSystemError(code: code, operation: "connect", path: socket)
    let reason = code == 0 ? "" : ": \(cause.reason)"
    return NetworkError(
      .connectionFailed, stage: .connecting,
      message: "No server accepts connections at the Unix socket \(socket)\(reason).")
  }

  /// The error for a connection that broke before or after the head.
  private var broken: NetworkError {
    if !flight.phase.isConnected { return tunnel }
    if let code = flight.resetCode ?? refusedInBody { return StreamReset.error(code, stage) }
    guard flight.phase.hasHead else { return refusedIdentity ?? oversizedHead ?? flight.lostConnection() }
    // The result code is the same for invalid framing and for a missing end; only libcurl's message tells them apart.
    if trailersAreTooLarge { return tooManyTrailers }
    return words.contains("chunk") ? badChunks : truncated
  }

  /// Whether a trailer is longer than libcurl accepts, which it calls a lack of memory.
  private var trailersAreTooLarge: Bool { words.contains("Out of memory in chunked-encoding") }

  private var tooManyTrailers: NetworkError {
    make(.headerLimitExceeded, .receivingBody, "A trailer is longer than libcurl accepts")
  }

  private var badChunks: NetworkError {
    make(.protocolViolation, .receivingBody, "The body's chunks violate RFC 9112 §7.1")
  }

  /// The error for a client identity that the server refused or missed, if any.
  ///
  /// With TLS 1.3 the refusal arrives only after the client has completed the handshake. With TLS 1.2 the alert for a missing
  /// certificate only says that the handshake failed.
  private var refusedIdentity: NetworkError? {
    var alerts = ["alert certificate", "alert bad certificate", "alert unknown ca", "alert unsupported certificate"]
    if flight.lacksIdentity { alerts.append("alert handshake failure") }
    guard flight.plan.trust != nil, alerts.contains(where: words.contains) else { return nil }
    return make(
      .clientIdentityFailed, .securing,
      "The server requires a client identity, and none was offered, or it refused the one offered")
  }

  private var tunnel: NetworkError {
    guard flight.plan.proxy != nil else {
      return flight.plan.origin.scheme == .https
        ? make(.handshakeFailed, .securing, "The TLS handshake ended early")
        : make(.connectionFailed, .connecting, "The connection to the server failed")
    }
    guard let head = flight.connectHeads.last, head.code == 407 else {
      return make(.proxyFailed, .connecting, "The proxy refused the connection or failed")
    }
    return make(.proxyChallenge, .connecting, "The proxy requires credentials before it opens a tunnel").with {
      details in
      details.proxyChallenges = ProxyChallenges.read(head.fields, of: flight.plan.proxy)
    }
  }

  private var truncated: NetworkError {
    make(.truncatedBody, .receivingBody, "The body ended before its announced length")
  }

  /// The error for a stream or a connection over HTTP/2 that failed.
  private var stream: NetworkError {
    if !flight.phase.hasHead, let oversizedHead { return oversizedHead }
    if StreamReset.isViolation(words) {
      return make(.protocolViolation, stage, "The server's bytes are not valid HTTP/2")
    }
    if let code = flight.resetCode { return StreamReset.error(code, stage) }
    if result == CURLE_HTTP2_STREAM { return StreamReset.error(nil, stage) }
    return flight.phase.hasHead ? truncated : flight.lostConnection()
  }

  /// The code of a stream that the server refused after its head, which libcurl reports without a message.
  private var refusedInBody: Int? {
    flight.phase.hasHead && flight.speaksHTTP2 && result == CURLE_RECV_ERROR && words.isEmpty
      ? StreamReset.refused : nil
  }

  /// The error for an HTTP/2 header section that a library refused; nil otherwise.
  ///
  /// The libraries have limits of their own: nghttp2 counts CONTINUATION frames, and libcurl counts bytes. In the latter case
  /// nghttp2 only reports that a callback failed.
  private var oversizedHead: NetworkError? {
    let signs = ["CONTINUATION", "Too large response header", "callback function failed"]
    // A callback also fails for a frame that begins no header section.
    guard flight.parser.bytes > 0 || !words.contains(signs[2]), signs.contains(where: words.contains) else {
      return nil
    }
    return make(.headerLimitExceeded, .awaitingHead, "The header section is larger than libcurl or nghttp2 accepts")
  }

  /// Creates an error whose message ends with libcurl's message.
  private func make(_ kind: NetworkError.Kind, _ stage: NetworkError.Stage, _ text: String) -> NetworkError {
    // nghttp2's message about a field quotes its value, which may be a secret.
    var detail = words.firstRange(of: ", value: [").map { String(words[..<$0.lowerBound]) } ?? words
    while let last = detail.last, last == "." || last.isWhitespace { detail.removeLast() }
    return NetworkError(kind, stage: stage, message: detail.isEmpty ? text + "." : "\(text): \(Self.plain(detail)).")
  }

  /// Returns libcurl's message with the reason before the code where OpenSSL wrote it: `error:CODE:LIBRARY:FUNCTION:REASON`.
  static func plain(_ words: String) -> String {
    for mark in words.ranges(of: "error:") {
      let parts = words[mark.upperBound...].split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit) else { continue }
      return "\(parts[3].replacing(", errno 0", with: "")) (OpenSSL \(parts[0]))"
    }
    return words
  }

  private var words: String { flight.words }
}

extension NetworkError {
  static func exhausted(_ message: String) -> NetworkError {
    NetworkError(.resourceExhausted, stage: .preparing, message: message)
  }

  static let truncated = NetworkError(
    .truncatedBody, stage: .receivingBody, message: "The body ended before its announced length.")

  static let cutOff = NetworkError(
    .truncatedBody, stage: .receivingBody,
    message: "The connection ended without TLS's close_notify, so the body may be incomplete.")

  static let shutDown = NetworkError(
    .transportShutDown, stage: .preparing, message: "The transport was shut down.")
}

/// The challenges of a proxy that refused a tunnel.
enum ProxyChallenges {
  static func read(_ fields: HTTPFields, of proxy: Proxy?) -> [Challenge] {
    guard let proxy, let origin = try? Origin(scheme: .http, host: proxy.host, port: proxy.port) else { return [] }
    return AuthenticationChallengeField.all(in: fields, .proxyAuthenticate).map { field in
      Challenge(
        protectionSpace: ProtectionSpace(
          origin: origin, isProxy: true, scheme: field.scheme.lowercased(), realm: field.realm),
        parameters: field.parameters)
    }
  }
}
