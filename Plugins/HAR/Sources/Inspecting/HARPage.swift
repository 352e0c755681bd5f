import CurlewCore
import CurlewJSON
public import FoundationEssentials
import HTTPTypes

/// One HTML page that shows a HAR: a waterfall by connection and by phase, what was retried and why, and each request's details.
///
/// The page is one file. It requests nothing, which its content security policy enforces, and shows what is in the HAR and nothing else:
/// secrets that are in the HAR are in the page.
///
/// ```swift
/// try HARPage(HARDocument(contentsOf: "requests.har"), title: "requests.har").html.write(to: file)
/// ```
public struct HARPage: Sendable {
  /// The page as UTF-8.
  public let html: Data

  /// The most bytes of a body that the page shows.
  public static let previewLimit = 4096

  /// Creates the page.
  ///
  /// - Parameters:
  ///   - document: The HAR.
  ///   - title: The title, such as the file's name.
  public init(_ document: HARDocument, title: String) {
    var rows: [JSONValue] = []
    rows.reserveCapacity(document.entries.count)
    for entry in document.entries { rows.append(Self.row(entry)) }
    let data: JSONValue = [
      "title": .string(title), "creator": .string(document.creator), "complete": .bool(document.isComplete),
      "entries": .array(rows),
    ]
    // In a script, `<` could begin the end of the element.
    let json = Self.replacing([UInt8(ascii: "<"): "\\u003c"], in: data.text())
    let parts = [
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; ",
      "script-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
      Self.escaped(title),
      "</title>\n<style>\n", Self.style, "</style>\n</head>\n<body>\n", Self.body,
      "<script type=\"application/json\" id=\"data\">", json,
      "</script>\n<script>\n", Self.script, Self.details, "</script>\n</body>\n</html>\n",
    ]
    html = Data(parts.joined().utf8)
  }

  private static func escaped(_ text: String) -> String {
    replacing([UInt8(ascii: "<"): "&lt;", UInt8(ascii: "&"): "&amp;"], in: text)
  }

  /// Replaces bytes of ASCII, whatever characters they are a part of: a browser reads scalars.
  private static func replacing(_ escapes: [UInt8: String], in text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if let escape = escapes[byte] { bytes += escape.utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func number(_ value: Double?) -> JSONValue {
    value.flatMap { JSONNumber(($0 * 1000).rounded() / 1000) }.map(JSONValue.number) ?? .null
  }

  private static func row(_ entry: HAREntry) -> JSONValue {
    var row = JSONObject()
    row["t"] = number(InternetDate.parse(entry.started).map { $0.timeIntervalSince1970 * 1000 })
    row["m"] = .string(entry.request.method.rawValue)
    row["u"] = entry.value["request"]?["url"] ?? .null
    row["s"] = .number(JSONNumber(entry.head?.status.code ?? 0))
    row["st"] = .string(entry.head?.status.reasonPhrase ?? "")
    row["v"] = entry.value["response"]?["httpVersion"] ?? .null
    row["c"] = entry.value["connection"] ?? .null
    row["ip"] = entry.value["serverIPAddress"] ?? .null
    row["w"] = entry.value["response"]?["bodySize"] ?? .null
    row["z"] = entry.value["response"]?["content"]?["size"] ?? .null
    row["up"] = entry.value["request"]?["bodySize"] ?? .null
    row["d"] = number(entry.milliseconds)
    row["p"] = .array(phases.map { phase in number(entry.timings.first { $0.name == phase }?.milliseconds ?? 0) })
    row["e"] = entry.error.map(JSONValue.string)
    row["x"] = entry.own
    row["q"] = fields(entry.request.headerFields)
    row["r"] = fields(entry.head?.headerFields ?? [:])
    row["curl"] = .string(CurlCommand(entry.request, redaction: nil).text)
    if case .bytes(let data) = entry.request.body.source { row["qb"] = preview(data) }
    row["rb"] = entry.body.flatMap(preview)
    return .object(row)
  }

  private static let phases = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

  private static func fields(_ fields: HTTPFields) -> JSONValue {
    .array(fields.map { [.string($0.name.rawName), .string($0.value)] })
  }

  private static func preview(_ data: Data) -> JSONValue? {
    guard !data.isEmpty else { return nil }
    let start = data.prefix(previewLimit)
    // The limit can lie inside a character.
    for dropped in 0..<min(4, start.count) {
      guard let text = String(validating: start.dropLast(dropped), as: UTF8.self) else { continue }
      return .string(data.count > previewLimit ? text + "…" : text)
    }
    return .string("\(data.count) bytes that are not text")
  }
}
