import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What a whole body became: its parts, or the parts before an error and the error.
struct MultipartOutcome: Hashable {
  struct Part: Hashable {
    var fields: HTTPFields
    var body = Data()
    var isComplete = false
  }

  var parts: [Part] = []
  var isFinished = false
  var error: MultipartError?

  /// Feeds a body in chunks of the sizes given, in turn.
  init(
    _ body: Data, boundary: String, chunks sizes: [Int], limits: MultipartReader.Limits = MultipartReader.Limits()
  ) {
    do throws(MultipartError) {
      var reader = try MultipartReader(boundary: boundary, limits: limits)
      var rest = body[...]
      var turn = 0
      while !rest.isEmpty {
        let chunk = rest.prefix(max(1, sizes[turn % sizes.count]))
        turn += 1
        rest = rest.dropFirst(chunk.count)
        reader.feed(chunk)
        while let event = try reader.next() { record(event) }
      }
      reader.end()
      while let event = try reader.next() { record(event) }
    } catch {
      self.error = error
    }
  }

  private mutating func record(_ event: MultipartReader.Event) {
    let last = parts.count - 1
    switch event {
    case .partBegan(let fields): parts.append(Part(fields: fields))
    case .body(let bytes): parts[last].body.append(bytes)
    case .partEnded: parts[last].isComplete = true
    case .finished: isFinished = true
    }
  }
}

/// One of python-multipart's cases: a body and what its description says about it.
struct MultipartCase {
  struct Part {
    var name = ""
    var fileName: String?
    var type = ""
    var contentType: String?
    var data = Data()
  }

  var boundary = ""
  var errorPosition: Int?
  var parts: [Part] = []

  /// Reads the little YAML that the descriptions are written in.
  init(yaml: String) {
    var dataFollows = false
    for line in yaml.split(whereSeparator: \.isNewline) {
      let text = line.drop { $0 == " " || $0 == "-" }
      if line.first == "b", let value = Self.value(of: "boundary", in: line) { boundary = value }
      if let value = Self.value(of: "error", in: text) { errorPosition = Int(value) }
      if let value = Self.value(of: "name", in: text) { parts.append(Part(name: value)) }
      guard !parts.isEmpty else { continue }
      let last = parts.count - 1
      if dataFollows { parts[last].data = Data(base64Encoded: String(text)) ?? Data() }
      if let value = Self.value(of: "type", in: text) { parts[last].type = value }
      if let value = Self.value(of: "file_name", in: text) { parts[last].fileName = value }
      if let value = Self.value(of: "content_type", in: text) { parts[last].contentType = value }
      dataFollows = text.hasPrefix("data: !!binary")
    }
  }

  private static func value(of key: String, in line: Substring) -> String? {
    guard line.hasPrefix(key + ": ") else { return nil }
    let value = line.dropFirst(key.count + 2)
    let quotes: Set<Character> = ["'", "\""]
    return String(value.first.map(quotes.contains) == true ? value.dropFirst().dropLast() : value)
  }
}

extension MultipartOutcome.Part {
  /// A parameter of the part's Content-Disposition, read no more cleverly than the corpus needs.
  func dispositionParameter(_ name: String) -> String? {
    for parameter in (fields[.contentDisposition] ?? "").split(separator: "; ") {
      guard parameter.hasPrefix(name + "=") else { continue }
      let value = parameter.dropFirst(name.count + 1)
      return String(value.hasPrefix("\"") ? value.dropFirst().dropLast() : value)
    }
    return nil
  }

  /// The body without its transfer encoding, which python-multipart undoes and Curlew leaves (RFC 7578 §4.7).
  var withoutTransferEncoding: Data? {
    let encoding = HTTPField.Name("Content-Transfer-Encoding").flatMap { fields[$0] }
    switch encoding {
    case "base64": return Data(base64Encoded: body)
    case "quoted-printable":
      return String(decoding: body, as: UTF8.self).split(separator: "=3D", omittingEmptySubsequences: false)
        .joined(separator: "=").data(using: .utf8)
    default: return body
    }
  }
}
