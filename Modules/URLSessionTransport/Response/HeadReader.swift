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
