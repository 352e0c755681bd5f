/// Breaks sentences at words, so that a terminal does not break them within one.
enum WordWrap {
  /// Returns text whose sentences of the tool (`curlew: …`) have lines that fit; other lines, such as a trace's, stay as they are.
  ///
  /// A word that is longer than a line, such as a URL, has a line of its own.
  ///
  /// - Parameter width: The columns of the terminal.
  static func wrapped(_ text: String, width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("curlew: ") ? lines(of: $0, width).joined(separator: "\n") : String($0) }
      .joined(separator: "\n")
  }

  /// Breaks a text at its spaces into lines of at most `width` characters; a longer word has a line of its own.
  ///
  /// - Parameters:
  ///   - first: What the first line begins with.
  ///   - indent: What the others begin with.
  static func lines(of sentence: Substring, _ width: Int, first: String = "", indent: String = "  ") -> [String] {
    var lines: [String] = []
    var line = ""
    for word in sentence.split(separator: " ", omittingEmptySubsequences: false) {
      if line.isEmpty {
        line = first + word
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = indent + word
      }
    }
    return lines + [line]
  }
}
