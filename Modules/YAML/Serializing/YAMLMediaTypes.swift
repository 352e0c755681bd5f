import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The media types that count as YAML, and how their bodies are parsed.
enum YAMLMediaTypes {
  /// The registered type, its suffix, and the three it replaces (RFC 9512 §2.1).
  static let accepted: [MediaType] =
    [
      .yaml, MediaType(type: "application", subtype: "x-yaml"), MediaType(type: "text", subtype: "yaml"),
      MediaType(type: "text", subtype: "x-yaml"),
    ].compactMap { $0 }

  /// Returns the one document of a body; nil if the body has no document.
  static func value(_ head: ResponseHead?, _ body: Data, _ options: YAMLParsingOptions) throws -> YAMLValue? {
    do {
      guard let text = try CharsetDecoder.foreignText(head, body) else {
        return try YAMLValue(parsing: body, options: options)
      }
      return try YAMLValue(parsing: text, options: options)
    } catch let error as YAMLError where error.kind == .empty {
      return nil
    }
  }

  /// Returns all documents of a body; an empty body has none.
  static func documents(_ head: ResponseHead?, _ body: Data, _ options: YAMLParsingOptions) throws -> [YAMLValue] {
    guard let text = try CharsetDecoder.foreignText(head, body) else {
      return try YAMLValue.documents(parsing: body, options: options)
    }
    return try YAMLValue.documents(parsing: text, options: options)
  }
}
