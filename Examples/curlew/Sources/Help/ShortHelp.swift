/// The help of `curlew get --help`: the usual options in full, and of all others the names, by category.
enum ShortHelp {
  /// The options that most requests need, in the order of the help.
  static let usual = [
    "--method", "--header", "--json", "--data", "--output", "--output-directory", "--resume", "--user", "--timeout",
    "--verbose",
  ]

  /// A category of options, with the lines of each.
  private struct Category {
    let title: Substring
    var options: [[Substring]] = []
  }

  /// Returns the short form of a help in full; text that is no such help stays.
  static func text(of help: String) -> String {
    var preamble: [Substring] = []
    var categories: [Category] = []
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      if isTitle(line) {
        categories.append(Category(title: line.dropLast()))
      } else if categories.isEmpty || categories.last?.title == "ARGUMENTS" && !line.isEmpty {
        if categories.last.map({ $0.options.isEmpty }) ?? false { preamble += [categories.removeLast().title + ":"] }
        preamble.append(line)
      } else if line.hasPrefix("  -") {
        categories[categories.count - 1].options.append([line])
      } else if !line.isEmpty, let last = categories.last, !last.options.isEmpty {
        categories[categories.count - 1].options[last.options.count - 1].append(line)
      }
    }
    guard !categories.isEmpty else { return help }
    let options: [[Substring]] = categories.flatMap(\.options)
    var text = preamble.joined(separator: "\n").trimmedAtEnd + "\n\nTHE USUAL OPTIONS:\n"
    for name in usual {
      guard let option = options.first(where: { names(of: $0).contains(name[...]) }) else { continue }
      text += option.joined(separator: "\n") + "\n"
    }
    text += "\nALL OPTIONS; --help all says what each means:\n"
    for category in categories where !category.options.isEmpty {
      let lines = lines(title: category.title.lowercased(), category.options.map(shortened))
      text += lines.joined(separator: "\n") + "\n"
    }
    return text
  }

  private static func isTitle(_ line: Substring) -> Bool {
    line.hasSuffix(":") && line.count > 1 && line.dropLast().allSatisfy { $0.isUppercase || $0 == " " }
      && line.first != " "
  }

  /// Returns the names of an option, from the line that begins it.
  private static func names(of option: [Substring]) -> [Substring] {
    let line = option.first ?? ""
    return line.split(separator: " ").prefix { $0.hasPrefix("-") }.map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
  }

  /// Returns the first short and the first long name of an option.
  private static func shortened(_ option: [Substring]) -> String {
    let names = names(of: option)
    let short = names.first { !$0.hasPrefix("--") }
    let long = names.first { $0.hasPrefix("--") }
    return [short, long].compactMap { $0 }.joined(separator: "/")
  }

  private static func lines(title: String, _ names: [String]) -> [String] {
    var lines: [String] = []
    var line = "  " + title + String(repeating: " ", count: max(1, 14 - title.count))
    let indent = String(repeating: " ", count: 16)
    for (index, name) in names.enumerated() {
      let word = name + (index < names.count - 1 ? "," : "")
      if line.count + 1 + word.count > 79 {
        lines.append(line)
        line = indent + word
      } else {
        line += (line.hasSuffix(" ") ? "" : " ") + word
      }
    }
    return lines + [line]
  }
}

extension String {
  /// The text without the empty lines at its end.
  fileprivate var trimmedAtEnd: String {
    var text = self[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
