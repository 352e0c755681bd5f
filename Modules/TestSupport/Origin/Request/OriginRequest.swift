/// One request as a scripted origin received it.
///
/// Handlers get it as soon as its head is complete; `ScriptedOrigin.requests` remembers it. Its text is made when asked
/// for, so that recording costs little.
public struct OriginRequest: Sendable {
  /// Which connection it came on, counted from 1 in order of acceptance.
  public let connection: Int
  /// Its place on that connection, counted from 0.
  public let index: Int
  /// What the handshake agreed on; nil without TLS.
  public let tls: OriginTLSSession?
  let parsed: RequestHead
  let upload: OriginUpload

  /// Whether an earlier request used the same connection.
  public var isOnReusedConnection: Bool { index > 0 }

  /// The head byte for byte, its empty line included.
  package var rawHead: [UInt8] { parsed.raw }

  /// The lines of the head as they came, the request line first, without line breaks and the empty line.
  ///
  /// Bytes that are not UTF-8 are replaced; see `rawHead`.
  public var lines: [String] {
    parsed.raw.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  /// The first word of the request line.
  public var method: String { requestLine.first.map(String.init) ?? "" }

  /// The request target as it came: a path, an absolute URL, `host:port` or `*`.
  public var target: String { requestLine.count > 1 ? String(requestLine[1]) : "" }

  /// The last word of the request line, such as `HTTP/1.1`.
  package var version: String { requestLine.count > 2 ? String(requestLine[2]) : "" }

  /// The target's path, without query; not decoded.
  public var path: String { String(pathAndQuery.prefix { $0 != "?" }) }

  /// What follows the target's first question mark; nil without one; not decoded.
  public var query: String? {
    let text = pathAndQuery
    return text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
  }

  /// The header fields in order. Folded lines are taken for lines of their own without a name.
  public var fields: OriginFields {
    OriginFields(
      lines.dropFirst().map { line in
        guard let colon = line.firstIndex(of: ":") else { return OriginFields.Line("", line) }
        return OriginFields.Line(String(line[..<colon]), line[line.index(after: colon)...].trimmed)
      })
  }

  /// The first value of a field, whatever its name's case.
  public subscript(name: String) -> String? { fields[name] }

  /// Waits for the end of the body and returns what is kept of it, `OriginOptions.bodyBytesKept` at most.
  ///
  /// Sends 100 Continue when the client waits for it. Returns what came when the client left early (`isComplete` says
  /// so) or the task is cancelled.
  public func body() async -> [UInt8] {
    await upload.ended()
    return received
  }

  /// What is kept of the body up to now.
  public var received: [UInt8] { upload.progress.kept }

  /// The same as text.
  public var text: String { String(decoding: received, as: UTF8.self) }

  /// How many bytes of the body came up to now, chunk framing not counted.
  public var bodyLength: Int64 { upload.progress.length }

  /// Whether the whole body came.
  public var isComplete: Bool { upload.progress.isComplete }

  /// The trailers of a chunked body.
  public var trailers: OriginFields { upload.progress.trailers }

  private var requestLine: [Substring] {
    lines.first?.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true) ?? []
  }

  private var pathAndQuery: Substring {
    let target = target
    guard let scheme = target.firstRange(of: "://"), !target.hasPrefix("/") else { return target[...] }
    let rest = target[scheme.upperBound...]
    return rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
  }
}

/// What a TLS handshake agreed on, as the origin saw it.
public struct OriginTLSSession: Sendable, Hashable {
  /// Such as `TLSv1.3`.
  public var version: String
  /// The cipher suite's name.
  package var cipher: String
  /// The host name the client asked for (SNI), nil without one.
  public var serverName: String?
  /// The protocol chosen by ALPN, nil without one.
  package var applicationProtocol: String?
  /// Whether an earlier session was resumed.
  package var isResumed: Bool
  /// The client's certificate, DER, nil without one.
  public var clientCertificate: [UInt8]?
}
