import CLibcurl
import CurlewCore
import HTTPTypes

/// The request's header fields as libcurl's list, all in two pieces of memory, which end with the last reference.
// Safe because the list is never changed once it was made.
final class HeaderList: @unchecked Sendable {
  /// nil for an empty list.
  let list: UnsafeMutablePointer<curl_slist>?
  private let text: UnsafeMutablePointer<CChar>

  /// What requests without fields, body and expectation have in common.
  private static let plain = HeaderList(HTTPFields(), hasBody: false, expectsContinue: false, decodesContent: true)

  static func of(_ request: Request, expectsContinue: Bool, decodesContent: Bool) -> HeaderList {
    if decodesContent, !expectsContinue, request.headerFields.isEmpty, request.body.isEmpty { return plain }
    return HeaderList(
      request.headerFields, hasBody: !request.body.isEmpty, expectsContinue: expectsContinue,
      decodesContent: decodesContent)
  }

  private init(_ fields: HTTPFields, hasBody: Bool, expectsContinue: Bool, decodesContent: Bool) {
    var lines = HeaderLines()
    for field in fields {
      // libcurl writes the length; `Expect` is an option.
      if field.name == .contentLength || field.name == .expect { continue }
      lines.append(field)
    }
    // libcurl would write it too, at ten times the cost.
    if decodesContent, let codings = CurlLibrary.loaded.contentCodings { lines.append("Accept-Encoding: ", codings) }
    // What libcurl would add of its own.
    if fields[.accept] == nil { lines.append("Accept:") }
    if hasBody, fields[.contentType] == nil { lines.append("Content-Type:") }
    if expectsContinue {
      lines.append("Expect: 100-continue")
    } else if hasBody {
      lines.append("Expect:")
    }
    text = .allocate(capacity: lines.text.count)
    text.initialize(from: lines.text, count: lines.text.count)
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
  private(set) var text: [CChar] = []
  /// Where each begins.
  private(set) var starts: [Int] = []

  mutating func append(_ field: HTTPField) {
    starts.append(text.count)
    add(field.name.rawName)
    field.withUnsafeBytesOfValue { value in
      // A semicolon is how libcurl is told to send a field without a value.
      add(value.isEmpty ? ";" : ": ")
      text.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
    }
    text.append(0)
  }

  mutating func append(_ parts: String...) {
    starts.append(text.count)
    for part in parts { add(part) }
    text.append(0)
  }

  private mutating func add(_ part: String) { text.append(contentsOf: part.utf8.lazy.map { CChar(bitPattern: $0) }) }
}
