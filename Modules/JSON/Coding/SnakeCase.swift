import CurlewSerialization
import FoundationEssentials

/// Converts names between `snake_case` and `camelCase`.
///
/// The results are exactly those of Foundation's `JSONDecoder` and `JSONEncoder`.
enum SnakeCase {
  /// Returns the camel-case form of a name: `created_at` becomes `createdAt`.
  ///
  /// Underscores at both ends stay, and a name without an inner underscore is unchanged. After an underscore each run
  /// of letters is capitalized, so `line_2b` becomes `line2B`.
  static func camelCase(_ name: String) -> String {
    let inner = name.drop { $0 == "_" }
    guard let last = inner.lastIndex(where: { $0 != "_" }) else { return name }
    let words = inner[...last].split(separator: "_")
    guard words.count > 1, let first = words.first else { return name }
    let leading = name[..<inner.startIndex]
    let trailing = name[name.index(after: last)...]
    return leading + first.lowercased() + words.dropFirst().map(\.capitalized).joined() + trailing
  }

  /// Returns the snake-case form: `myURLProperty` becomes `my_url_property`.
  ///
  /// A word begins at a capital letter other than the first character, and at the last of several capitals before a
  /// lower-case letter. The first character never begins a second word, because Foundation assumes that names begin in
  /// lower case: `URL` becomes `u_rl`.
  static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var starts: [Int] = []
    var start = 0
    var place = 1
    while let capital = characters.place(from: place, where: \.isCapital) {
      starts.append(start)
      start = capital
      guard let lower = characters.place(from: capital, where: \.isLowerCaseLetter) else { break }
      if lower > capital + 1 {
        starts.append(start)
        start = lower - 1
      }
      place = lower + 1
    }
    starts.append(start)
    let ends = starts.dropFirst() + [characters.count]
    return zip(starts, ends).map { String(characters[$0..<$1]).lowercased() }.joined(separator: "_")
  }
}

extension [Character] {
  fileprivate func place(from start: Int, where isWanted: (Character) -> Bool) -> Int? {
    start < count ? self[start...].firstIndex(where: isWanted) : nil
  }
}

extension Character {
  /// Whether it contains a capital or title-case letter.
  ///
  /// This is Foundation's `CharacterSet.uppercaseLetters`.
  fileprivate var isCapital: Bool {
    unicodeScalars.contains {
      $0.properties.generalCategory == .uppercaseLetter || $0.properties.generalCategory == .titlecaseLetter
    }
  }

  /// Whether it contains a lower-case letter.
  ///
  /// This is Foundation's `CharacterSet.lowercaseLetters`.
  fileprivate var isLowerCaseLetter: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .lowercaseLetter }
  }
}

extension ValueDecoder {
  /// Returns the object with its names converted by the key strategy.
  ///
  /// If two names become equal, the first member is kept.
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
