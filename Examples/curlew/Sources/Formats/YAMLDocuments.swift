import CurlewCore
import CurlewJSON
import CurlewYAML
import FoundationEssentials

/// YAML 1.2, and 1.1 if requested (RFC 9512).
///
/// In JSON, a key is the text of a scalar, or the JSON of a sequence or a mapping whose own keys are scalars: JSON inside JSON inside
/// JSON would double in size at each level. Infinities and NaN are text, and tags are
/// omitted.
struct YAMLDocuments: Format {
  let name = "yaml"
  let mediaTypes: [MediaType] =
    [.yaml, MediaType("application/x-yaml"), MediaType("text/yaml"), MediaType("text/x-yaml")].compactMap { $0 }

  func recognizes(_ prefix: Data) -> Bool {
    ["%YAML ", "---\n", "---\r\n", "--- "].contains { prefix.starts(with: $0.utf8) }
  }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    var parsing = YAMLParsingOptions()
    parsing.schema = options.schema
    parsing.maximumDepth = options.depth
    parsing.maximumBytes = options.bytes
    if let aliases = options.aliases { parsing.maximumAliases = aliases }
    let documents = try YAMLDocumentsResponseSerializer(options: parsing).serialize(head, document)
    return try documents.map { DecodedLine(try Self.value($0).text()) }
  }

  func encode(_ documents: [JSONValue]) throws -> Data {
    let values = documents.map(Self.value)
    guard let first = values.first, values.count == 1 else { return YAMLValue.data(documents: values) }
    return first.data()
  }

  /// Converts a value, whose depth the parser has limited.
  ///
  /// - Parameter isInKey: Whether the value is a key or part of one.
  private static func value(_ value: YAMLValue, isInKey: Bool = false) throws -> JSONValue {
    switch value.untagged {
    case .bool(let value): return .bool(value)
    case .int(let number): return JSONNumber(text: number.text).map(JSONValue.number) ?? .string(number.text)
    case .float(let number): return JSONNumber(text: number.text).map(JSONValue.number) ?? .string(number.text)
    case .string(let text): return .string(text)
    case .sequence(let elements): return .array(try elements.map { try Self.value($0, isInKey: isInKey) })
    case .mapping(let mapping):
      var object = JSONObject()
      for (key, member) in mapping {
        let name = try key.scalarText ?? text(ofKey: key, isInKey: isInKey)
        guard object[name] == nil else {
          throw FormatError("two keys of a mapping would have the name '\(name)' in JSON")
        }
        object[name] = try Self.value(member, isInKey: isInKey)
      }
      return .object(object)
    default: return .null
    }
  }

  private static func text(ofKey key: YAMLValue, isInKey: Bool) throws -> String {
    guard !isInKey else {
      throw FormatError("a sequence or mapping is a key inside another key; JSON has no name for the outer one")
    }
    return try value(key, isInKey: true).text()
  }

  /// Converts a value, whose depth the JSON parser has limited.
  private static func value(_ value: JSONValue) -> YAMLValue {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let number):
      if let integer = YAMLInteger(text: number.text) { return .int(integer) }
      return YAMLFloat(text: number.text).map(YAMLValue.float) ?? .string(number.text)
    case .string(let text): return .string(text)
    case .array(let elements): return .sequence(elements.map(Self.value))
    case .object(let object):
      var mapping = YAMLMapping()
      for (name, member) in object { mapping[name] = Self.value(member) }
      return .mapping(mapping)
    }
  }
}
