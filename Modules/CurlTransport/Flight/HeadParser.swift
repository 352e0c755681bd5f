import CurlewCore
import Glibc
import HTTPTypes

/// Parses the heads and trailers of one response from libcurl's header lines.
///
/// It performs no I/O. Each head begins with its status line and ends with an empty line; lines after the final head are
/// trailers. The parser counts what libcurl does not (bytes, fields, 1xx heads) and rejects what libcurl accepts, or frames in
/// another way than this parser: conflicting lengths (RFC 9112 §6.3), a length beside a `Transfer-Encoding`, even an empty one
/// (§6.1), `chunked` applied twice (§6.1), transfer codings that were not requested (§7.4), and a switch of protocols.
struct HeadParser {
  struct Limits {
    var bytes: Int
    var fields: Int
    var informational: Int
  }

  /// A parsed head.
  struct Head: Sendable {
    var version: ResponseHead.Version
    /// The status, with the standard phrase if the server sent none.
    var status: HTTPResponse.Status
    var fields = HTTPFields()
    /// The announced length; nil if absent.
    var length: Int64?
    /// The transfer codings in lower case, in the order of their application.
    var transferCodings: [String] = []
    /// Whether there is a `Transfer-Encoding`, which may be empty.
    var hasTransferEncoding = false

    var code: Int { status.code }

    /// What ends the body, if the request and the status allow one.
    var bodyEnd: BodyEnd {
      if let length { return .length(length) }
      return version == .http2 || transferCodings.last == "chunked" ? .framing : .connection
    }
  }

  /// The result of reading a line.
  enum Step {
    case more
    case informational(Head)
    case final(Head)
    case failed(NetworkError.Kind, String)
  }

  /// The number of fields for which memory is reserved.
  private static let usualFields = 10
  private let limits: Limits
  private var current: Head?
  /// The fields of the first head, whose memory is reserved by the task's thread, which frees it too: both would wait for the allocator's
  /// lock if one allocated what the other frees.
  private var empty = HTTPFields()
  private var sawFinal = false
  private var informational = 0
  private var fieldCount = 0
  private(set) var bytes = 0
  private(set) var trailers = HTTPFields()

  init(_ limits: Limits) {
    self.limits = limits
    empty.reserveCapacity(Self.usualFields)
  }

