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
    switch choice {
    case .named(let format): FormatSerializer(format, options)
    case .automatic: FormatSerializer(nil, options)
    }
  }

  /// Returns the format whose media types match most closely, or that recognizes the first bytes; the first among equals.
  fileprivate static func format(of type: MediaType?, _ prefix: Data) -> (any Format)? {
    if let type {
      let matches = all.compactMap { format in
        format.mediaTypes.compactMap { $0.match(type) }.max().map { (format, $0) }
      }
      if let closest = matches.map(\.1).max() { return matches.first { $0.1 == closest }?.0 }
    }
    let text = prefix.starts(with: [0xEF, 0xBB, 0xBF]) ? prefix.dropFirst(3) : prefix
    return all.first { $0.recognizes(text) }
  }
}

/// A format as a serializer that accepts any status and media type.
private struct FormatSerializer: ResponseSerializer {
  /// The format that the user has chosen; nil chooses by the media type and the first bytes.
  let format: (any Format)?
  let options: DecodingOptions
  let validation: ResponseValidation

  init(_ format: (any Format)?, _ options: DecodingOptions) {
    self.format = format
    self.options = options
    validation = ResponseValidation(statuses: nil, maximumBytes: options.bytes)
  }

  func serialize(_ head: ResponseHead?, _ body: Data) throws -> [DecodedLine] {
    guard let format = format ?? FormatList.format(of: head?.mediaType, body.prefix(512)) else {
      throw NetworkError(
        .unacceptableContentType, stage: .decoding,
        message: "No format is known for \(head?.mediaType?.essence ?? "a body without a type")."
      ).with { $0.response = head }
    }
    return try format.lines(of: body, head: head, options)
  }
}
