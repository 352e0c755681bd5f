/// A part of a request as HTTPie's users write it behind the URL: `name=Ada`, `age:=3`, `X-Token:abc`, `q==curlew`,
/// `photo@bird.jpg`.
///
/// A backslash before one of `:`, `;`, `=` and `@` makes it an ordinary character; any other stands for itself.
struct RequestItem: Hashable, Sendable {
  /// What an item is, by its separator.
  enum Kind: String, CaseIterable, Sendable {
    case field = "="
    case fieldFromFile = "=@"
    case json = ":="
    case jsonFromFile = ":=@"
    case header = ":"
    case headerFromFile = ":@"
    case emptyHeader = ";"
    case query = "=="
    case queryFromFile = "==@"
    case file = "@"

    /// Whether the item is content, and not a header field or a part of the URL.
    var isContent: Bool {
      switch self {
      case .field, .fieldFromFile, .json, .jsonFromFile, .file: true
      case .header, .headerFromFile, .emptyHeader, .query, .queryFromFile: false
      }
    }
  }

  let kind: Kind
  let name: String
  let value: String

  /// The item for a message, without its value, which can be a secret.
  var shown: String { "'\(name)\(kind.rawValue)\(value.isEmpty ? "" : "…")'" }

  /// Separators, the longest first, so that `:=@` is not read as `:=`.
  private static let separators = Kind.allCases.map { ($0, Array($0.rawValue.unicodeScalars)) }.sorted {
    $0.1.count > $1.1.count
  }

  /// Creates an item with its parts.
  init(_ kind: Kind, _ name: String, _ value: String) {
    (self.kind, self.name, self.value) = (kind, name, value)
  }

  /// Reads an item: the first separator parts it, and of those that begin there the longest; nil without one.
  init?(_ text: String) {
    let scalars = Self.unescaped(text)
    for place in scalars.indices {
      let found = Self.separators.first { _, separator in
        scalars[place...].starts(with: separator) { !$0.isEscaped && $0.scalar == $1 }
      }
      guard let (kind, separator) = found else { continue }
      self.init(kind, Self.text(scalars[..<place]), Self.text(scalars[(place + separator.count)...]))
      return
    }
    return nil
  }

  private static func unescaped(_ text: String) -> [(scalar: Unicode.Scalar, isEscaped: Bool)] {
    var scalars: [(scalar: Unicode.Scalar, isEscaped: Bool)] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        scalars.append((scalar, false))
        continue
      }
      let isSpecial = ":;=@".unicodeScalars.contains(next)
      if !isSpecial { scalars.append((scalar, false)) }
      scalars.append((next, isSpecial))
    }
    return scalars
  }

  private static func text(_ scalars: ArraySlice<(scalar: Unicode.Scalar, isEscaped: Bool)>) -> String {
    String(String.UnicodeScalarView(scalars.map(\.scalar)))
  }
}
