import CurlewCore
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

  private let limits: Limits
  private var current: Head?
  private var sawFinal = false
  private var informational = 0
  private var fieldCount = 0
  private var last: HTTPField?
  private(set) var bytes = 0
  private(set) var trailers = HTTPFields()

  init(_ limits: Limits) { self.limits = limits }

  /// Reads one line, including its line end.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
    bytes += line.count
    guard bytes <= limits.bytes else {
      return .failed(.headerLimitExceeded, "The header section is larger than \(limits.bytes) bytes.")
    }
    let text = Self.trimmedEnd(line)
    if sawFinal { return trailer(text) }
    if current == nil { return statusLine(text) }
    if text.isEmpty { return endOfHead() }
    return field(text)
  }

  private mutating func statusLine(_ line: UnsafeRawBufferPointer) -> Step {
    // HTTP/1.1 200 OK, HTTP/2 200
    guard line.count >= 10, line.starts(with: Array("HTTP/".utf8)) else {
      return .failed(.protocolViolation, "The response does not begin with a status line.")
    }
    let version: ResponseHead.Version
    var index: Int
    switch (line[5], line[6], line[7], line[8]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "1"), UInt8(ascii: " ")): (version, index) = (.http11, 8)
    case (UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "0"), UInt8(ascii: " ")): (version, index) = (.http10, 8)
    // libcurl writes this line for the pseudo-field `:status`. Whether HTTP/2 was negotiated is for the flight to check.
    case (UInt8(ascii: "2"), UInt8(ascii: " "), _, _): (version, index) = (.http2, 6)
    default:
      return .failed(
        .protocolViolation, "The status line names another version of HTTP than 1.0, 1.1 and 2, or no status code.")
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
      return .failed(
        .protocolViolation, "The status code is not a number from 100 to 999, followed by a space or the line's end.")
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

  private mutating func field(_ line: UnsafeRawBufferPointer) -> Step {
    switch parse(line) {
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
      return .failed(
        .protocolViolation, "The server switched to another protocol (101), although the request did not ask for that.")
    }
    if head.hasTransferEncoding, head.length != nil {
      return .failed(.protocolViolation, "The response has a Content-Length beside a Transfer-Encoding.")
    }
    if head.transferCodings.dropLast().contains("chunked") {
      return .failed(
        .protocolViolation, "The transfer coding chunked is applied twice, or is not the last one (RFC 9112 §6.1).")
    }
    if head.transferCodings.contains(where: { $0 != "chunked" && $0 != "identity" }) {
      return .failed(
        .protocolViolation, "The server used a transfer coding that the request did not offer (no TE was sent).")
    }
    sawFinal = true
    return .final(head)
  }

  private mutating func trailer(_ line: UnsafeRawBufferPointer) -> Step {
    if line.isEmpty { return .more }
    return field(line)
  }

  /// Ends the trailers, which completes the last field.
  mutating func finish() { _ = keepLast() }

  private struct Failure: Error {
    var kind: NetworkError.Kind
    var message: String
  }

  private mutating func parse(_ line: UnsafeRawBufferPointer) -> Result<Void, Failure> {
    if line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") {
      // A folded line continues the previous field after one space (RFC 9112 §5.2).
      guard let name = last?.name else {
        return .failure(
          Failure(
            kind: .protocolViolation,
            message: "A line begins with white space, but no field precedes it that it could continue."))
      }
      // libcurl reads only the first line, and would determine another end of the body.
      guard name != .transferEncoding, name != .contentLength else {
        return .failure(
          Failure(
            kind: .protocolViolation,
            message: "A Content-Length or Transfer-Encoding is folded; it must be on one line."))
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
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
    else {
      return .failure(
        Failure(
          kind: .protocolViolation,
          message: "A line of the header section is not a field; expected a field name and a colon."))
    }
    let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
    guard !value.contains(where: { $0 == 0 || $0 == 13 || $0 == 10 }) else {
      return .failure(
        Failure(
          kind: .protocolViolation,
          message: "The value of a field contains a NUL, CR or LF, which RFC 9110 §5.5 does not allow."))
    }
    last = HTTPField(name: name, lenientValue: value)
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
    guard !field.value.isSlowToCompare else {
      return .failed(
        .headerLimitExceeded, "The value of a field has more than 1,024 combining marks in a row.")
    }
    guard current != nil else {
      trailers.append(field)
      return nil
    }
    current?.fields.append(field)
    if name == .contentLength {
      guard let length = try? ContentLength(field.value).value else {
        return .failed(.protocolViolation, "The Content-Length is not one number.")
      }
      if let known = current?.length, known != length {
        return .failed(.protocolViolation, "The response has two different Content-Lengths.")
      }
      current?.length = length
    } else if name == .transferEncoding {
      current?.hasTransferEncoding = true
      // A coding with parameters stays as it is: `chunked` has none (RFC 9112 §7.1), and no other coding was requested.
      for coding in FieldList(field.value) { current?.transferCodings.append(coding.lowercased()) }
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
