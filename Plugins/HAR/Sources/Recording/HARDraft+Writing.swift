import CurlewCore
import FoundationEssentials
import HTTPTypes

extension HARDraft {
  /// Writes the entry as JSON (HAR 1.2 §entries).
  ///
  /// - Parameters:
  ///   - redaction: Which secrets are replaced; nil replaces none.
  ///   - clock: Gives the date of an instant.
  func write(to text: inout HARText, redaction: Redaction?, clock: HARClock) {
    let phases = metrics?.phases
    text.raw("{\"startedDateTime\":")
    clock.write(started, to: &text)
    text.raw(",\"time\":")
    text.milliseconds(time)
    writeRequest(to: &text, redaction)
    writeResponse(to: &text, redaction)
    text.raw(",\"cache\":{},\"timings\":{\"blocked\":")
    Self.write(phases?.queue, to: &text)
    text.raw(",\"dns\":")
    Self.write(phases?.lookup, to: &text)
    text.raw(",\"connect\":")
    // In a HAR, connecting includes the handshake.
    Self.write(
      phases.flatMap { $0.connect == nil && $0.tls == nil ? nil : ($0.connect ?? .zero) + ($0.tls ?? .zero) }, to: &text
    )
    text.raw(",\"ssl\":")
    Self.write(phases?.tls, to: &text)
    text.raw(",\"send\":0,\"wait\":")
    text.milliseconds(phases?.firstByte ?? (phases == nil ? answered.map { started.duration(to: $0) } : nil) ?? .zero)
    text.raw(",\"receive\":")
    text.milliseconds(phases?.transfer ?? .zero)
    text.raw("}")
    if let address = metrics?.remoteAddress.map(Self.splitAddress) {
      text.raw(",\"serverIPAddress\":")
      text.string(address.host)
    }
    if let port = metrics?.localAddress.map(Self.splitAddress)?.port {
      text.raw(",\"connection\":")
      text.string(port)
    }
    writeOwn(to: &text, redaction)
    text.raw("}")
  }

  /// The sum of the phases, as a HAR defines it.
  private var time: Duration {
    guard let phases = metrics?.phases else { return answered.map { started.duration(to: $0) } ?? .zero }
    return [phases.queue, phases.lookup, phases.connect, phases.tls, phases.firstByte, phases.transfer].reduce(.zero) {
      $0 + ($1 ?? .zero)
    }
  }

  private static func write(_ phase: Duration?, to text: inout HARText) {
    if let phase { text.milliseconds(phase) } else { text.raw("-1") }
  }

  /// Returns the parts of `address:port`, where an IPv6 address can have brackets.
  static func splitAddress(_ address: String) -> (host: String, port: String?) {
    guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else { return (address, nil) }
    var host = address[..<colon]
    if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
    return (String(host), String(address.utf8[address.utf8.index(after: colon)...]))
  }

  // MARK: The request

  private func writeRequest(to text: inout HARText, _ redaction: Redaction?) {
    let url = redaction?.redacted(request.url) ?? request.url.absoluteString
    let shown = redaction?.redacted(request.headerFields) ?? request.headerFields
    text.raw(",\"request\":{\"method\":")
    text.string(request.method.rawValue)
    text.raw(",\"url\":")
    text.string(url)
    text.raw(",\"httpVersion\":")
    text.string(Self.name(of: metrics?.version ?? head?.version))
    text.raw(",\"cookies\":")
    Self.writeCookies(Self.values(of: .cookie, in: shown), separatedBy: ";", attributes: false, to: &text)
    text.raw(",\"headers\":")
    Self.write(shown, to: &text)
    text.raw(",\"queryString\":")
    Self.writeQuery(of: url, to: &text)
    if let bytes = content?.request {
      text.raw(",\"postData\":{\"mimeType\":")
      let type = request.headerFields[.contentType] ?? ""
      text.string(type)
      // A HAR has only text here; other bytes are kept in a field of our own.
      if let body = String(validating: bytes, as: UTF8.self) {
        text.raw(",\"text\":")
        text.string(body)
      } else {
        text.raw(",\"text\":\"\",\"_base64\":\"")
        text.raw(text: bytes.base64EncodedString())
        text.raw("\"")
      }
      text.raw("}")
    }
    text.raw(",\"headersSize\":-1,\"bodySize\":")
    text.integer(content?.requestIsPartial == true ? -1 : metrics?.bytesSent ?? 0)
    text.raw("}")
  }

  // MARK: The response

