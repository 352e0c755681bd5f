public import CurlewCore
import CurlewJSON
public import FoundationEssentials
import HTTPTypes

/// One request of a HAR, with its response.
public struct HAREntry: Sendable {
  /// When the request began, as in the file (ISO 8601).
  public var started: String
  /// The whole time in milliseconds; nil if it is unknown.
  public var milliseconds: Double?
  /// The request, with its content if it was recorded. Fields of HTTP/2 such as `:path` are left out.
  public var request: Request
  /// The head of the response; nil if none arrived.
  public var head: ResponseHead?
  /// The content of the response; nil if it was not recorded.
  public var body: Data?
  /// The phases in milliseconds, by their names in a HAR, without those that did not happen.
  public var timings: [(name: String, milliseconds: Double)]
  /// What failed; nil if nothing did or it was not recorded.
  public var error: String?
  /// What Curlew recorded beyond HAR; nil if another program wrote the entry.
  var own: JSONValue?
  /// The whole entry.
  let value: JSONValue

  private static let phases = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

  init(_ value: JSONValue) throws(HARError) {
    self.value = value
    guard let asked = value["request"], let method = asked["method"]?.stringValue, let text = asked["url"]?.stringValue
    else {
      throw HARError(reason: "request.method or request.url is missing")
    }
    guard let method = HTTPRequest.Method(method) else { throw HARError(reason: "'\(method)' is not an HTTP method") }
    // A URL whose secrets were replaced has the mark, whose brackets are not valid in a URL.
    let marked = text.split(separator: Redaction.mark, omittingEmptySubsequences: false).joined(
      separator: "%3Credacted%3E")
    guard let url = URL(keepingEscapes: marked) else { throw HARError(reason: "request.url is not a URL") }
    started = value["startedDateTime"]?.stringValue ?? ""
    milliseconds = value["time"]?.doubleValue
    request = Request(
      method, url, headerFields: Self.fields(asked["headers"]), body: Self.requestBody(asked["postData"]))
    timings = Self.phases.compactMap { name in
      value["timings"]?[name]?.doubleValue.flatMap { $0 > 0 ? (name, $0) : nil }
    }
    own = value["_curlew"]
    let response = value["response"]
    error = response?["_error"]?.stringValue
    guard let code = response?["status"]?.intValue, (100...999).contains(code) else { return }
    head = ResponseHead(
      url: url, status: HTTPResponse.Status(code: code, reasonPhrase: response?["statusText"]?.stringValue ?? ""),
      version: Self.version(response?["httpVersion"]?.stringValue), headerFields: Self.fields(response?["headers"]))
    if let text = response?["content"]?["text"]?.stringValue {
      let isCoded = response?["content"]?["encoding"]?.stringValue == "base64"
      body = isCoded ? Data(base64Encoded: text) : Data(text.utf8)
      if body == nil { throw HARError(reason: "response.content.text is not Base64, although its encoding says so") }
    }
  }

  static func fields(_ list: JSONValue?) -> HTTPFields {
    var fields = HTTPFields()
    for field in list?.arrayValue ?? [] {
      guard let name = field["name"]?.stringValue.flatMap({ HTTPField.Name($0) }),
        let value = field["value"]?.stringValue
      else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  private static func requestBody(_ data: JSONValue?) -> Body {
    if let coded = data?["_base64"]?.stringValue.flatMap({ Data(base64Encoded: $0) }) { return .bytes(coded) }
    if let text = data?["text"]?.stringValue { return .text(text) }
    return .empty
  }

  private static func version(_ name: String?) -> ResponseHead.Version? {
    switch name?.lowercased() {
    case "http/1.0": .http10
    case "http/1.1": .http11
    case "http/2", "http/2.0", "h2": .http2
    case "http/3", "http/3.0", "h3": .http3
    default: nil
    }
  }
}
