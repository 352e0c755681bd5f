import CurlewSerialization
import FoundationEssentials

/// Conversion of names between `snake_case` and `camelCase`, as `JSONDecoder` and `JSONEncoder` do it.
enum SnakeCase {
  /// `created_at` becomes `createdAt`; underscores at both ends stay, and a name without one inside is unchanged.
  static func camelCase(_ name: String) -> String {
    let inner = name.drop { $0 == "_" }
    guard let last = inner.lastIndex(where: { $0 != "_" }) else { return name }
    let words = inner[...last].split(separator: "_")
    guard words.count > 1, let first = words.first else { return name }
    let leading = name[..<inner.startIndex]
    let trailing = name[name.index(after: last)...]
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    return leading + first.lowercased() + rest.joined() + trailing
  }

  /// `createdAt` becomes `created_at`, `myURLProperty` becomes `my_url_property`.
  static func snakeCase(_ name: String) -> String {
    var result = ""
    var previous: Character?
    var rest = name[...]
    while let character = rest.popFirst() {
      let nextIsLower = rest.first?.isLowercase ?? false
      if character.isUppercase, let previous, previous != "_", !previous.isUppercase || nextIsLower {
        result += "_"
      }
      result += character.lowercased()
      previous = character
    }
    return result
  }
}

extension ValueDecoder {
  /// The object with its names as the strategy for keys has them; of names that become alike the first one counts.
  func convertingNames(of object: JSONObject) -> JSONObject {
    let path = codingPath
    var result = JSONObject()
    for (name, value) in object {
      let converted: String
      switch settings.keys {
      case .convertFromSnakeCase: converted = SnakeCase.camelCase(name)
      case .custom(let convert): converted = convert(path + [AnyCodingKey(name)]).stringValue
      default: converted = name
      }
      if result[converted] == nil { result[converted] = value }
    }
    return result
  }
}
