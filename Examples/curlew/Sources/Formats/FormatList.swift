import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The formats that there are.
enum FormatList {
  /// All of them; `auto` asks them for their first bytes in this order.
  static let all: [any Format] = [
    JSONDocuments(),
    PropertyLists(),
    XMLDocuments(),
    YAMLDocuments(),
    Images(),
    Forms(),
  ]

  /// The names of those, and `auto`.
  static var names: String { (all.map(\.name) + ["auto"]).joined(separator: ", ") }

  /// The format that a file's name speaks of; nil when it speaks of none.
  static func format(ofFile path: String) -> (any Format)? {
    guard let dot = path.lastIndex(of: "."),
      let type = MediaType(fileExtension: String(path[path.index(after: dot)...]))
    else { return nil }
    return all.first { $0.mediaTypes.contains { $0.match(type) != nil } }
  }

  /// What reads a format, or what chooses one by a response's type and its first bytes.
  static func serializer(_ choice: FormatChoice, _ options: DecodingOptions) -> any ResponseSerializer<[DecodedLine]> {
    if case .named(let format) = choice { return FormatSerializer(format, options) }
    let registry = SerializerRegistry()
    // The newest registration is asked first.
    for format in all.reversed() {
      registry.register(FormatSerializer(format, options), for: format.mediaTypes) { format.recognizes($0) }
    }
    var serializer = AutomaticResponseSerializer(registry, sniffs: true)
    serializer.validation = ResponseValidation(statuses: nil, maximumBytes: options.bytes)
    return serializer.map { $0 as? [DecodedLine] ?? [] }
  }
}

/// One format as the SDK's serializers are: of any status and any type, since the user has chosen it.
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
