import CurlewCore
package import CurlewTestSupport
import FoundationEssentials

/// One request as a scripted HTTP proxy received it.
package struct ProxyRequest: Sendable {
  let head: RequestHead

  init(_ head: RequestHead) { self.head = head }

  /// The lines of the head as received, without line breaks.
  package var lines: [String] {
    head.raw.split(separator: 0x0a).map { line in
      String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  /// The request's method.
  package var method: String { word(0) }

  /// The request's target: `host:port` for a tunnel, an absolute URL otherwise.
  package var target: String { word(1) }

  /// Whether the client asks for a tunnel.
  package var isTunnel: Bool { method == "CONNECT" }

  /// The header fields in order.
  package var fields: OriginFields {
    OriginFields(
      lines.dropFirst().compactMap { line in
        line.firstIndex(of: ":").map { OriginFields.Line(String(line[..<$0]), line[line.index(after: $0)...].trimmed) }
      })
  }

  /// The credentials of Basic proxy authentication, as `user:password`; nil without.
  package var basicCredentials: String? {
    guard let value = fields["Proxy-Authorization"], value.lowercased().hasPrefix("basic "),
      let data = Data(base64Encoded: value.dropFirst(6).trimmed)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The target's host, in lower case; nil when the target has none.
  package var host: String? { destination?.host }

  /// The target's host and port; nil when the target has none.
  var destination: ProxyTarget? {
    var authority = target[...]
    var port = isTunnel ? nil : 80
    if !isTunnel {
      guard let scheme = authority.firstRange(of: "://") else { return nil }
      authority = authority[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
      if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    }
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      port = Int(authority[authority.index(after: colon)...])
      authority = authority[..<colon]
    }
    guard let port, (1...65_535).contains(port), !authority.isEmpty else { return nil }
    return ProxyTarget(host: authority.lowercased(), port: port)
  }

  /// The head for the origin: with a path as target, and without the proxy's fields.
  var originForm: [UInt8] {
    var path = "/"
    if let scheme = target.firstRange(of: "://") {
      let rest = target[scheme.upperBound...]
      if let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) {
        path = (rest[slash] == "?" ? "/" : "") + rest[slash...]
      }
    }
    let kept = lines.dropFirst().filter { line in
      let name = line.prefix { $0 != ":" }.lowercased()
      return name != "proxy-authorization" && name != "proxy-connection"
    }
    return [UInt8](("\(method) \(path) \(word(2))\r\n" + kept.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
  }

  private func word(_ index: Int) -> String {
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    return index < words.count ? String(words[index]) : ""
  }
}

/// The decision of a scripted proxy about one request.
package enum ProxyVerdict: Sendable {
  /// Forwards the request, or opens the tunnel.
  case forward
  /// Answers with these bytes.
  case reply([UInt8], closes: Bool)
  /// Closes the connection without an answer.
  case hangUp
  /// Never answers.
  case stall

  /// Returns an answer with a status and fields, without a body.
  package static func status(_ status: Int, _ fields: OriginFields = [:]) -> ProxyVerdict {
    let fields = OriginFields([OriginFields.Line("Content-Length", "0")] + fields.lines)
    let closes = fields["Connection"]?.matches("close") ?? false
    return .reply(
      [UInt8]("HTTP/1.1 \(status) \(ReasonPhrase.standard(status))\r\n\(fields.wireText)\r\n".utf8), closes: closes)
  }
}
