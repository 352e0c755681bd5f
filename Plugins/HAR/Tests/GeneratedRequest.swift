import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Makes requests at random, reproducibly for a seed, with what is hard to quote and with secrets in each place that can have one.
struct RequestGenerator {
  /// A part of every secret, which no redacted text may contain.
  static let secret = "s3cr3t"
  private var random: SeededRandom
  private let folder: String

  /// - Parameter folder: Where the files of bodies are.
  init(seed: UInt64, folder: String) {
    random = SeededRandom(seed: seed)
    self.folder = folder
  }

  private static let alphabet: [String] = [
    "a", "Z", "7", " ", "'", "\"", "\\", "$", "`", "!", "#", "&", "|", ";", "(", ")", "<", ">", "*", "?", "[", "]", "{",
    "}", "~", "%",
    "%s", "@", "-", "--", "=", "^", "é", "漢", "🐦", "\t", "$(id)", "\\n", "\\0", ":", ",", "/",
  ]

  private mutating func text(upTo length: Int, from alphabet: [String] = RequestGenerator.alphabet) -> String {
    (0..<Int.random(in: 0...length, using: &random)).map { _ in pick(alphabet) }.joined()
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  private mutating func token() -> String { "\(Self.secret)-\(UInt32.random(in: 0 ... .max, using: &random))" }

  /// Returns the next request to an origin.
  mutating func next(to base: String) throws -> Request {
    let method = pick([
      "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "-X", "PURGE", "M-SEARCH", "a!b",
    ])
    var request = try Request(#require(HTTPRequest.Method(method)), base + target())
    for _ in 0..<Int.random(in: 0...4, using: &random) { addField(to: &request) }
    if method != "HEAD", chance(0.6) { request.body = try body() }
    if chance(0.2) { request.options.timeouts.total = .seconds(60) }
    return request
  }

  private mutating func target() -> String {
    let safe = [
      "a", "B", "7", "-", ".", "_", "~", "!", "$", "'", "(", ")", "*", "+", ",", ";", ":", "@", "%20", "%00", "%7B",
      "/./", "/../", "=", "/",
    ]
    var target = "/" + text(upTo: 6, from: safe)
    if chance(0.6) {
      var items: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if chance(0.4) {
          items.append("\(pick(["token", "api_key", "PASSWORD", "X-Amz-Signature", "code"]))=\(token())")
        } else {
          items.append("q=" + text(upTo: 4, from: safe + ["?", "'"]))
        }
      }
      target += "?" + items.joined(separator: pick(["&", ";"]))
    }
    return target
  }

  private mutating func addField(to request: inout Request) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: request.headerFields[.authorization] = "Bearer " + token()
    case 1: request.headerFields[.cookie] = "sid=\(token()); a=b"
    case 2: add("X-Api-Key", token(), to: &request)
    case 3: request.headerFields[.referer] = "http://example.com/?session=\(token())"
    case 4: request.headerFields[.contentType] = pick(["text/plain", "application/json", "@file"])
    case 5: request.headerFields[.userAgent] = text(upTo: 5)
    case 6: request.headerFields[.accept] = "*/*"
    default: add(pick(["X-Note", "x-empty", "X-_!#$%&'*+.^`|~"]), chance(0.2) ? "" : text(upTo: 8), to: &request)
    }
  }

  private func add(_ name: String, _ value: String, to request: inout Request) {
    guard let name = HTTPField.Name(name) else { return }
    request.headerFields.append(HTTPField(name: name, value: value))
  }

  private mutating func body() throws -> Body {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return .bytes(Data())
    case 1:
      return .text(pick(["@/etc/passwd", "-", "--data", "@-", "=", "a\n\n", "\n", "'"]) + (chance(0.5) ? token() : ""))
    case 2:
      let count = Int.random(in: 0..<300, using: &random)
      let bytes: [UInt8] = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      return .bytes(Data(bytes))
    case 3: return .text(String(repeating: text(upTo: 20), count: chance(0.05) ? 10_000 : 5) + token())
    case 4: return try .file(folder + "/a b'c")
    case 5: return try .file(folder + "/a b'c", range: 3..<200)
    default: return .text(text(upTo: 40) + "&password=" + token())
    }
  }
}