  private func writeResponse(to text: inout HARText, _ redaction: Redaction?) {
    text.raw(",\"response\":{\"status\":")
    text.integer(head?.status.code ?? 0)
    text.raw(",\"statusText\":")
    text.string(head?.status.reasonPhrase ?? "")
    text.raw(",\"httpVersion\":")
    text.string(head == nil ? "" : Self.name(of: metrics?.version ?? head?.version))
    let fields = head.map { redaction?.redacted($0.headerFields) ?? $0.headerFields } ?? [:]
    text.raw(",\"cookies\":")
    Self.writeCookies(Self.values(of: .setCookie, in: fields), separatedBy: "\n", attributes: true, to: &text)
    text.raw(",\"headers\":")
    Self.write(fields, to: &text)
    text.raw(",\"content\":{\"size\":")
    let size =
      content?.response.map { Int64($0.count) } ?? max(metrics?.bytesDelivered ?? 0, metrics?.bytesReceived ?? 0)
    text.integer(size)
    text.raw(",\"mimeType\":")
    text.string(Self.values(of: .contentType, in: fields).first ?? "x-unknown")
    if let bytes = content?.response {
      text.raw(",\"text\":")
      if let body = String(validating: bytes, as: UTF8.self) {
        text.string(body)
      } else {
        text.raw("\"")
        text.raw(text: bytes.base64EncodedString())
        text.raw("\",\"encoding\":\"base64\"")
      }
    }
    text.raw("},\"redirectURL\":")
    text.string((300..<400).contains(head?.status.code ?? 0) ? Self.values(of: .location, in: fields).first ?? "" : "")
    text.raw(",\"headersSize\":")
    text.integer((metrics?.headerBytesReceived).flatMap { $0 > 0 ? $0 : nil } ?? -1)
    text.raw(",\"bodySize\":")
    text.integer(isCached ? 0 : metrics?.bytesReceived ?? -1)
    if let error = errorText {
      text.raw(",\"_error\":")
      text.string(error)
    }
    text.raw("}")
  }

  private var isCached: Bool { head.map { $0.source != .network } ?? false }

  // MARK: What HAR has no field for

  private func writeOwn(to text: inout HARText, _ redaction: Redaction?) {
    text.raw(",\"_curlew\":{\"exchange\":")
    text.integer(exchange)
    text.raw(",\"attempt\":")
    text.integer(attempt)
    text.raw(",\"hop\":")
    text.integer(hop)
    if let reused = metrics?.connectionReused ?? reused { text.raw(reused ? ",\"reused\":true" : ",\"reused\":false") }
    if let version = metrics?.tlsVersion {
      text.raw(",\"tls\":")
      text.string(version)
    }
    if let head, head.source != .network {
      text.raw(",\"source\":")
      text.string(head.source.rawValue)
    }
    switch next {
    case .redirect: text.raw(",\"next\":\"redirect\"")
    case .challenge: text.raw(",\"next\":\"challenge\"")
    case .resend: text.raw(",\"next\":\"resend\"")
    case .resumption: text.raw(",\"next\":\"resumption\"")
    case .retry(let wait):
      text.raw(",\"next\":\"retry\",\"retryDelay\":")
      text.milliseconds(wait)
    case nil: break
    }
    if metrics == nil, !isCached, error == nil, !isCancelled { text.raw(",\"unfinished\":true") }
    if isCancelled { text.raw(",\"cancelled\":true") }
    writePauses(to: &text)
    if !informational.isEmpty {
      text.raw(",\"informational\":[")
      for (index, head) in informational.enumerated() {
        if index > 0 { text.raw(",") }
        text.raw("{\"status\":")
        text.integer(head.status.code)
        text.raw(",\"headers\":")
        Self.write(redaction?.redacted(head.headerFields) ?? head.headerFields, to: &text)
        text.raw("}")
      }
      text.raw("]")
    }
    writeError(to: &text)
    if let content { writeOwn(of: content, to: &text, redaction) }
    text.raw("}")
  }

  /// Writes when each pause began, since the request, and how long it was; null for one that did not end in this sending.
  private func writePauses(to text: inout HARText) {
    guard !pauses.isEmpty else { return }
    text.raw(",\"pauses\":[")
    for (index, pause) in pauses.enumerated() {
      text.raw(index > 0 ? ",[" : "[")
      text.milliseconds(started.duration(to: pause.since))
      text.raw(",")
      if let end = pause.until { text.milliseconds(pause.since.duration(to: end)) } else { text.raw("null") }
      text.raw("]")
    }
    text.raw("]")
  }

  private func writeOwn(of content: HARContent, to text: inout HARText, _ redaction: Redaction?) {
    if !content.pieces.isEmpty {
      text.raw(",\"pieces\":[")
      for (index, piece) in content.pieces.enumerated() {
        if index > 0 { text.raw(",") }
        text.raw("[")
        text.integer(piece.bytes)
        text.raw(",")
        text.milliseconds(piece.after)
        text.raw("]")
      }
      text.raw("]")
    }
    if let trailers = content.trailers {
      text.raw(",\"trailers\":")
      Self.write(redaction?.redacted(trailers) ?? trailers, to: &text)
    }
    if let omission = content.omission {
      text.raw(",\"omitted\":")
      text.string(omission)
    }
    text.raw(content.isDecoded ? ",\"decoded\":true" : ",\"decoded\":false")
  }

