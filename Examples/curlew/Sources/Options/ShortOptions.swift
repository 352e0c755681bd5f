/// Short options as curl's users write them: `-XPUT`, `-sSLm5`.
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
      let letters = argument.dropFirst()
      guard argument.hasPrefix("-"), let place = letters.firstIndex(where: { !flags.contains($0) }),
        valued.contains(letters[place])
      else {
        parted.append(argument)
        continue
      }
      let value = letters[letters.index(after: place)...]
      parted.append("-" + letters[...place])
      if !value.isEmpty { parted.append(String(value)) } else if let next = rest.popFirst() { parted.append(next) }
    }
    return parted
  }

  /// Returns the sentence that refuses `-OJ` and the like, where curl's `-O` has no value; nil if there is nothing of the kind.
  ///
  /// Parted, its letters would be a directory's name.
  static func misread(in arguments: [String]) -> String? {
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
      let letters = argument.dropFirst()
      guard let place = letters.firstIndex(where: { !flags.contains($0) }), letters[place] == "O" else { continue }
      let others = letters[letters.index(after: place)...]
      guard !others.isEmpty, others.allSatisfy({ flags.contains($0) }) else { continue }
      return "-O takes a directory; write -\(letters[..<place])\(others) -O . in place of \(argument)."
    }
    return nil
  }
}
