import CurlewTestHarness
import CurlewTestSupport
import CurlewXML
import FoundationEssentials
import Testing

/// How many values are generated; `Scripts/format-peers` sets the full number.
private let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 300

/// Random elements, written and read back by libxml2's own reader and by Python's.
@Suite(.enabled(if: FormatJudge.isAvailable, "Python is not installed"))
struct WritingPeerTests {
  private struct Record: Encodable {
    var document: String
    var tree: Tree
  }

  /// What a reader has to find.
  private struct Tree: Encodable {
    var name: String
    /// Pairs of name and value: a dictionary would take names that differ in their bytes alone for one.
    var attributes: [[String]]
    var children: [Child]
  }

  private enum Child: Encodable {
    case text(String), element(Tree), other([String])

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .element(let tree): try container.encode(tree)
      case .other(let parts): try container.encode(parts)
      }
    }
  }

  private static func name(_ name: XMLName) -> String {
    guard let namespace = name.namespace, !namespace.isEmpty else { return name.localName }
    return "{\(namespace)}\(name.localName)"
  }

  private static func tree(_ draft: XMLElementBuilder) -> Tree {
    var tree = Tree(name: name(draft.name), attributes: [], children: [])
    for attribute in draft.attributes { tree.attributes.append([name(attribute.name), attribute.value]) }
    for child in draft.children {
      switch child {
      case .element(let draft): tree.children.append(.element(Self.tree(draft)))
      case .comment(let text): tree.children.append(.other(["comment", text]))
      case .processingInstruction(let target, let data):
        tree.children.append(.other(["instruction", target, data]))
      case .text(let text) where text.isEmpty: break
      case .text(let text):
        if case .text(let before)? = tree.children.last {
          tree.children[tree.children.count - 1] = .text(before + text)
        } else {
          tree.children.append(.text(text))
        }
      }
    }
    return tree
  }

  @Test func `random elements come back as they were`() async throws {
    var random = DraftGenerator(state: 5)
    var records: [Record] = []
    for _ in 0..<rounds {
      let draft = random.draft(depth: 0)
      let data = try draft.data()
      records.append(Record(document: String(decoding: data, as: UTF8.self), tree: Self.tree(draft)))
      // Our own reader too.
      let again = XMLElementBuilder(try XMLDocument(parsing: data).root)
      try #require(again.name == draft.name)
    }
    let (isRight, words, _) = try await FormatJudge.judge("xml", records)
    #expect(isRight, "\(words)")
  }
}

/// Makes elements whose names, prefixes and namespaces get in each other's way.
private struct DraftGenerator: RandomNumberGenerator {
  var state: UInt64
  private static let locals = ["a", "b", "c", "\u{E9}", "e\u{301}", "ns1", "_x", "a-b.1", "日本", "xml-a"]
  private static let prefixes: [String?] = [nil, nil, "p", "q", "ns1", "ns2", "ns3", "\u{E9}", "e\u{301}", "_"]
  private static let namespaces: [String?] = [
    nil, nil, "", "u", "v", "w", "urn:x", "http://example.org/a?b&c", XMLName.xmlNamespace, "%41", "A",
  ]
  private static let texts = [
    "", "x", " ", "\n", "\t\r", "&<>\"'", "]]>", "<!--", "--", "?>", "\u{85}\u{2028}", "é", "e\u{301}", "😀", ">\u{338}",
    "&amp;", "\u{FFFD}", "\u{10FFFD}", "{}", "\u{7F}", "\u{300}",
  ]

  init(state: UInt64) { self.state = state }

  mutating func next() -> UInt64 {
    var mix = SplitMix(state: state)
    defer { state = mix.state }
    return mix.next()
  }

  private mutating func pick<Value>(_ values: [Value], _ other: Value) -> Value {
    values.randomElement(using: &self) ?? other
  }

  private mutating func name() -> XMLName {
    XMLName(
      pick(Self.locals, "a"), namespace: pick(Self.namespaces, nil), prefix: pick(Self.prefixes, nil))
  }

  private mutating func text() -> String {
    (0..<Int.random(in: 0...4, using: &self)).map { _ in pick(Self.texts, "") }.joined()
  }

  /// A text that a comment or an instruction may hold.
  private mutating func content() -> String {
    (0..<Int.random(in: 0...3, using: &self)).map { _ in pick(["x", "é", "<a>", "&", "😀", "-x", "?x", "\n y"], "") }
      .joined()
  }

  mutating func draft(depth: Int) -> XMLElementBuilder {
    var draft = XMLElementBuilder(name())
    var seen: Set<XMLName> = []
    for _ in 0..<Int.random(in: 0...4, using: &self) {
      let name = name()
      if seen.insert(name).inserted { draft.attributes.append(XMLAttribute(name, text())) }
    }
    var declared: [[UInt8]] = []
    for _ in 0..<(Int.random(in: 0...5, using: &self) == 0 ? 2 : 0) {
      // A default namespace could contradict the element's own name.
      let prefix = pick(["p", "q", "ns1", "ns2", "r"], "p")
      guard !declared.contains(Array(prefix.utf8)) else { continue }
      declared.append(Array(prefix.utf8))
      draft.declarations.append(XMLNamespaceDeclaration(prefix: prefix, namespace: pick(["u", "v", "w"], "u")))
    }
    guard depth < 5 else { return draft }
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      switch Int.random(in: 0...5, using: &self) {
      case 0: draft.children.append(.comment(content()))
      case 1:
        let data = content()
        draft.children.append(
          .processingInstruction(target: pick(["p", "q-1", "é"], "p"), data: data.first == "\n" ? "x" + data : data))
      case 2, 3: draft.children.append(.text(text()))
      default: draft.append(self.draft(depth: depth + 1))
      }
    }
    return draft
  }
}
