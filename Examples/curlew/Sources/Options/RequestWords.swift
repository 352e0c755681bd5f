import ArgumentParser

/// The words of a request as HTTPie's users write it: `[METHOD] URL [ITEM…]`; without items, several URLs.
struct RequestWords: Hashable, Sendable {
  /// The method; nil if the first word is a URL.
  private(set) var method: String?
  private(set) var urls: [String] = []
  private(set) var items: [RequestItem] = []

  /// What a word behind the first URL is.
  private enum Reading {
    case url
    case item(RequestItem)
    /// A header field or a host with a port.
    case fieldOrURL(RequestItem)
  }

  /// Sorts the words.
  ///
  /// - Throws: `ValidationError` for a word that can be read in two ways, and for items of several URLs.
  init(_ words: [String]) throws {
    var rest = words[...]
    if let first = rest.first, rest.count > 1, Self.isMethod(first) { method = rest.popFirst() }
    if let first = rest.popFirst() { urls.append(first) }
    var doubtful: RequestItem?
    for word in rest {
      switch try Self.reading(of: word) {
      case .url:
        guard isCertainlyURL(word) else {
          throw ValidationError(
            "'\(FetchFailure.withoutSecrets(word))' is neither an item, which has =, :=, ==, : or @ in it, nor a URL with https:// or http://."
          )
        }
        urls.append(word)
      case .item(let item): items.append(item)
      case .fieldOrURL(let item):
        items.append(item)
        doubtful = doubtful ?? item
      }
    }
    let isCertain = method != nil || items.contains { $0.kind != .header } || items.contains { Self.isField($0) }
    if let doubtful, !isCertain {
      throw ValidationError(
        "\(doubtful.shown) can be a header field or a host with its port; write -H '\(doubtful.name): …', or https:// before the host."
      )
    }
    guard !items.isEmpty, urls.count > 1 else { return }
    throw ValidationError(
      "'\(FetchFailure.withoutSecrets(urls[1]))' is no item, which has =, :=, ==, : or @ in it; and items go to one URL only."
    )
  }

  /// Whether a word behind the first URL is meant as another one.
  ///
  /// The fields and passwords of a request must reach no host that nobody meant, such as `bird.json` where `@bird.json` was meant.
  private func isCertainlyURL(_ word: String) -> Bool {
    if Self.hasScheme(word) || BareURL.completed(word).hasPrefix("http://") { return true }
    // Several hosts, as in `curlew a.example b.example`.
    return method == nil && !Self.hasScheme(urls[0]) && word.contains { ".:/[".contains($0) }
  }

  /// Whether the text behind the colon cannot be a port, since it does not begin with a digit.
  private static func isField(_ item: RequestItem) -> Bool {
    item.value.first.map { !$0.isASCII || !$0.isNumber } ?? true
  }

  /// Whether a word is the name of a method: capitals, as in `POST` and `M-SEARCH`.
  static func isMethod(_ word: String) -> Bool {
    word.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") } && word.utf8.count > 1
      && word.utf8.first != UInt8(ascii: "-")
  }

  /// The methods that are also taken in small letters, where no command has the name.
  static let spokenMethods: Set = ["post", "put", "patch", "delete", "head", "options"]

  /// Whether a word begins with the scheme of a URL.
  static func hasScheme(_ word: String) -> Bool {
    guard let end = word.firstRange(of: "://")?.lowerBound, let first = word.utf8.first, first | 0x20 >= 0x61 else {
      return false
    }
    return word[..<end].utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "+-.".utf8.contains($0)
    }
  }

  private static func reading(of word: String) throws -> Reading {
    if hasScheme(word) { return .url }
    let isBareURL = BareURL.completed(word) != word
    guard let item = RequestItem(word) else { return .url }
    guard isBareURL else {
      guard !item.name.isEmpty || item.kind == .file else {
        throw ValidationError("\(item.shown) has no name before '\(item.kind.rawValue)'.")
      }
      return .item(item)
    }
    let authority = word.prefix { !"/?#".contains($0) }
    // A name with a dot is a host's, and one with a bracket an address.
    let isHost =
      authority.contains { ".[".contains($0) } || authority.hasPrefix(":")
      || authority.prefix { $0 != ":" }.lowercased() == "localhost"
    if isHost { return .url }
    guard item.name.contains(where: { "/?#".contains($0) }) else { return .fieldOrURL(item) }
    throw ValidationError(
      "'\(item.name)\(item.kind.rawValue)…' can be a URL or an item; write https:// before the URL, or give the item with --query, --form or --json."
    )
  }
}

/// The flags of HTTPie that take a value here.
enum HTTPieFlags {
  /// Returns the arguments of `curlew get` with `--as-form` for a `--form` that has no field behind it, and without a
  /// `--json` that has no text.
  static func completed(_ arguments: [String]) -> [String] {
    guard arguments.first == "get" else { return arguments }
    var completed: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else { return completed + [argument] + rest }
      switch argument {
      case "--form" where rest.first.map(isNoValue) ?? true: completed.append("--as-form")
      case "--json" where rest.first.map(beginsRequest) ?? false: break
      default: completed.append(argument)
      }
    }
    return completed
  }

  private static func isNoValue(_ next: String) -> Bool {
    let kind = RequestItem(next)?.kind
    return next.hasPrefix("-") || beginsRequest(next) || kind == .json || kind == .jsonFromFile
      || !next.contains("=") && kind == .file
      || !next.contains("=") && next.contains { ".:/".contains($0) } && BareURL.completed(next) != next
  }

  /// Whether a word is a method that everybody knows, or a URL with its scheme.
  private static func beginsRequest(_ next: String) -> Bool {
    let isMethod =
      next == "GET" || RequestWords.spokenMethods.contains(next.lowercased()) && RequestWords.isMethod(next)
    return isMethod || RequestWords.hasScheme(next) || next == "localhost"
  }
}
