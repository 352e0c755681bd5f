/// A request as a scripted origin received it.
///
/// Handlers receive it as soon as its head is complete, and `ScriptedOrigin.requests` records it. Its text is created on
/// demand, so that recording costs little.
public struct OriginRequest: Sendable {
  /// The number of its connection, from 1 in order of acceptance.
  public let connection: Int
  /// The number of the request on its connection, from 0.
  public let index: Int
  /// The parameters of the handshake; nil without TLS.
  public let tls: OriginTLSSession?
  let parsed: RequestHead
  let upload: OriginUpload
  /// The bytes of the request and of its reply; nil if the origin keeps none.
  package let transcript: OriginTranscript?

  /// Whether an earlier request used the same connection.
  public var isOnReusedConnection: Bool { index > 0 }

  /// The exact bytes of the head, including its empty line.
  package var rawHead: [UInt8] { parsed.raw }

  /// The lines of the head without line breaks, beginning with the request line.
  ///
  /// Bytes that are not UTF-8 are replaced; see `rawHead`.
  public var lines: [String] {
    parsed.raw.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  /// The first word of the request line.
  public var method: String { requestLine.first.map(String.init) ?? "" }

  /// The request target as received: a path, an absolute URL, `host:port` or `*`.
  public var target: String { requestLine.count > 1 ? String(requestLine[1]) : "" }

  /// The last word of the request line, such as `HTTP/1.1`.
  package var version: String { requestLine.count > 2 ? String(requestLine[2]) : "" }

  /// The target's path without its query; not decoded.
  public var path: String { String(pathAndQuery.prefix { $0 != "?" }) }

  /// The text after the target's first question mark, not decoded; nil without one.
  public var query: String? {
    let text = pathAndQuery
    return text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
  }

  /// The header fields in order.
  ///
  /// A folded line counts as a line without a name.
  public var fields: OriginFields {
    OriginFields(
      lines.dropFirst().map { line in
        guard let colon = line.firstIndex(of: ":") else { return OriginFields.Line("", line) }
        return OriginFields.Line(String(line[..<colon]), line[line.index(after: colon)...].trimmed)
      })
  }

  /// The first value of a field, in any case of its name.
  public subscript(name: String) -> String? { fields[name] }

  /// Waits for the end of the body and returns the bytes that are kept.
  ///
  /// `OriginOptions.bodyBytesKept` limits them. Sends 100 Continue if the client waits for it. If the client leaves early or
  /// the task is cancelled, it returns the bytes so far; see `isComplete`.
  public func body() async -> [UInt8] {
    await upload.ended()
    return received
  }

  /// The kept bytes of the body so far.
  public var received: [UInt8] { upload.progress.kept }

  /// The kept bytes as text.
  public var text: String { String(decoding: received, as: UTF8.self) }

  /// The number of body bytes so far, without chunk framing.
  public var bodyLength: Int64 { upload.progress.length }

  /// Whether the whole body has arrived.
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

/// The parameters of a TLS handshake, from the origin's side.
public struct OriginTLSSession: Sendable, Hashable {
  /// The version, such as `TLSv1.3`.
  public var version: String
  /// The cipher suite's name.
  package var cipher: String
  /// The host name that the client requested (SNI); nil without one.
  public var serverName: String?
  /// The protocol chosen by ALPN; nil without one.
  package var applicationProtocol: String?
  /// Whether an earlier session was resumed.
  package var isResumed: Bool
  /// The client's certificate in DER; nil without one.
  public var clientCertificate: [UInt8]?
}