  private func writeError(to text: inout HARText) {
    guard let error else { return }
    text.raw(",\"error\":{\"kind\":")
    guard let error = error as? NetworkError else {
      // The text of an app's own error may contain anything.
      text.string(String(reflecting: type(of: error)))
      text.raw("}")
      return
    }
    text.string(error.kind.rawValue)
    text.raw(",\"stage\":")
    text.string(error.stage.rawValue)
    text.raw(",\"message\":")
    text.string(error.message)
    text.raw(error.maybeProcessed ? ",\"maybeProcessed\":true" : ",\"maybeProcessed\":false")
    text.raw(",\"bytesReceived\":")
    text.integer(error.details.bytesReceived)
    text.raw("}")
  }

  private var errorText: String? {
    if isCancelled { return "cancelled" }
    return error.map { ($0 as? NetworkError)?.message ?? String(reflecting: type(of: $0)) }
  }

  // MARK: Shared forms

  private static func name(of version: ResponseHead.Version?) -> String {
    switch version {
    case .http10: "HTTP/1.0"
    case .http11: "HTTP/1.1"
    case .http2: "HTTP/2"
    case .http3: "HTTP/3"
    case nil: "unknown"
    }
  }

  /// Returns the values of a field; a subscript of the fields would index them all first, which costs more.
  private static func values(of name: HTTPField.Name, in fields: HTTPFields) -> [String] {
    fields.compactMap { $0.name == name ? $0.value : nil }
  }

  private static func write(_ fields: HTTPFields, to text: inout HARText) {
    text.raw("[")
    var isFirst = true
    for field in fields {
      if !isFirst { text.raw(",") }
      isFirst = false
      text.raw("{\"name\":")
      text.string(field.name.rawName)
      text.raw(",\"value\":")
      text.string(field.value)
      text.raw("}")
    }
    text.raw("]")
  }

  private static func writeQuery(of url: String, to text: inout HARText) {
    text.raw("[")
    let bytes = url.utf8.prefix { $0 != UInt8(ascii: "#") }
    let query = bytes.firstIndex(of: UInt8(ascii: "?")).map { bytes[bytes.index(after: $0)...] } ?? bytes.suffix(0)
    for (index, item) in query.split(separator: UInt8(ascii: "&")).enumerated() {
      if index > 0 { text.raw(",") }
      let (name, value) = pair(Substring(item))
      text.raw("{\"name\":")
      text.string(unescaped(name))
      text.raw(",\"value\":")
      text.string(unescaped(value))
      text.raw("}")
    }
    text.raw("]")
  }

  private static func unescaped(_ text: Substring) -> String {
    let spaced = text.contains("+") ? String(text.map { $0 == "+" ? " " : $0 }) : String(text)
    return PercentText.decoded(spaced)
  }

  /// Returns the two sides of the first `=`.
  private static func pair(_ text: Substring) -> (name: Substring, value: Substring) {
    let bytes = text.utf8
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (text, "") }
    return (Substring(bytes[..<equals]), Substring(bytes[bytes.index(after: equals)...]))
  }

  /// Writes the cookies of fields; a value that was replaced has none.
  private static func writeCookies(
    _ values: [String], separatedBy separator: Character, attributes: Bool, to text: inout HARText
  ) {
    text.raw("[")
    var isFirst = true
    for value in values where value != Redaction.mark {
      for cookie in value.split(separator: separator) {
        let parts = attributes ? cookie.split(separator: ";") : [cookie]
        guard let first = parts.first else { continue }
        let (name, value) = pair(first)
        if !isFirst { text.raw(",") }
        isFirst = false
        text.raw("{\"name\":")
        text.string(name.trimmed)
        text.raw(",\"value\":")
        text.string(value.trimmed)
        for attribute in parts.dropFirst() {
          let (name, value) = pair(attribute)
          switch name.trimmed.lowercased() {
          case "path":
            text.raw(",\"path\":")
            text.string(value.trimmed)
          case "domain":
            text.raw(",\"domain\":")
            text.string(value.trimmed)
          case "httponly": text.raw(",\"httpOnly\":true")
          case "secure": text.raw(",\"secure\":true")
          default: break
          }
        }
        text.raw("}")
      }
    }
    text.raw("]")
  }
}

extension Substring {
  /// The text without spaces and tabs at its ends.
  var trimmed: String {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
