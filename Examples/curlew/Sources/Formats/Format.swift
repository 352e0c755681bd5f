import CurlewCore
import CurlewJSON
import CurlewYAML
import FoundationEssentials

/// A format of `curlew decode`, `curlew encode` and `curlew get --decode`.
///
/// To add one, write a conforming type in this folder and add it to `FormatList.all`.
protocol Format: Sendable {
  /// The name on the command line.
  var name: String { get }
  /// The media types of responses in this format, including patterns.
  var mediaTypes: [MediaType] { get }
  /// Returns whether the first bytes, without a byte order mark of UTF-8, are of this format; by default false.
  func recognizes(_ prefix: Data) -> Bool
  /// The allowed limits of nesting; by default up to 4096 levels.
  var depths: ClosedRange<Int> { get }
  /// Returns the lines to print for a document; canonical JSON by default.
  ///
  /// - Parameter head: The head of the response with the document; nil for a file.
  /// - Throws: Any error; one that knows a position describes itself as `line L, column C: reason`.
  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine]
  /// Returns the bytes of one or more values; by default it throws.
  func encode(_ documents: [JSONValue]) throws -> Data
}

extension Format {
  func recognizes(_ prefix: Data) -> Bool { false }

  var depths: ClosedRange<Int> { 0...4096 }

  func encode(_ documents: [JSONValue]) throws -> Data { throw FormatError("\(name) is a format that is only read") }
}

/// The options for reading a document.
struct DecodingOptions: Sendable, Hashable {
  /// The deepest nesting of values.
  var depth = 512
  /// The most bytes of the document.
  var bytes = 256 << 20
  /// The schema that decides which YAML scalars are not strings.
  var schema = YAMLSchema.core
  /// The most aliases of a YAML stream; nil uses the parser's default.
  var aliases: Int?
  /// The part and form of an XML document to print.
  var xml = XMLRequest()
}

/// The part and form of an XML document to print.
struct XMLRequest: Sendable, Hashable {
  /// Whether to print the canonical form.
  var isCanonical = false
  /// Whether the canonical form includes comments.
  var keepsComments = false
  /// The XPath expression whose matches are printed; nil prints the document.
  var path: String?
  /// The namespaces of prefixes in the expression.
  ///
  /// The prefixes that the document's element declares are known as well.
  var namespaces: [String: String] = [:]

  /// Whether the output must be exactly the canonical form.
  var isVerbatim: Bool { isCanonical && path == nil }
}

/// An error of a format about a document or a value.
struct FormatError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }

  /// - Parameters:
  ///   - line: From 1.
  ///   - column: From 1.
  init(line: Int, column: Int, _ reason: String) { description = "line \(line), column \(column): \(reason)" }
}

extension [JSONValue] {
  /// The only value, for formats that hold a single one.
  ///
  /// - Throws: `FormatError` when there are several.
  var only: JSONValue {
    get throws {
      guard let first, count == 1 else { throw FormatError("the format holds one document, and these are \(count)") }
      return first
    }
  }
}
