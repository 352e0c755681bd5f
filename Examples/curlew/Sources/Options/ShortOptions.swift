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
  ///
  /// Where `isFetch`, those of curl are written as they are here.
  static func parted(_ arguments: [String], isFetch: Bool = true) -> [String] {
    var parted: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else { return parted + [argument] + rest }
      if isFetch, let words = asCurl(argument, &rest) {
        parted += words
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
      if isFetch, letters[place] == "O", value == "-" || value.isEmpty && rest.first == "-" {
        if value.isEmpty { rest.removeFirst() }
        // wget's word for standard output.
        let flags = letters[..<place]
        parted += (flags.isEmpty ? [] : ["-" + flags]) + ["-o", "-"]
        continue
      }
      if isFetch, letters[place] == "O", lacksDirectory(value, rest.first) {
        // As `-J` and `-O .`
        let others = letters[..<place] + value.filter { $0 != "O" }
        parted += (others.isEmpty ? [] : ["-" + others]) + ["-O", "."]
        continue
      }
      parted.append("-" + letters[...place])
      if !value.isEmpty { parted.append(String(value)) } else if let next = rest.popFirst() { parted.append(next) }
    }
    return parted
  }

  /// Returns what stands here for a long option of curl, whose value is taken from the rest; nil for other arguments.
  private static func asCurl(_ argument: String, _ rest: inout ArraySlice<String>) -> [String]? {
    switch argument {
    case "--remote-name", "--remote-name-all": return ["-O", "."]
    case "--url": return rest.popFirst().map { [$0] }
    case "--data-urlencode":
      guard let encoded = rest.first.flatMap(urlencoded) else { return nil }
      rest.removeFirst()
      return ["--data=" + encoded]
    default: break
    }
    for name in ["--url=", "--data-urlencode="] where argument.hasPrefix(name) {
      var value = [String(argument.dropFirst(name.count))][...]
      return asCurl(String(name.dropLast()), &value)
    }
    return nil
  }

  /// Returns what `--data-urlencode` makes of `content`, `=content` and `name=content`; nil for `@file` and `name@file`.
  private static func urlencoded(_ text: String) -> String? {
    let scalars = text.unicodeScalars
    guard let end = scalars.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return text[...].percentEncoded }
    guard scalars[end] == "=" else { return nil }
    let content = Substring(scalars[scalars.index(after: end)...])
    return (end == scalars.startIndex ? "" : String(scalars[...end])) + content.percentEncoded
  }

  /// Whether `-O` is written as for curl, where it has no value: before flags, before another option, or at the end.
  private static func lacksDirectory(_ value: Substring, _ next: String?) -> Bool {
    value.isEmpty ? next.map { $0.hasPrefix("-") } ?? true : value.allSatisfy { $0 == "O" || flags.contains($0) }
  }
}
