import CLibcurl
import CurlewCore
import HTTPTypes

/// The request's header fields as libcurl's list, all in two pieces of memory, which end with the last reference.
// Safe because the list is never changed once it was made.
final class HeaderList: @unchecked Sendable {
  /// nil for an empty list.
  let list: UnsafeMutablePointer<curl_slist>?
  private let text: UnsafeMutablePointer<CChar>

  /// The list of requests without fields, body and expectation.
  private static let plain = HeaderList(HTTPFields(), .none, expectsContinue: false)
  /// The list of those that offer every content coding and have nothing else.
  private static let offering = HeaderList(
    [.acceptEncoding: ContentCoding.everyOffer], .none, expectsContinue: false)

  static func of(_ request: Request, expectsContinue: Bool, isTunneled: Bool = false) -> HeaderList {
    var fields = request.headerFields
    let content = Content(request)
    if !expectsContinue, fields.count < 2, content == .none {
      guard let only = fields.first else { return plain }
      if only.name == .acceptEncoding, only.value == ContentCoding.everyOffer { return offering }
    }
    // Through a tunnel it would reach the server.
    if isTunneled { fields[.proxyAuthorization] = nil }
    return HeaderList(fields, content, expectsContinue: expectsContinue)
  }

  /// What a request says of its content.
  private enum Content {
    /// Nothing.
    case none
    /// That it has no byte.
    case noBytes
    /// What libcurl writes of it.
    case bytes

    init(_ request: Request) {
      guard request.body.length == 0 else {
        self = .bytes
        return
      }
      switch request.method {
      // A method that defines a meaning for content announces a length of 0 (RFC 9110 §8.6).
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
    // libcurl would answer a 417 by itself and drop its body, so it is not to know of the expectation: it looks at the
    // beginning of an entry only, and writes all of it. `Accept: */*` says what its absence says (RFC 9110 §12.5.1).
    let expectation = expectsContinue ? "\r\nExpect: 100-continue" : ""
    if expectsContinue { lines.append("Accept: ", fields.value(of: .accept) ?? "*/*", expectation) }
    // What libcurl would add of its own.
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

/// Lines as C strings, one behind the other.
private struct HeaderLines {
  private(set) var text: [UInt8] = []
  /// Where each begins.
  private(set) var starts: [Int] = []

  /// Creates an empty list with room for fields and what is added to them.
  init(of fields: HTTPFields) {
    text.reserveCapacity(fields.reduce(64) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 3 })
    starts.reserveCapacity(fields.count + 3)
  }

  mutating func append(_ field: HTTPField) {
    starts.append(text.count)
    text.append(contentsOf: field.name.rawName.utf8)
    field.withUnsafeBytesOfValue { value in
      // A semicolon is how libcurl is told to send a field without a value.
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
