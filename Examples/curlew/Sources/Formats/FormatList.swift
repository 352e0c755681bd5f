import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The list of formats.
enum FormatList {
  /// All formats; `auto` tries them in this order.
  static let all: [any Format] = [
    JSONDocuments(),
    PropertyLists(),
    XMLDocuments(),
    YAMLDocuments(),
    Images(),
    Forms(),
  ]

  /// The names of all formats, and `auto`.
  static var names: String { (all.map(\.name) + ["auto"]).joined(separator: ", ") }

  /// Returns the format for the extension of a file's name, if any.
  static func format(ofFile path: String) -> (any Format)? {
    guard let dot = path.lastIndex(of: "."),
      let type = MediaType(fileExtension: String(path[path.index(after: dot)...]))
    else { return nil }
    return all.first { $0.mediaTypes.contains { $0.match(type) != nil } }
  }

  /// Returns a serializer for a format, or one that chooses the format.
  ///
  /// It chooses by the response's media type and the first bytes.
  static func serializer(_ choice: FormatChoice, _ options: DecodingOptions) -> any ResponseSerializer<[DecodedLine]> {
    if case .named(let format) = choice { return FormatSerializer(format, options) }
    let registry = SerializerRegistry()
    // The newest registration has priority.
    for format in all.reversed() {
      registry.register(FormatSerializer(format, options), for: format.mediaTypes) { prefix in
        format.recognizes(prefix.starts(with: [0xEF, 0xBB, 0xBF]) ? prefix.dropFirst(3) : prefix)
      }
    }
    var serializer = AutomaticResponseSerializer(registry, sniffs: true)
    serializer.validation = ResponseValidation(statuses: nil, maximumBytes: options.bytes)
    return serializer.map { $0 as? [DecodedLine] ?? [] }
  }
}

/// A format as a serializer that accepts any status and media type.
///
/// The user has chosen the format.
private struct FormatSerializer: ResponseSerializer {
  let format: any Format
  let options: DecodingOptions
  let validation: ResponseValidation

  init(_ format: any Format, _ options: DecodingOptions) {
    self.format = format
    self.options = options
    validation = ResponseValidation(statuses: nil, maximumBytes: options.bytes)
  }

  func serialize(_ head: ResponseHead?, _ body: Data) throws -> [DecodedLine] {
    try format.lines(of: body, head: head, options)
  }
}
