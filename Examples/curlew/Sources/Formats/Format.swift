import CurlewCore
import CurlewJSON
import CurlewYAML
import FoundationEssentials

/// A format of `curlew decode`, `curlew encode` and `curlew get --decode`.
///
/// A new one is a file here that conforms, and a line in `FormatList.all`.
protocol Format: Sendable {
  /// What it is called on the command line.
  var name: String { get }
  /// The types of responses that hold it, patterns included.
  var mediaTypes: [MediaType] { get }
  /// Whether some first bytes are of this format; unless told, never.
  func recognizes(_ prefix: Data) -> Bool
  /// How deep values may be allowed to be nested; unless told, up to 4096 levels.
  var depths: ClosedRange<Int> { get }
  /// What is printed of a document, a line each: canonical JSON, unless an option asks for something else.
  ///
  /// - Parameter head: The head of the response that brought the bytes; nil for a file.
  /// - Throws: Any error; one that knows a place describes itself as `line L, column C: reason`.
  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine]
  /// The bytes of some values, at least one; unless told, none can be written.
  func encode(_ documents: [JSONValue]) throws -> Data
}

extension Format {
  func recognizes(_ prefix: Data) -> Bool { false }

  var depths: ClosedRange<Int> { 0...4096 }

  func encode(_ documents: [JSONValue]) throws -> Data { throw FormatError("\(name) is a format that is only read") }
}

/// How a document is read.
struct DecodingOptions: Sendable, Hashable {
  /// How deep values may be nested.
  var depth = 512
  /// The most bytes.
  var bytes = 256 << 20
  /// Which scalars of YAML are no strings.
  var schema = YAMLSchema.core
  /// The most aliases of a YAML stream; nil for what the parser allows unless told.
  var aliases: Int?
  /// What is asked of an XML document in place of all of it.
  var xml = XMLRequest()
}

/// What is asked of an XML document.
struct XMLRequest: Sendable, Hashable {
  /// Whether it is printed in its canonical form.
  var isCanonical = false
  /// Whether comments are part of that.
  var keepsComments = false
  /// The XPath expression whose matches are printed; nil is the whole document.
  var path: String?
  /// What the prefixes of the expression stand for, beside those that the document's element declares.
  var namespaces: [String: String] = [:]

  /// Whether what is printed has to be the canonical form to the byte.
  var isVerbatim: Bool { isCanonical && path == nil }
}

/// What a format has to say against a document or a value.
struct FormatError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }

  /// - Parameters:
  ///   - line: From 1.
  ///   - column: From 1.
  init(line: Int, column: Int, _ reason: String) { description = "line \(line), column \(column): \(reason)" }
}

extension [JSONValue] {
  /// The one value, for formats that hold no more.
  ///
  /// - Throws: `FormatError` when there are several.
  var only: JSONValue {
    get throws {
      guard let first, count == 1 else { throw FormatError("the format holds one document, and these are \(count)") }
      return first
    }
  }
}
