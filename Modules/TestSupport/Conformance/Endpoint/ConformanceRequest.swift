/// A request as it reached an endpoint.
public struct ConformanceRequest: Sendable {
  private enum Upload: Sendable {
    case origin(OriginRequest)
    case bytes([UInt8])
  }

  /// The method.
  public let method: String
  /// The path and query.
  public let target: String
  /// The fields, in order.
  public let fields: OriginFields
  /// The exact bytes of the head; empty if it was never written.
  package let rawHead: [UInt8]
  /// The number of the client's connection; 0 if unknown.
  package let connection: Int
  private let upload: Upload

  /// Creates a request from that of a scripted origin.
  ///
  /// - Parameter connectionField: The field in which a server in front of the origin sends the number of the client's
  ///   connection.
  init(_ request: OriginRequest, connectionField: String? = nil) {
    method = request.method
    target = request.target
    var fields = request.fields
    connection = connectionField.flatMap { fields[$0] }.flatMap { Int($0) } ?? request.connection
    if let connectionField { fields[connectionField] = nil }
    self.fields = fields
    rawHead = request.rawHead
    upload = .origin(request)
  }

  /// Creates a request that was never written to a socket.
  package init(method: String, target: String, fields: OriginFields, content: [UInt8]) {
    self.method = method
    self.target = target
    self.fields = fields
    rawHead = []
    connection = 0
    upload = .bytes(content)
  }

  /// Creates a request from the bytes of its head; nil without a request line.
  init?(rawHead: [UInt8]) {
    let lines = String(decoding: rawHead, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    fields = OriginFields(
      lines.dropFirst().compactMap { line in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return OriginFields.Line(String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " }))
      })
    self.rawHead = rawHead
    connection = 0
    upload = .bytes([])
  }

  /// The text after the target's first question mark; nil without one.
  package var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// Waits for the end of the body and returns its first MiB.
  public func content() async -> [UInt8] {
    await ConformanceWaits.waiting(for: { "the end of the content of \(summary)" }) {
      switch upload {
      case .origin(let request): await request.body()
      case .bytes(let bytes): bytes
      }
    }
  }

  /// The number of body bytes that have arrived so far.
  package var contentLength: Int64 {
    switch upload {
    case .origin(let request): request.bodyLength
    case .bytes(let bytes): Int64(bytes.count)
    }
  }

  /// The request and the answer as they crossed the wire, a line each; nil if there is no wire.
  var transcript: [String]? {
    guard case .origin(let request) = upload else { return nil }
    return request.transcript?.lines(isRequestComplete: request.isComplete)
  }

  /// Whether the whole body has arrived.
  package var isComplete: Bool {
    switch upload {
    case .origin(let request): request.isComplete
    case .bytes: true
    }
  }
}

/// What a request and a chosen answer are in one line, for a report about an endpoint without a wire.
extension ConformanceRequest {
  /// The method, the target, the fields and the size of the content that has arrived.
  var summary: String {
    let content = contentLength == 0 ? "" : "; \(contentLength) bytes of content\(isComplete ? "" : " so far")"
    return String("\(method) \(target); \(fields.summary)\(content)".prefix(400))
  }
}

extension ConformanceAnswer {
  /// The status, the fields, the size and the end of the content.
  var summary: String {
    if let raw {
      let end = raw.closes ? "then closed" : "then kept open"
      return String(
        "raw bytes \(String(decoding: raw.start, as: UTF8.self).debugDescription)\(raw.endless.isEmpty ? "" : ", endless"), \(end)"
          .prefix(400))
    }
    var parts = informational.map { "\($0.status)" }
    parts.append("\(status)")
    parts.append(framedFields.summary)
    if content.count > 0 { parts.append("\(content.count) bytes of content") }
    if conversation != nil { parts.append("then another protocol") }
    switch ending {
    case .complete: break
    case .cut(let count): parts.append("closed after \(count) bytes")
    case .reset(let count): parts.append("reset after \(count) bytes")
    case .cutBeforeHead: parts = ["closed before the head"]
    case .resetBeforeHead: parts = ["reset before the head"]
    case .halfClosed: parts.append("the server's direction ended")
    }
    return String(parts.filter { !$0.isEmpty }.joined(separator: "; ").prefix(400))
  }
}

extension OriginFields {
  /// The lines, separated by semicolons.
  fileprivate var summary: String { lines.map { "\($0.name): \($0.value)" }.joined(separator: "; ") }
}
