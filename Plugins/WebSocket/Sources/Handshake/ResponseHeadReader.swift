import FoundationEssentials
import HTTPTypes

/// Reads the head of an HTTP/1.1 response (RFC 9112 §4, §5), without I/O.
struct ResponseHeadReader: Sendable {
  /// The most bytes of a head.
  static let limit = 64 * 1024
  /// The most fields of a head.
  private static let fieldLimit = 1000

  /// A head.
  struct Head: Sendable, Hashable {
    var status: HTTPResponse.Status
    var isHTTP11: Bool
    var fields = HTTPFields()
    /// The bytes that it took.
    var count = 0
  }

  /// What has arrived and belongs to no head that was returned.
  private(set) var bytes = Data()

  mutating func append(_ more: Data) { bytes.append(more) }

  /// Returns the next head, and removes it; nil while it is not complete.
  ///
  /// - Throws: A sentence that says what is malformed, or that it is too long.
  mutating func next() throws(UpgradeRefusal) -> Head? {
    var lines: [Substring] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      var line = bytes[start..<end]
      // A line may end without a carriage return (RFC 9112 §2.2).
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      start = end + 1
      guard start - bytes.startIndex <= Self.limit, lines.count <= Self.fieldLimit else { throw Self.tooLong }
      if line.isEmpty {
        var head = try Self.head(lines)
        head.count = start - bytes.startIndex
        bytes = Data(bytes[start...])
        return head
      }
      lines.append(String(decoding: line, as: UTF8.self)[...])
    }
    guard bytes.count <= Self.limit else { throw Self.tooLong }
    return nil
  }

  private static let tooLong = UpgradeRefusal(
    "The head of the server's answer is longer than \(limit) bytes or has too many fields")

  private static func head(_ lines: [Substring]) throws(UpgradeRefusal) -> Head {
    guard let first = lines.first else { throw UpgradeRefusal("The server's answer has no status line") }
    let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].utf8.count == 8, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3,
      let code = Int(parts[1]), (100...599).contains(code)
    else { throw UpgradeRefusal("The server's bytes are not valid HTTP") }
    let phrase = parts.count == 3 ? String(parts[2]) : ""
    var head = Head(
      status: HTTPResponse.Status(code: code, reasonPhrase: phrase), isHTTP11: parts[0] != "HTTP/1.0")
    for line in lines.dropFirst() {
      // A folded line, and blanks before the colon, are errors (RFC 9112 §5.1, §5.2).
      guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
        throw UpgradeRefusal("A field line of the server's answer is malformed")
      }
      head.fields.append(HTTPField(name: name, value: String(line[line.index(after: colon)...].trimmingBlanks)))
    }
    return head
  }
}

/// Reads the content of a response that refuses the handshake (RFC 9112 §6.3), up to a limit, without I/O.
struct RefusalBodyReader: Sendable {
  /// The most bytes that are kept.
  static let limit = 64 * 1024

  private enum Framing: Sendable {
    case length(Int)
    case chunked
    case untilEnd
  }

  private let framing: Framing
  private var raw = Data()

  init(_ head: ResponseHeadReader.Head) {
    let code = head.status.code
    if code == 204 || code == 304 || code < 200 {
      framing = .length(0)
    } else if head.fields[.transferEncoding]?.lowercased().hasSuffix("chunked") == true {
      framing = .chunked
    } else if let length = head.fields[.contentLength].flatMap({ Int($0) }), length >= 0 {
      framing = .length(length)
    } else {
      framing = .untilEnd
    }
  }

  mutating func append(_ bytes: Data) { raw.append(bytes) }

  /// Returns the content when it is complete, or as long as is kept; nil if more is needed.
  ///
  /// - Parameter hasEnded: Whether no more arrives.
  func content(hasEnded: Bool) -> Data? {
    switch framing {
    case .length(let length):
      return hasEnded || raw.count >= min(length, Self.limit) ? raw.prefix(min(length, Self.limit)) : nil
    case .untilEnd: return hasEnded || raw.count >= Self.limit ? raw.prefix(Self.limit) : nil
    case .chunked:
      let (content, isComplete) = Self.unchunked(raw)
      return isComplete || hasEnded || raw.count >= 2 * Self.limit ? content.prefix(Self.limit) : nil
    }
  }

  /// Returns the content of the chunks that have arrived (RFC 9112 §7.1), and whether the last one has.
  private static func unchunked(_ raw: Data) -> (Data, Bool) {
    var content = Data()
    var rest = raw[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let digits = String(decoding: rest[..<end], as: UTF8.self).prefix { $0.isHexDigit }
      guard let size = Int(digits, radix: 16), size > 0, size <= limit else { return (content, true) }
      rest = rest[(end + 1)...]
      content.append(rest.prefix(size))
      guard rest.count >= size + 2 else { return (content, false) }
      rest = rest.dropFirst(size + 2)
    }
    return (content, false)
  }
}
