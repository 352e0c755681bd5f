import CurlewCore
import FoundationEssentials
import FoundationNetworking
import HTTPTypes

/// Creates a head from Foundation's response.
///
/// Foundation provides a dictionary: names that differ only in case are merged, lines of one name are joined by commas, and
/// the order, the phrase and the version are lost. `Set-Cookie` lines are separated again; heads that could be misinterpreted
/// are rejected (RFC 9112 §6.1, §6.3).
struct HeadReader {
  private let plan: SendPlan
  private let fieldLimit: Int

  init(_ plan: SendPlan, fieldLimit: Int) {
    self.plan = plan
    self.fieldLimit = fieldLimit
  }

  /// - Throws: `NetworkError` of kind `protocolViolation` or `headerLimitExceeded`.
  func head(of response: HTTPURLResponse) throws(NetworkError) -> ResponseHead {
    let fields = try fields(of: response)
    let length = try length(fields)
    let code = response.statusCode
    guard (100...999).contains(code) else { throw violation("The status is not a number of three digits.") }
    let isEmpty = plan.request.method == .head || code == 204 || code == 304
    var head = ResponseHead(
      url: plan.request.url, status: HTTPResponse.Status(code: code, reasonPhrase: ReasonPhrase.standard(code)),
      version: nil, headerFields: fields, expectedLength: isEmpty ? 0 : length)
    // Foundation's libcurl decodes the codings that it knows, and fails for others.
    if head.expectedLength != 0 {
      let codings = ContentCoding.applied(in: fields)
      if !codings.isEmpty { head.noteUndone(codings) }
    }
    return head
  }

  private func fields(of response: HTTPURLResponse) throws(NetworkError) -> HTTPFields {
    let lines = response.allHeaderFields.compactMap { name, value in
      (name.base as? String).flatMap { name in (value as? String).map { (name, $0) } }
    }
    guard lines.count <= fieldLimit else {
      throw NetworkError(
        .headerLimitExceeded, stage: .awaitingHead, message: "The header section has more than \(fieldLimit) fields.")
    }
    var fields = HTTPFields()
    for (text, joined) in lines.sorted(by: { $0.0 < $1.0 }) {
      guard let name = HTTPField.Name(text) else { throw violation("A field's name is not a token.") }
      for value in name == .setCookie ? JoinedCookies.split(joined) : [joined] {
        guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
          throw violation("A field's value contains a control character.")
        }
        fields.append(HTTPField(name: name, lenientValue: Array(value.utf8.trimmingSpace)))
      }
    }
    return fields
  }

  /// Returns the announced length; nil if absent.
  private func length(_ fields: HTTPFields) throws(NetworkError) -> Int64? {
    guard let text = fields[.contentLength] else { return nil }
    guard fields[.transferEncoding] == nil else {
      throw violation("The response has a Content-Length beside a Transfer-Encoding.")
    }
    guard let length = try? ContentLength(text).value else {
      throw violation("The Content-Length is not a number, or occurs more than once.")
    }
    return length
  }

  private func violation(_ message: String) -> NetworkError {
    NetworkError(.protocolViolation, stage: .awaitingHead, message: message)
  }
}

extension Substring.UTF8View {
  /// The text without spaces and tabs at both ends (RFC 9110 §5.6.3).
  fileprivate var trimmingSpace: Substring.UTF8View {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = firstIndex { !isSpace($0) } ?? endIndex
    let end = lastIndex { !isSpace($0) }.map { index(after: $0) } ?? start
    return self[start..<end]
  }
}

extension String.UTF8View {
  fileprivate var trimmingSpace: Substring.UTF8View { self[...].trimmingSpace }
}

/// Separates `Set-Cookie` lines that Foundation has joined by commas.
///
/// A comma begins another cookie if a name and an equals sign follow it. Neither follows the comma of an `Expires` date. A
/// value that contains `, name=` cannot be distinguished from two cookies; RFC 6265 §4.1.1 does not allow commas there.
enum JoinedCookies {
  static func split(_ joined: String) -> [String] {
    var cookies: [String] = []
    var rest = joined.utf8[...]
    var begin = rest.startIndex
    while let comma = rest.firstIndex(of: UInt8(ascii: ",")) {
      let behind = rest[rest.index(after: comma)...]
      if beginsCookie(behind) {
        cookies.append(String(joined[begin..<comma]))
        // After the space that joins them.
        begin = behind.index(after: behind.startIndex)
      }
      rest = behind
    }
    cookies.append(String(joined[begin...]))
    return cookies
  }

  /// Returns whether a space, a token and an equals sign follow.
  private static func beginsCookie(_ text: Substring.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: " ") else { return false }
    let name = text.dropFirst().prefix { isTokenByte($0) }
    return !name.isEmpty && name.endIndex < text.endIndex && text[name.endIndex] == UInt8(ascii: "=")
  }

  /// Returns whether a byte may be part of a token (RFC 9110 §5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
