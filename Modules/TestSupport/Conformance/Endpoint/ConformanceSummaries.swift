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
