import CurlewYAML

/// A value as JSON text, to be compared with what others make of it.
enum JSONText {
  static func of(_ value: YAMLValue) -> String {
    switch value.untagged {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): value.text
    case .float(let value): value.isFinite ? value.text : quoted(value.text)
    case .string(let value): quoted(value)
    case .sequence(let elements): "[" + elements.map(of).joined(separator: ",") + "]"
    case .mapping(let mapping):
      "{" + mapping.map { quoted($0.key.scalarText ?? of($0.key)) + ":" + of($0.value) }.joined(separator: ",") + "}"
    case .tagged: ""
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\0"..<" ": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
