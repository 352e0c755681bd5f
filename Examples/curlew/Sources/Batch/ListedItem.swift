import CurlewCore
import CurlewDownload
import FoundationEssentials
import HTTPTypes

/// One item of a list file: `URL[<TAB>name[<TAB>sha-256:HEX]]`.
struct ListedItem: Sendable, Hashable {
  /// The URL as it is written in the list.
  var url: String
  /// The path below the directory, which also names the item in the store.
  var name: String
  /// The digest that the file must have.
  var digest: ExpectedDigest?

  /// Reads a line; nil for an empty line and a comment.
  ///
  /// - Parameter line: The line without its line feed. A carriage return at its end is ignored.
  init?(_ line: Data) throws(ListLineProblem) {
    var line = line
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }),
      line.first != UInt8(ascii: "#")
    else { return nil }
    if let control = line.first(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) {
      throw .control(control)
    }
    guard let text = String(validating: line, as: UTF8.self) else { throw .encoding }
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count <= 3 else { throw .fields(fields.count) }
    guard let address = Self.address(String(fields[0])) else {
      throw .url(FetchFailure.withoutSecrets(String(fields[0])))
    }
    url = String(fields[0])
    digest = nil
    if fields.count > 2, !fields[2].isEmpty {
      guard let expected = try? ExpectedDigest(String(fields[2])) else { throw .digest(String(fields[2].prefix(100))) }
      digest = expected
    }
    if fields.count > 1, !fields[1].isEmpty {
      name = String(fields[1])
      if let problem = ItemName.problem(of: name) { throw .name(name, problem) }
    } else {
      name = SuggestedFileName(disposition: nil, url: address, mediaType: nil).value
    }
  }

  /// Returns the URL of a text that a request can be sent to.
  private static func address(_ text: String) -> URL? {
    guard let request = try? Request(.get, text), request.url.host?.isEmpty == false else { return nil }
    return ["http", "https"].contains(request.url.scheme?.lowercased()) ? request.url : nil
  }
}

/// The reason why a line of a list is refused.
enum ListLineProblem: Error, Hashable, CustomStringConvertible {
  case tooLong(limit: Int)
  case control(UInt8)
  case encoding
  case fields(Int)
  case url(String)
  case digest(String)
  case name(String, ItemName.Problem)
  case duplicate(String, firstLine: Int)
  /// The store has an item of this name with another URL or digest.
  case changed(String)

  /// A list outlives the prompt at which it was typed, so its URLs say which scheme they mean.
  private static func completion(of text: String) -> String {
    let url = BareURL.completed(text)
    return url == text || text.count > 200 ? "" : "; write \(url)"
  }

  var description: String {
    switch self {
    case .tooLong(let limit): "the line is longer than \(limit) bytes"
    case .control(let byte): "the line has a control character (\(byte == 0 ? "NUL" : "byte \(byte)")); remove it"
    case .encoding: "the line is not UTF-8; percent-encode the URL"
    case .fields(let count): "the line has \(count) fields; write URL, name and digest, with one tab between them"
    case .url(let text): "'\(text.prefix(200))' is not an http or https URL\(Self.completion(of: text))"
    case .digest(let text): "'\(text)' is not a digest; write sha-256: and 64 hexadecimal digits"
    case .name(let name, let problem): "the name '\(name.prefix(200))' \(problem)"
    case .duplicate(let name, let line):
      "line \(line) has the name '\(name.prefix(200))' already; write another name behind the URL, after a tab"
    case .changed(let name):
      "the store has another URL or digest for '\(name.prefix(200))'; write another name, or use a new store"
    }
  }
}
