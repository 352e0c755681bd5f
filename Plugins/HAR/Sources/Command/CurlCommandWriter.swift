import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Collects the words of a curl command.
struct CurlCommandWriter {
  let redaction: Redaction?
  private let hidesContent: Bool
  private var words: [String] = []
  /// The command whose output curl sends; nil if there is none.
  private var source: String?
  private(set) var isComplete = true

  init(redaction: Redaction?, showsContent: Bool) {
    self.redaction = redaction
    hidesContent = redaction != nil && !showsContent
  }

  var text: String {
    let command = (["curl"] + words).joined(separator: " ")
    return source.map { $0 + " | " + command } ?? command
  }

  mutating func write(_ request: Request, proxy: Proxy?) {
    let hasContent = request.body.length != 0 || !request.body.isEmpty || Self.declaresContent(request.method)
    writeMethod(request.method, hasContent: hasContent)
    writeFields(request.headerFields, hasContent: hasContent)
    if hasContent { write(request.body) }
    write(request.options, hasContent: hasContent)
    if let proxy { write(proxy) }
    writeURL(of: request)
  }

  private mutating func add(_ option: String, _ value: String) {
    words.append(option)
    words.append(ShellWord.quoted(value))
  }

  // MARK: Method and fields

  /// Whether a method declares a length even without content (RFC 9110 §8.6).
  private static func declaresContent(_ method: HTTPRequest.Method) -> Bool {
    method == .post || method == .put || method == .patch
  }

  private mutating func writeMethod(_ method: HTTPRequest.Method, hasContent: Bool) {
    switch method {
    case .head: words.append("--head")
    case .get where !hasContent, .post where hasContent: break
    default: add("--request", method.rawValue)
    }
  }

  private mutating func writeFields(_ fields: HTTPFields, hasContent: Bool) {
    let shown = redaction?.redacted(fields) ?? fields
    for (field, original) in zip(shown, fields) {
      // curl writes the length of the content, and the expectation is an option.
      if field.name == .contentLength || field.name == .expect { continue }
      if field != original { isComplete = false }
      let line = field.withUnsafeBytesOfValue { value in
        Array(field.name.rawName.utf8) + (value.isEmpty ? ";" : ": ").utf8 + value
      }
      words.append("--header")
      words.append(ShellWord.quoted(line))
    }
    // Without these, curl adds fields of its own.
    for name in [HTTPField.Name.userAgent, .accept] where !fields.contains(name) { add("--header", name.rawName + ":") }
    guard hasContent else { return }
    if !fields.contains(.contentType) { add("--header", "Content-Type:") }
  }

  // MARK: Content

  private mutating func write(_ body: Body) {
    switch body.source {
    case .empty: add("--data-raw", "")
    case .bytes(let data) where hidesContent && !data.isEmpty:
      isComplete = false
      add("--data-raw", Redaction.mark)
    case .bytes(let data): write(Array(data))
    case .file(let region): write(region)
    case .stream:
      isComplete = false
      add("--data-binary", "@-")
    }
  }

  /// Linux gives a program no argument of 128 kB or more.
  private static let longestArgument = 100_000

  private mutating func write(_ bytes: [UInt8]) {
    guard bytes.count <= CurlCommand.bodyLimit else {
      isComplete = false
      return add("--data-binary", "@request-body")
    }
    if bytes.count <= Self.longestArgument, let text = ShellWord.printable(bytes) { return add("--data-raw", text) }
    source = "printf " + ShellWord.format(bytes)
    add("--data-binary", "@-")
  }

  private mutating func write(_ region: Body.FileRegion) {
    // `-` would be standard input, and a name that begins with a dash an option.
    let path = region.path.hasPrefix("/") ? region.path : "./" + region.path
    guard region.offset != 0 || region.length != region.fileLength else { return add("--data-binary", "@" + path) }
    source = "tail -c +\(region.offset + 1) \(ShellWord.quoted(path)) | head -c \(region.length)"
    add("--data-binary", "@-")
  }

  // MARK: Options

  private mutating func write(_ options: RequestOptions, hasContent: Bool) {
    // curl waits for 100 Continue before it sends more than 1 MB.
    if hasContent { add("--header", options.expectsContinue == true ? "Expect: 100-continue" : "Expect:") }
    if let connect = options.timeouts.connect { add("--connect-timeout", Self.seconds(connect)) }
    if let total = options.timeouts.total { add("--max-time", Self.seconds(total)) }
    switch options.version {
    case nil, .automatic: break
    case .http1: words.append("--http1.1")
    case .http2: words.append("--http2")
    case .http2PriorKnowledge: words.append("--http2-prior-knowledge")
    }
    if let path = options.unixSocketPath { add("--unix-socket", path) }
    for override in options.addressOverrides {
      let address = override.address.contains(":") ? "[\(override.address)]" : override.address
      let (port, addressPort) = (override.port.map(String.init) ?? "", override.addressPort.map(String.init) ?? "")
      add("--connect-to", "\(override.host ?? ""):\(port):\(address):\(addressPort)")
    }
    if let rate = [options.rateLimit?.send, options.rateLimit?.receive].compactMap({ $0 }).min() {
      add("--limit-rate", String(rate))
    }
  }

  /// Returns a duration as seconds, rounded up to milliseconds, since 0 would mean none.
  private static func seconds(_ duration: Duration) -> String {
    let limited = min(max(duration, .milliseconds(1)), .seconds(Int64(1) << 31))
    let milliseconds = Int64((limited / .milliseconds(1)).rounded(.up))
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  private mutating func write(_ proxy: Proxy) {
    let host = proxy.host.contains(":") && !proxy.host.hasPrefix("[") ? "[\(proxy.host)]" : proxy.host
    add("--proxy", "\(proxy.kind == .socks5 ? "socks5h" : "http")://\(host):\(proxy.port)")
    let secrets: [(option: String, value: String)] = [
      (
        "--proxy-user",
        proxy.credential.flatMap {
          if case .password(let user, let password) = $0 { "\(user):\(password)" } else { nil }
        }
      ),
      ("--proxy-header", proxy.authorization.map { "Proxy-Authorization: \($0)" }),
    ].compactMap { option, value in value.map { (option, $0) } }
    for secret in secrets {
      if redaction != nil { isComplete = false }
      add(secret.option, redaction == nil ? secret.value : Redaction.mark)
    }
  }

  // MARK: The URL

  private mutating func writeURL(of request: Request) {
    // What a transport sends: an origin in canonical form, and the target byte for byte.
    let url = (try? request.origin.description + request.target).flatMap { URL(string: $0) } ?? request.url
    var text = url.absoluteString
    if let redaction {
      text = redaction.redacted(url)
      if text != url.absoluteString { isComplete = false }
    }
    if text.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    if text.contains("/.") { words.append("--path-as-is") }
    words.append(ShellWord.quoted(text))
  }
}