  /// Reads one line, including its line end.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
    bytes += line.count
    guard bytes <= limits.bytes else {
      return .failed(.headerLimitExceeded, "The header section is larger than \(limits.bytes) bytes.")
    }
    let text = Self.trimmedEnd(line)
    do throws(Failure) {
      if current == nil, !sawFinal {
        try statusLine(text)
      } else if !text.isEmpty {
        try field(text)
      } else if !sawFinal {
        return try endOfHead()
      }
      return .more
    } catch {
      return .failed(error.kind, error.message)
    }
  }

  private struct Failure: Error {
    var kind: NetworkError.Kind
    var message: String

    init(_ message: String, kind: NetworkError.Kind = .protocolViolation) {
      self.kind = kind
      self.message = message
    }
  }

  private mutating func statusLine(_ line: UnsafeRawBufferPointer) throws(Failure) {
    // HTTP/1.1 200 OK, HTTP/2 200
    guard line.count >= 10, line.starts(with: "HTTP/".utf8) else {
      throw Failure("The response does not begin with a status line.")
    }
    let version: ResponseHead.Version
    var index: Int
    switch (line[5], line[6], line[7], line[8]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "1"), UInt8(ascii: " ")): (version, index) = (.http11, 8)
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "0"), UInt8(ascii: " ")): (version, index) = (.http10, 8)
    // libcurl writes this line for the pseudo-field `:status`. Whether HTTP/2 was negotiated is for the flight to check.
    case (UInt8(ascii: "2"), UInt8(ascii: " "), _, _): (version, index) = (.http2, 6)
    default:
      throw Failure("The status line names another version of HTTP than 1.0, 1.1 and 2, or no status code.")
    }
    while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
    var code = 0
    var digits = 0
    while index < line.count, digits < 4, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]) {
      code = code * 10 + Int(line[index] - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    guard digits == 3, code >= 100, index == line.count || line[index] == UInt8(ascii: " ") else {
      throw Failure("The status code is not a number from 100 to 999, followed by a space or the line's end.")
    }
    while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
    let standard = ReasonPhrase.standard(code)
    let phrase = line[index...].elementsEqual(standard.utf8) ? standard : Self.visible(line[index...])
    let status = HTTPResponse.Status(code: code, reasonPhrase: phrase.isEmpty ? standard : phrase)
    current = Head(version: version, status: status, fields: empty)
    empty = HTTPFields()
    fieldCount = 0
  }

  private mutating func endOfHead() throws(Failure) -> Step {
    guard let head = current else { return .more }
    current = nil
    if head.code < 200, head.code != 101 {
      informational += 1
      guard informational <= limits.informational else {
        throw Failure(
          "More than \(limits.informational) informational responses came before the final one.",
          kind: .headerLimitExceeded)
      }
      return .informational(head)
    }
    guard head.code != 101 else {
      throw Failure("The server switched to another protocol (101), although the request did not ask for that.")
    }
    if head.hasTransferEncoding, head.length != nil {
      throw Failure("The response has a Content-Length beside a Transfer-Encoding.")
    }
    if head.transferCodings.dropLast().contains("chunked") {
      throw Failure("The transfer coding chunked is applied twice, or is not the last one (RFC 9112 §6.1).")
    }
    if head.transferCodings.contains(where: { $0 != "chunked" && $0 != "identity" }) {
      throw Failure("The server used a transfer coding that the request did not offer (no TE was sent).")
    }
    sawFinal = true
    return .final(head)
  }

  /// Reads a field of the head, or a trailer field after the final head.
  private mutating func field(_ line: UnsafeRawBufferPointer) throws(Failure) {
    // Folded lines count too, because each copies what its field has so far.
    fieldCount += 1
    guard fieldCount <= limits.fields else {
      throw Failure("The header section has more than \(limits.fields) fields.", kind: .headerLimitExceeded)
    }
    if line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") { return try lengthenLast(with: line) }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = UsualNames.name(UnsafeRawBufferPointer(rebasing: line[..<colon]))
    else {
      throw Failure("A line of the header section is not a field; expected a field name and a colon.")
    }
    let field = try Self.field(name, Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
    guard current != nil else { return trailers.append(field) }
    current?.fields.append(field)
    if name == .contentLength {
      try announce(field.value)
    } else if name == .transferEncoding {
      current?.hasTransferEncoding = true
      // A coding with parameters stays as it is: `chunked` has none (RFC 9112 §7.1), and no other coding was requested.
      for coding in FieldList(field.value) { current?.transferCodings.append(coding.lowercased()) }
    }
  }

  private mutating func announce(_ value: String) throws(Failure) {
    guard let length = try? ContentLength(value).value else { throw Failure("The Content-Length is not one number.") }
    if let known = current?.length, known != length {
      throw Failure("The response has two different Content-Lengths.")
    }
    current?.length = length
  }

  /// Continues the last field with a folded line, after one space (RFC 9112 §5.2).
  private mutating func lengthenLast(with line: UnsafeRawBufferPointer) throws(Failure) {
    guard let last = (current?.fields ?? trailers).last else {
      throw Failure("A line begins with white space, but no field precedes it that it could continue.")
    }
    // libcurl reads only the first line, and would determine another end of the body.
    guard last.name != .transferEncoding, last.name != .contentLength else {
      throw Failure("A Content-Length or Transfer-Encoding is folded; it must be on one line.")
    }
    let rest = Self.trimmed(line)
    guard !rest.isEmpty else { return }
    var value = last.withUnsafeBytesOfValue { Array($0) }
    if !value.isEmpty { value.append(UInt8(ascii: " ")) }
    value += rest
    let longer = try Self.field(last.name, value)
    if current == nil {
      trailers[trailers.endIndex - 1] = longer
    } else {
      current?.fields.removeLast()
      current?.fields.append(longer)
    }
  }

  private static func field(_ name: HTTPField.Name, _ value: some Collection<UInt8>) throws(Failure) -> HTTPField {
    if value.allSatisfy(isPrintable) { return HTTPField(name: name, value: String(decoding: value, as: UTF8.self)) }
    guard !value.contains(where: { $0 == 0 || $0 == 13 || $0 == 10 }) else {
      throw Failure("The value of a field contains a NUL, CR or LF, which RFC 9110 §5.5 does not allow.")
    }
    let field = HTTPField(name: name, lenientValue: value)
    guard value.allSatisfy({ $0 < 0x80 }) || !field.value.isSlowToCompare else {
      throw Failure("The value of a field has more than 1,024 combining marks in a row.", kind: .headerLimitExceeded)
    }
    return field
  }

  // MARK: Bytes

  /// Whether a byte is a tab or a printable character of ASCII.
  private static func isPrintable(_ byte: UInt8) -> Bool { byte == 9 || (byte >= 0x20 && byte < 0x7F) }

  private static func trimmedEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var end = line.count
    if end > 0, line[end - 1] == 10 { end -= 1 }
    if end > 0, line[end - 1] == 13 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[..<end])
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] == 32 || bytes[start] == 9 { start += 1 }
    while end > start, bytes[end - 1] == 32 || bytes[end - 1] == 9 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// Returns a reason phrase as text, without characters that RFC 9112 §4 forbids.
  private static func visible(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: bytes.filter { isPrintable($0) || $0 >= 0x80 }, as: UTF8.self)
  }
}

/// The names of usual response fields, as most servers write them.
///
/// They are made once, instead of as new strings for each response.
private enum UsualNames {
  private static let spellings = """
    Accept-Ranges Access-Control-Allow-Origin Age Allow Alt-Svc Cache-Control Connection Content-Disposition Content-Encoding
    Content-Language Content-Length Content-Range Content-Security-Policy Content-Type Date ETag Expires Keep-Alive
    Last-Modified Link Location Pragma Referrer-Policy Retry-After Server Set-Cookie Strict-Transport-Security Trailer
    Transfer-Encoding Vary Via X-Content-Type-Options X-Frame-Options X-Powered-By X-Request-Id X-XSS-Protection
    """

  /// The names by their length, in these spellings and in lower case, which HTTP/2 has.
  private static let names: [[(bytes: [UInt8], name: HTTPField.Name)]] = {
    var names: [[(bytes: [UInt8], name: HTTPField.Name)]] = []
    for word in (spellings + " " + spellings.lowercased()).split(whereSeparator: \.isWhitespace) {
      let text = String(word)
      guard let name = HTTPField.Name(text) else { continue }
      while names.count <= text.utf8.count { names.append([]) }
      names[text.utf8.count].append((Array(text.utf8), name))
    }
    return names
  }()

  /// Returns the field name that the bytes spell; nil if they are not a token (RFC 9110 §5.1).
  static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    if bytes.count < names.count, let start = bytes.baseAddress {
      for usual in names[bytes.count] where memcmp(usual.bytes, start, bytes.count) == 0 { return usual.name }
    }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
  }
}
