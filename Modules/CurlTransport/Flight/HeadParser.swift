import CurlewCore
import HTTPTypes

/// Parses the heads and trailers of one response from libcurl's header lines.
///
/// It performs no I/O. Each head begins with its status line and ends with an empty line; lines after the final head are
/// trailers. The parser counts what libcurl does not (bytes, fields, 1xx heads) and rejects what libcurl accepts: conflicting
/// lengths (RFC 9112 §6.3), a length beside a transfer coding (§6.1), `chunked` applied twice (§6.1), transfer codings that
/// were not requested (§7.4), and a switch of protocols. A head with the same bytes as the last one on this loop is not parsed
/// again.
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

    var code: Int { status.code }

    /// Whether a body ends only with the connection (RFC 9112 §6.3).
    var endsWithConnection: Bool {
      length == nil && transferCodings.last != "chunked" && (version == .http10 || version == .http11)
    }
  }

  /// The result of reading a line.
  enum Step {
    case more
    case informational(Head)
    case final(Head)
    case failed(NetworkError.Kind, String)
  }

  private let limits: Limits
  private var current: Head?
  private var sawFinal = false
  private var informational = 0
  private var fieldCount = 0
  private var last: HTTPField?
  /// The last head on this loop while this head begins with the same bytes.
  private var same: KnownHead?
  /// The number of equal bytes.
  private var sameBytes = 0
  /// The bytes of this head, for comparison with the next one.
  private var record = HeadRecord()
  private(set) var bytes = 0
  private(set) var trailers = HTTPFields()

  init(_ limits: Limits) { self.limits = limits }

  /// Reads one line, including its line end.
  mutating func take(_ line: UnsafeRawBufferPointer, _ known: inout HeadParseCache) -> Step {
    bytes += line.count
    guard bytes <= limits.bytes else {
      return .failed(.headerLimitExceeded, "The header section is larger than \(limits.bytes) bytes.")
    }
    if sawFinal { return trailer(Self.trimmedEnd(line), &known.fields) }
    if current == nil, same == nil {
      same = known.lastHead
      sameBytes = 0
      record = HeadRecord()
    }
    if let head = same {
      if head.bytes(from: sameBytes, are: line) {
        sameBytes += line.count
        guard sameBytes == head.bytes.count else { return .more }
        same = nil
        sawFinal = true
        fieldCount = head.head.fields.count
        return .final(head.head)
      }
      same = nil
      readAgain(head, &known.fields)
    }
    let step = read(line, &known.fields)
    switch step {
    case .final(let head):
      known.lastHead = record.known(as: head) ?? known.lastHead
      record = HeadRecord()
    case .failed: record.spoil()
    case .more, .informational: break
    }
    return step
  }

  private mutating func read(_ line: UnsafeRawBufferPointer, _ known: inout FieldCache) -> Step {
    record.append(line)
    let text = Self.trimmedEnd(line)
    if current == nil { return statusLine(text) }
    if text.isEmpty { return endOfHead() }
    return field(text, &known)
  }

  /// Parses the lines that were equal, after a line differs.
  private mutating func readAgain(_ head: KnownHead, _ known: inout FieldCache) {
    head.bytes.withUnsafeBytes { bytes in
      var rest = bytes[..<sameBytes]
      while let end = rest.firstIndex(of: 10) {
        _ = read(UnsafeRawBufferPointer(rebasing: rest[...end]), &known)
        rest = rest[(end + 1)...]
      }
    }
  }

  private mutating func statusLine(_ line: UnsafeRawBufferPointer) -> Step {
    // HTTP/1.1 200 OK, HTTP/2 200
    guard line.count >= 10, line.starts(with: Array("HTTP/".utf8)) else {
      return .failed(.protocolViolation, "The response does not begin with a status line.")
    }
    let version: ResponseHead.Version
    switch (line[5], line[6], line[7]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "1")): version = .http11
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "0")): version = .http10
    case (UInt8(ascii: "2"), _, _): version = .http2
    case (UInt8(ascii: "3"), _, _): version = .http3
    default: return .failed(.protocolViolation, "The response speaks an unknown version of HTTP.")
    }
    guard let space = line.firstIndex(of: UInt8(ascii: " ")) else {
      return .failed(.protocolViolation, "The status line holds no status.")
    }
    var index = space
    while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
    var code = 0
    var digits = 0
    while index < line.count, digits < 4, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]) {
      code = code * 10 + Int(line[index] - UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    guard digits == 3, code >= 100, index == line.count || line[index] == UInt8(ascii: " ") else {
      return .failed(.protocolViolation, "The status is not a number of three digits.")
    }
    while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
    let phrase = index < line.count ? Self.visible(line[index...]) : ""
    let status = HTTPResponse.Status(
      code: code, reasonPhrase: phrase.isEmpty ? ReasonPhrase.standard(code) : phrase)
    current = Head(version: version, status: status)
    fieldCount = 0
    last = nil
    return .more
  }

  private mutating func field(_ line: UnsafeRawBufferPointer, _ known: inout FieldCache) -> Step {
    switch parse(line, &known) {
    case .failure(let failure): return .failed(failure.kind, failure.message)
    case .success: return .more
    }
  }

  private mutating func endOfHead() -> Step {
    if let step = keepLast() { return step }
    guard let head = current else { return .more }
    current = nil
    if head.code < 200, head.code != 101 {
      informational += 1
      guard informational <= limits.informational else {
        return .failed(
          .headerLimitExceeded, "More than \(limits.informational) informational responses came before the final one.")
      }
      return .informational(head)
    }
    guard head.code != 101 else {
      return .failed(.protocolViolation, "The server switched to another protocol, which it was not asked for.")
    }
    if !head.transferCodings.isEmpty, head.length != nil {
      return .failed(.protocolViolation, "The response has a Content-Length beside a Transfer-Encoding.")
    }
    if head.transferCodings.dropLast().contains("chunked") {
      return .failed(.protocolViolation, "The transfer coding chunked is not the last one, or is there twice.")
    }
    if head.transferCodings.contains(where: { $0 != "chunked" && $0 != "identity" }) {
      return .failed(
        .protocolViolation, "The server used a transfer coding that it was not asked for (no TE was sent).")
    }
    sawFinal = true
    return .final(head)
  }

  private mutating func trailer(_ line: UnsafeRawBufferPointer, _ known: inout FieldCache) -> Step {
    if line.isEmpty { return .more }
    return field(line, &known)
  }

  /// Ends the trailers, which completes the last field.
  mutating func finish() { _ = keepLast() }

  private struct Failure: Error {
    var kind: NetworkError.Kind
    var message: String
  }

  private mutating func parse(
    _ line: UnsafeRawBufferPointer, _ known: inout FieldCache
  ) -> Result<Void, Failure> {
    if line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") {
      // A folded line continues the previous field after one space (RFC 9112 §5.2).
      guard let name = last?.name else {
        return .failure(Failure(kind: .protocolViolation, message: "A field begins with a space."))
      }
      // libcurl reads only the first line, and would determine another end of the body.
      guard name != .transferEncoding, name != .contentLength else {
        return .failure(Failure(kind: .protocolViolation, message: "A field that frames the body is folded."))
      }
      let rest = Self.trimmed(line)
      if !rest.isEmpty { lengthenLast(with: rest) }
      return .success(())
    }
    if let step = keepLast(), case .failed(let kind, let message) = step {
      return .failure(Failure(kind: kind, message: message))
    }
    fieldCount += 1
    guard fieldCount <= limits.fields else {
      return .failure(
        Failure(kind: .headerLimitExceeded, message: "The header section has more than \(limits.fields) fields."))
    }
    if let field = known.field(line) {
      last = field
      return .success(())
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = known.name(UnsafeRawBufferPointer(rebasing: line[..<colon]))
    else {
      return .failure(Failure(kind: .protocolViolation, message: "A line of the header section is not a field."))
    }
    let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
    guard !value.contains(where: { $0 == 0 || $0 == 13 || $0 == 10 }) else {
      return .failure(Failure(kind: .protocolViolation, message: "A field's value holds a control character."))
    }
    let field = HTTPField(name: name, lenientValue: value)
    known.keep(field, of: line)
    last = field
    return .success(())
  }

  private mutating func lengthenLast(with rest: UnsafeRawBufferPointer) {
    guard let field = last else { return }
    var value = field.withUnsafeBytesOfValue { Array($0) }
    if !value.isEmpty { value.append(UInt8(ascii: " ")) }
    value += rest
    last = HTTPField(name: field.name, lenientValue: value)
  }

  /// Stores the last field, which no folded line can continue any more.
  private mutating func keepLast() -> Step? {
    guard let field = last else { return nil }
    last = nil
    let name = field.name
    guard current != nil else {
      trailers.append(field)
      return nil
    }
    current?.fields.append(field)
    if name == .contentLength {
      guard let length = try? ContentLength(field.value).value else {
        return .failed(.protocolViolation, "The Content-Length is not a number, or there are several.")
      }
      if let known = current?.length, known != length {
        return .failed(.protocolViolation, "The response has two different Content-Lengths.")
      }
      current?.length = length
    } else if name == .transferEncoding {
      for coding in field.value.split(separator: ",") {
        let name = coding.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        if !name.isEmpty { current?.transferCodings.append(name) }
      }
    }
    return nil
  }

  // MARK: Bytes

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
    String(decoding: bytes.filter { $0 == 9 || ($0 >= 32 && $0 != 127) }, as: UTF8.self)
  }
}
