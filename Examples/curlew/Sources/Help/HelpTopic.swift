import Glibc

/// What `curlew help` explains beside the commands.
enum HelpTopic: String, CaseIterable {
  case curl
  case exitStatus = "exit-status"

  /// The topic of `curlew help TOPIC`; nil for other arguments.
  init?(_ arguments: [String]) {
    guard arguments.count == 2, arguments[0] == "help" else { return nil }
    self.init(rawValue: arguments[1])
  }

  /// The text for the terminal, or for 80 columns.
  var text: String { text(width: StandardOutput.isTerminal ? max(40, TerminalSize.of(STDOUT_FILENO).columns) : 80) }

  /// Returns a paragraph below the name that it explains.
  private static func paragraph(_ text: String, _ width: Int) -> String {
    WordWrap.lines(of: text[...], width, first: "    ", indent: "    ").joined(separator: "\n")
  }

  /// Returns the text, with a line's end.
  ///
  /// - Parameter width: The columns that a line may take.
  func text(width: Int) -> String {
    switch self {
    case .curl:
      let rows = CurlOptions.table.map { names, remark in
        names.split(separator: " ").joined(separator: ", ") + "\n" + Self.paragraph(remark, width)
      }
      let others = CurlOptions.different.map { names, remark in "\(names)\n\(Self.paragraph(remark, width))" }
      return """
        Options of curl that mean the same here, with one URL or several:
        \(Self.paragraph(CurlOptions.same.joined(separator: " "), width))

        \(others.joined(separator: "\n"))

        Others:

        \(rows.joined(separator: "\n"))

        """
    case .exitStatus:
      let rows = CurlStatus.meanings.map { "    \($0.status)  \($0.meaning)" }
      return """
        0    all succeeded
        1    at least one operation failed
        2    wrong usage
        130  interrupted

        With curlew get --exit-as-curl it is curl's status of the last URL that failed:

        \(rows.joined(separator: "\n"))

        """
    }
  }
}
