/// What `curlew help` explains beside the commands.
enum HelpTopic: String, CaseIterable {
  case curl
  case exitStatus = "exit-status"

  /// The topic of `curlew help TOPIC`; nil for other arguments.
  init?(_ arguments: [String]) {
    guard arguments.count == 2, arguments[0] == "help" else { return nil }
    self.init(rawValue: arguments[1])
  }

  /// The text, with a line's end.
  var text: String {
    switch self {
    case .curl:
      let rows = CurlOptions.table.map { names, remark in
        names.split(separator: " ").joined(separator: ", ") + "\n    \(remark)"
      }
      return """
        Options of curl that mean the same here, with one URL or several:
            \(CurlOptions.same.joined(separator: " "))

        -O, --output-directory
            takes a directory, which is made if there is none; with a URL in its place and no other, this one
        -C, --continue-at
            takes -, and is --resume
        -L, --location
            is the default, up to 20 redirects; --no-location follows none
        -f, --fail
            leaves out the body of a status of 400 or above, which is a failure in any case

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

        With curlew get --exit-as-curl a failure is curl's status, of the last URL that failed:

        \(rows.joined(separator: "\n"))

        """
    }
  }
}
