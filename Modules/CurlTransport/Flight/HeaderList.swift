import CLibcurl
import CurlewCore
import HTTPTypes

/// The request's header fields as a libcurl list.
///
/// The list takes two allocations, which the last reference releases.
// Safe because the list is not changed after its creation.
final class HeaderList: @unchecked Sendable {
  /// The list; nil if it is empty.
  let list: UnsafeMutablePointer<curl_slist>?
  private let text: UnsafeMutablePointer<CChar>

  /// The list of requests without fields, body and expectation.
  private static let plain = HeaderList(HTTPFields(), .none, expectsContinue: false)
  /// The list of requests whose only field offers all content codings.
  private static let offering = HeaderList(
    [.acceptEncoding: ContentCoding.everyOffer], .none, expectsContinue: false)

  static func of(_ request: Request, expectsContinue: Bool, isTunneled: Bool = false) -> HeaderList {
    var fields = request.headerFields
    let content = Content(request)
    if !expectsContinue, fields.count < 2, content == .none {
      guard let only = fields.first else { return plain }
      if only.name == .acceptEncoding, only.value == ContentCoding.everyOffer { return offering }
    }
    // Through a tunnel the field would reach the server.
    if isTunneled { fields[.proxyAuthorization] = nil }
    return HeaderList(fields, content, expectsContinue: expectsContinue)
  }

  /// What the request declares about its content.
  private enum Content {
    /// No content is declared.
    case none
    /// The content is declared to be empty.
    case noBytes
    /// libcurl declares the content.
    case bytes

    init(_ request: Request) {
      guard request.body.length == 0 else {
        self = .bytes
        return
      }
      switch request.method {
      // A method that defines a meaning for content declares a length of 0 (RFC 9110 §8.6).
      case .post, .put, .patch: self = .noBytes
      default: self = request.body.isEmpty ? .none : .noBytes
      }
    }
  }

  private init(_ fields: HTTPFields, _ content: Content, expectsContinue: Bool) {
    var lines = HeaderLines(of: fields)
    for field in fields {
      // The length is that of the body; `Expect` is an option.
      if field.name == .contentLength || field.name == .expect { continue }
      if expectsContinue, field.name == .accept { continue }
      lines.append(field)
    }
    // libcurl would answer a 417 by itself and discard its body, so it must not notice the expectation. It examines only the
    // beginning of an entry, but writes all of it. `Accept: */*` means the same as no `Accept` (RFC 9110 §12.5.1).
    let expectation = expectsContinue ? "\r\nExpect: 100-continue" : ""
    if expectsContinue { lines.append("Accept: ", fields.value(of: .accept) ?? "*/*", expectation) }
    // Suppress the fields that libcurl would add.
    if !expectsContinue, !fields.has(.accept) { lines.append("Accept:") }
    if content == .bytes, !fields.has(.contentType) { lines.append("Content-Type:") }
    if content == .bytes || expectsContinue { lines.append("Expect:") }
    if content == .noBytes { lines.append("Content-Length: 0") }
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: lines.text.count)
    // Safe because both are one byte, whatever its sign.
    UnsafeMutableRawBufferPointer(start: text, count: lines.text.count).copyBytes(from: lines.text)
    self.text = text
    list = lines.starts.isEmpty ? nil : .allocate(capacity: lines.starts.count)
    for (index, start) in lines.starts.enumerated() {
      let next = index + 1 < lines.starts.count ? list.map { $0 + index + 1 } : nil
      list.map { ($0 + index).initialize(to: curl_slist(data: text + start, next: next)) }
    }
  }

  deinit {
    list?.deallocate()
    text.deallocate()
  }
}

/// Lines as consecutive C strings.
private struct HeaderLines {
  private(set) var text: [UInt8] = []
  /// The offset in `text` at which each line begins.
  private(set) var starts: [Int] = []

  /// Creates an empty list with room for the fields and for those added to them.
  init(of fields: HTTPFields) {
    text.reserveCapacity(fields.reduce(64) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 3 })
    starts.reserveCapacity(fields.count + 3)
  }

  mutating func append(_ field: HTTPField) {
    starts.append(text.count)
    text.append(contentsOf: field.name.rawName.utf8)
    field.withUnsafeBytesOfValue { value in
      // libcurl sends a field without a value only if a semicolon follows its name.
      text.append(contentsOf: (value.isEmpty ? ";" : ": ").utf8)
      text.append(contentsOf: value)
    }
    text.append(0)
  }

  mutating func append(_ parts: String...) {
    starts.append(text.count)
    for part in parts { text.append(contentsOf: part.utf8) }
    text.append(0)
  }
}
