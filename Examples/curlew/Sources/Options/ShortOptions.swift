/// Options as curl's users write them: `-XPUT`, `-sSLm5`, `-OJ`, `--data-urlencode 'q=a b'`.
enum ShortOptions {
  /// Those that take a value, in all commands that have them.
  private static let valued = Set("XHdFuAebcxmoOCETDw")
  /// Those that take none.
  private static let flags = Set("GILSfghikqsv#JNZVn")

  /// Whether an option takes a value.
  static func takesValue(_ letter: Character) -> Bool { valued.contains(letter) }

  /// Whether an option takes no value.
  static func isFlag(_ letter: Character) -> Bool { flags.contains(letter) }

  /// Returns the arguments with each value apart from its option; what is no such option stays.
  static func parted(_ arguments: [String]) -> [String] {
    var parted: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else { return parted + [argument] + rest }
      if ["--remote-name", "--remote-name-all"].contains(argument) {
        parted += ["-O", "."]
        continue
      }
      if argument == "--data-urlencode", let text = rest.first, let encoded = urlencoded(text) {
        parted += ["--data", encoded]
        rest.removeFirst()
        continue
      }
      let letters = argument.dropFirst()
      guard argument.hasPrefix("-"), let place = letters.firstIndex(where: { !flags.contains($0) }),
        valued.contains(letters[place])
      else {
        parted.append(argument)
        continue
      }
      let value = letters[letters.index(after: place)...]
      if letters[place] == "O", lacksDirectory(value, rest.first) {
        // As `-J` and `-O .`
        let others = letters[..<place] + value
        parted += (others.isEmpty ? [] : ["-" + others]) + ["-O", "."]
        continue
      }
      parted.append("-" + letters[...place])
      if !value.isEmpty { parted.append(String(value)) } else if let next = rest.popFirst() { parted.append(next) }
    }
    return parted
  }

  /// Returns what `--data-urlencode` makes of `content`, `=content` and `name=content`; nil for `@file` and `name@file`.
  private static func urlencoded(_ text: String) -> String? {
    guard let end = text.firstIndex(where: { "=@".contains($0) }) else { return text[...].percentEncoded }
    guard text[end] == "=" else { return nil }
    let name = end == text.startIndex ? "" : text[...end]
    return name + text[text.index(after: end)...].percentEncoded
  }

  /// Whether `-O` is written as for curl, where it has no value: before flags, before another option, or at the end.
  private static func lacksDirectory(_ value: Substring, _ next: String?) -> Bool {
    value.isEmpty ? next.map { $0.hasPrefix("-") } ?? true : value.allSatisfy(flags.contains)
  }
}
