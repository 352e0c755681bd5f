/// The name of a new package in the forms that its files need.
struct PackageName {
  /// The beginning of its types, such as `MessagePack`.
  let type: String
  /// The name of its members, such as `messagePack`.
  let member: String

  /// The member in code, in backticks where it is a keyword.
  var memberInCode: String { Self.keywords.contains(member) ? "`\(member)`" : member }

  /// - Parameter kind: An ending that the name need not have, such as `Serializer`.
  init(_ name: String, removing kind: String) throws(CommandError) {
    let name = name.hasSuffix(kind) && name != kind ? String(name.dropLast(kind.count)) : name
    guard let first = name.unicodeScalars.first, first.properties.isXIDStart,
      name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    else {
      throw CommandError(
        "`\(name)` is not a name. Expected letters and digits, beginning with a letter, such as MessagePack.")
    }
    type = name.prefix(1).uppercased() + name.dropFirst()
    member = Self.lowered(type)
  }

  /// Returns a name with its first word in lower case: `CSV` is `csv`, `URLForm` is `urlForm`.
  private static func lowered(_ name: String) -> String {
    let capitals = name.prefix { $0.isUppercase || $0.isNumber }
    guard capitals.count > 1, capitals.count < name.count else {
      return capitals.count > 1 ? name.lowercased() : name.prefix(1).lowercased() + name.dropFirst()
    }
    let word = name.prefix(capitals.count - 1)
    return word.lowercased() + name.dropFirst(word.count)
  }

  /// The words that are members only in backticks.
  private static let keywords: Set = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
