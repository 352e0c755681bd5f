import CurlewYAML
import Testing

struct MappingTests {
  private func parse(_ text: String, _ change: (inout YAMLParsingOptions) -> Void = { _ in }) throws -> YAMLValue {
    var options = YAMLParsingOptions()
    change(&options)
    return try YAMLValue(parsing: text, options: options)
  }

  @Test(arguments: [
    ("a: 1\na: 2", 2, 1), ("{a: 1, 'a': 2}", 1, 8), ("1: x\n0x1: y", 2, 1), ("a: 1\nb: {c: 1, c: 2}", 2, 11),
    ("? [a, b]\n: 1\n? [a, b]\n: 2", 3, 3), ("~: 1\nnull: 2", 2, 1), ("1.0: x\n1.00: y", 2, 1),
  ])
  func `a key that comes twice is refused where it stands`(text: String, line: Int, column: Int) throws {
    let error = try #require(throws: YAMLError.self) { try parse(text) }
    #expect(error.kind == .duplicateKey)
    #expect((error.line, error.column) == (line, column))
  }

  @Test func `a key that comes twice in a large mapping is found`() throws {
    let text = (0..<500).map { "k\($0): 1\n" }.joined()
    #expect(try parse(text).mappingValue?.count == 500)
    let error = try #require(throws: YAMLError.self) { try parse(text + "k7: 2") }
    #expect(error.kind == .duplicateKey && error.line == 501)
  }

  @Test func `keys of other kinds are other keys`() throws {
    let value = try parse("1: a\n'1': b\n1.0: c\ntrue: d\n~: e\n[1]: f\n{}: g\né: h\n\u{65}\u{301}: i")
    let mapping = try #require(value.mappingValue)
    #expect(mapping.count == 9)
    #expect(mapping[.int(1)] == "a" && mapping["1"] == "b" && mapping[.float(1.0)] == "c")
    #expect(mapping[[1]] == "f" && mapping[nil as YAMLValue] == "e")
    #expect(mapping["é"] == "h" && mapping["e\u{301}"] == "i")
  }

  static let merging = """
    base: &base {a: 1, b: 2}
    other: &other {b: 3, c: 4}
    one: {<<: *base, b: 5}
    many: {d: 0, <<: [*other, *base], a: 6}
    """

  @Test func `merge keys give way to the mapping's own and to earlier ones`() throws {
    let value = try parse(Self.merging) { $0.schema = .yaml11 }
    #expect(JSONText.of(try #require(value["one"])) == #"{"a":1,"b":5}"#)
    #expect(JSONText.of(try #require(value["many"])) == #"{"d":0,"b":3,"c":4,"a":6}"#)
    #expect(try parse(Self.merging) { $0.mergeKeys = .always } == value)
  }

  @Test func `a key of two less-than signs is one like others under the core schema, or in quotes`() throws {
    #expect(try parse(Self.merging)["one"]?["<<"] == ["a": 1, "b": 2])
    #expect(try parse("{'<<': {a: 1}, b: 2}") { $0.schema = .yaml11 } == ["<<": ["a": 1], "b": 2])
    #expect(try parse("{<<: {a: 1}}") { ($0.schema, $0.mergeKeys) = (.yaml11, .never) } == ["<<": ["a": 1]])
  }

  @Test(arguments: ["{<<: 1}", "{<<: [1]}", "{<<: }", "{<<: [[]]}"])
  func `what is no mapping cannot be merged`(text: String) throws {
    let error = try #require(throws: YAMLError.self) { try parse(text) { $0.schema = .yaml11 } }
    #expect(error.kind == .invalidMerge && error.line == 1 && error.column == 2)
  }

  @Test func `merges are counted as what aliases add`() throws {
    let text = "- &a {a: 1, b: 2, c: 3}\n" + String(repeating: "- {<<: *a}\n", count: 10)
    // Seven nodes of each alias, and three entries of each merge.
    #expect(try parse(text) { ($0.schema, $0.maximumExpandedNodes) = (.yaml11, 100) }[10]?.mappingValue?.count == 3)
    let error = try #require(throws: YAMLError.self) {
      try parse(text) { ($0.schema, $0.maximumExpandedNodes) = (.yaml11, 99) }
    }
    #expect(error.kind == .tooManyExpandedNodes)
  }

  @Test func `an alias is the node of the last anchor of its name`() throws {
    #expect(try JSONText.of(parse("[&a 1, *a, &a 2, *a]")) == "[1,1,2,2]")
    #expect(try JSONText.of(parse("- &a [&a x, *a]\n- *a")) == #"[["x","x"],"x"]"#)
    #expect(try JSONText.of(parse("&k key: *k")) == #"{"key":"key"}"#)
    #expect(try JSONText.of(parse("{&a a: &b b, *b : *a }")) == #"{"a":"b","b":"a"}"#)
  }

  @Test(arguments: [
    ("[*a]", YAMLError.Kind.unknownAnchor, 2), ("&a [*a]", .recursiveAlias, 5), ("&a {b: *a}", .recursiveAlias, 8),
  ])
  func `an alias to nothing or to what it is in is refused`(text: String, kind: YAMLError.Kind, column: Int) throws {
    let error = try #require(throws: YAMLError.self) { try parse(text) }
    #expect(error.kind == kind && error.line == 1 && error.column == column)
  }

  @Test func `anchors end with their document`() throws {
    let error = #expect(throws: YAMLError.self) { try YAMLValue.documents(parsing: "--- &a 1\n--- *a") }
    #expect(error?.kind == .unknownAnchor && error?.line == 2)
  }
}
