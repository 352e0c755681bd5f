/// The passwords of a `.netrc` file: the words `machine`, `default`, `login`, `password`, `account` and `macdef`.
struct Netrc: Sendable {
  /// A name and a password.
  struct Login: Hashable, Sendable {
    var name = ""
    var password = ""
  }

  /// Why a text is not such a file, and in which line, from 1.
  struct Problem: Error, Hashable {
    let line: Int
    let reason: String
  }

  private struct Word {
    let text: String
    let line: Int
    let isQuoted: Bool
  }

  /// The first login of each host, in small letters.
  private(set) var logins: [String: Login] = [:]
  /// The login of all other hosts; nil without one.
  private(set) var fallback: Login?

  /// Reads a file's text; unknown words are passed over, as curl does.
  init(parsing text: String) throws(Problem) {
    /// The entry that is being read; its host is nil for `default`.
    var entry: (host: String?, login: Login, isEmpty: Bool)?
    var words = try Self.words(of: text)[...]
    while let word = words.popFirst() {
      switch word.isQuoted ? "" : word.text.lowercased() {
      case "machine":
        take(entry)
        entry = (try Self.value(of: word, &words).lowercased(), Login(), true)
      case "default":
        take(entry)
        entry = (nil, Login(), true)
      case "login":
        entry?.login.name = try Self.value(of: word, &words)
        entry?.isEmpty = false
      case "password":
        entry?.login.password = try Self.value(of: word, &words)
        entry?.isEmpty = false
      case "account": _ = try Self.value(of: word, &words)
      default: continue
      }
    }
    take(entry)
  }

  /// Returns the login of a host.
  ///
  /// - Parameter orDefault: Whether an unnamed host gets the one behind `default`.
  func login(for host: String, orDefault: Bool) -> Login? {
    logins[host.lowercased()] ?? (orDefault ? fallback : nil)
  }

  private mutating func take(_ entry: (host: String?, login: Login, isEmpty: Bool)?) {
    guard let entry, !entry.isEmpty else { return }
    guard let host = entry.host else {
      fallback = fallback ?? entry.login
      return
    }
    if logins[host] == nil { logins[host] = entry.login }
  }

  private static func value(of word: Word, _ rest: inout ArraySlice<Word>) throws(Problem) -> String {
    guard let value = rest.popFirst() else {
      throw Problem(line: word.line, reason: "nothing follows '\(word.text)'")
    }
    return value.text
  }

  /// Parts a text into words; leaves out comments and the bodies of macros, which end with an empty line.
  private static func words(of text: String) throws(Problem) -> [Word] {
    var words: [Word] = []
    var isMacro = false
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      var rest = line[...]
      if rest.last == "\r" { rest.removeLast() }
      if isMacro {
        isMacro = !rest.allSatisfy(isBlank)
        continue
      }
      while let first = rest.first {
        guard !isBlank(first) else {
          rest.removeFirst()
          continue
        }
        if first == "#" { break }
        let word = try word(&rest, line: index + 1)
        if !word.isQuoted, word.text.lowercased() == "macdef" {
          isMacro = true
          break
        }
        words.append(word)
      }
    }
    return words
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// Reads a word: up to a blank, or in quotes, where a backslash begins `\n`, `\r`, `\t` or another character as it is.
  private static func word(
    _ rest: inout String.UnicodeScalarView.SubSequence, line: Int
  ) throws(Problem) -> Word {
    var text = String.UnicodeScalarView()
    guard rest.first == "\"" else {
      while let scalar = rest.first, !isBlank(scalar) { text.append(rest.removeFirst()) }
      return Word(text: String(text), line: line, isQuoted: false)
    }
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return Word(text: String(text), line: line, isQuoted: true) }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let escaped = rest.popFirst() else { break }
      switch escaped {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      default: text.append(escaped)
      }
    }
    throw Problem(line: line, reason: "a quote has no end")
  }
}
