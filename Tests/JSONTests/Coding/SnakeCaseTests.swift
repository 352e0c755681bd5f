import CurlewJSON
import FoundationEssentials
import Testing

/// Names under the snake-case strategies, with Foundation's coders as the judge.
@Suite struct SnakeCaseTests {
  struct Key: CodingKey, Hashable {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Encodes one member of a name, and decodes the names there are.
  struct Names: Codable {
    var names: [String]
    init(_ names: [String]) { self.names = names }
    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for name in names { try container.encode(1, forKey: Key(name)) }
    }
  }

  private static func expectAlike(_ name: String) throws {
    let theirs = JSONEncoder()
    theirs.keyEncodingStrategy = .convertToSnakeCase
    var ours = JSONValueEncoder()
    ours.keyEncodingStrategy = .convertToSnakeCase
    let expected = try JSONValue(parsing: theirs.encode(Names([name])))
    let found = try ours.encode(Names([name]))
    if found != expected { Issue.record("\(name) is encoded as \(found.text()), expected \(expected.text())") }

    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var ourDecoder = JSONValueDecoder()
    ourDecoder.keyDecodingStrategy = .convertFromSnakeCase
    let document = try JSONEncoder().encode([name: 1])
    let wanted = try decoder.decode(Names.self, from: document).names
    let read = try ourDecoder.decode(Names.self, from: JSONValue(parsing: document)).names
    if read.map({ Array($0.utf8) }) != wanted.map({ Array($0.utf8) }) {
      Issue.record("\(name) is decoded as \(read), expected \(wanted)")
    }
  }

  @Test(arguments: [
    "ID", "URL", "IPAddress", "imageURL2x", "foo_Bar", "image_2x", "foo_1st", "address_line_2b", "", "_", "__", "_a",
    "a_",
    "_a_b_", "A", "aB", "myURLProperty", "ÉcoleÉté", "foo_éa", "a_ßx", "ǅabǅ", "foo_ǆa", "a_'tis", "a_x-y", "ΣΑΣ",
    "aⅫb", "a\u{1D400}b", "e\u{301}A\u{301}b", "a_\u{301}_b", "_\u{301}a_b", "🅰️Bc", "aİb", "a_ﬁx", "IMAGE_URL",
  ])
  func `a name becomes what Foundation makes of it`(name: String) throws { try Self.expectAlike(name) }

  /// `Scripts/format-peers` sets CURLEW_ROUNDS to the full number.
  @Test func `random names become what Foundation makes of them`() throws {
    var random = SeededGenerator(state: 12)
    let pieces: [String] =
      [
        "_", "_", "__", "a", "b", "c", "x", "A", "B", "C", "U", "R", "L", "1", "2", "é", "É", "ß", "ǅ", "Σ", "ς", "-",
        "'",
      ]
      + [" ", ".", "😀", "e\u{301}", "E\u{301}", "İ", "ı", "ﬁ", "日", "Ⅻ", "\u{1D400}"]
    let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 2000
    for _ in 0..<rounds {
      let count = Int.random(in: 1...9, using: &random)
      try Self.expectAlike((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
    }
  }
}
