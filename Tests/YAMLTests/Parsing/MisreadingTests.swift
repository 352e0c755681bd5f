import CurlewYAML
import FoundationEssentials
import Testing

/// What libyaml reads as something else than YAML 1.2 says: refused here, or read right.
@Suite struct MisreadingTests {
  @Test(arguments: [
    "[?x]", "[?x: 1]", "{?a: 1}", "[a, ?b]", "{?}", "[?]", "{a: b, ?c: d}", "[\"a#b\", ?x]", "[é, ?x]", "{a: ?x}",
    "&an:chor", "- &a:b c", "{&a: 1}", "{&a:1}", "!t &a:b c", "!t # x\n  &a:b c", "- &a 1\n- [*a:b]",
    "- &a 1\n- {*a: 2}",
  ])
  func `what would be misread is refused`(text: String) throws {
    let error = #expect(throws: YAMLError.self) { try YAMLValue(parsing: text) }
    #expect(error?.kind == .syntax, "\(String(describing: error))")
  }

  @Test(arguments: [
    "!a%00b x", "!%00 1", "!!binary%00x AAEC", "&a !b%00 x", "&a # !c\n  !b%00 x", "!b%00 &a x", "[!b%00 x]",
    "- !b%00 [x]",
    "- !b%00 {x: y}", "!<tag:%00> x", "[!<a,%00> x]", "!é%00 x", "x: é\ny: !a%00 z", "%TAG !e! tag:%00\n--- !e!x y",
  ])
  func `a tag with an escaped NUL is refused, not cut there`(text: String) throws {
    let error = #expect(throws: YAMLError.self) { try YAMLValue(parsing: text) }
    #expect(
      error?.kind == .tagMismatch || text.contains("é%") && error?.kind == .syntax, "\(String(describing: error))")
  }

  @Test func `an escaped NUL outside of a tag is text`() throws {
    #expect(try YAMLValue(parsing: "!!str a%00b") == "a%00b")
    #expect(
      try YAMLValue(parsing: "- !!str '!%00'\n- \"!b%00\"\n# !%00\n- [!!str ,b%00]") == [
        "!%00", "!b%00", ["", "b%00"],
      ])
  }

  @Test(
    arguments: [
      ("?foo", "?foo"), ("- ?foo", ["?foo"]), ("[\"?x\"]", ["?x"]), ("[a?b]", ["a?b"]), ("[a ?b]", ["a ?b"]),
      ("[ # what?x\n a]", ["a"]), ("- '?x' # ?\n- ?x", ["?x", "?x"]), ("&an-ch_or1 x", "x"),
      ("- &a 1\n- [*a,*a]", [1, [1, 1]]), ("[&a x, *a]", ["x", "x"]), ("!!str &a x", "x"), ("&a !!str x", "x"),
      ("- &a\n- x", [.null, "x"]),
    ] as [(String, YAMLValue)])
  func `what is right is read`(text: String, value: YAMLValue) throws {
    #expect(try YAMLValue(parsing: text) == value)
  }

  @Test func `explicit keys are read`() throws {
    #expect(try YAMLValue(parsing: "[? x]") == [.mapping(["x": .null])])
    #expect(try YAMLValue(parsing: "{? a : b, ?\n c : d}") == .mapping(["a": "b", "c": "d"]))
  }

  /// Cases L24T/00 and L24T/01 of the YAML test suite, and JEF9/02.
  @Test func `a last line of spaces counts as one with a line break`() throws {
    for end in ["", "\n"] {
      #expect(try YAMLValue(parsing: "foo: |\n  x\n   " + end) == .mapping(["foo": "x\n \n"]))
      #expect(try YAMLValue(parsing: "- |+\n   " + end) == ["\n"])
      #expect(try YAMLValue(parsing: "foo: |\n  x\n " + end) == .mapping(["foo": "x\n"]))
    }
    #expect(try YAMLValue(parsing: "foo: |\n  x") == .mapping(["foo": "x"]))
  }

  /// Python's `json.dumps("😀")` writes it so.
  @Test(arguments: [YAMLSchema.core, .yaml11])
  func `escapes of JSON for a character beyond the first plane are read`(schema: YAMLSchema) throws {
    var options = YAMLParsingOptions()
    options.schema = schema
    func read(_ text: String) throws -> YAMLValue { try YAMLValue(parsing: text, options: options) }
    #expect(try read(#"{"a":"\ud83d\ude00"}"#) == .mapping(["a": "😀"]))
    #expect(try read(#"["x\ud83d\ude00\uD83D\uDE00y", "\\ud83d\\ude00"]"#) == ["x😀😀y", #"\ud83d\ude00"#])
    #expect(try read(#""\\\ud83d\ude00 é""#) == #"\😀 é"#)
    // Outside of double quotes nothing is an escape.
    #expect(try read(#"['\ud83d\ude00', \ud83d\ude00]"#) == [#"\ud83d\ude00"#, #"\ud83d\ude00"#])
    #expect(try read("- |\n  \\ud83d\\ude00 é\n- >\n  \\ud83d\\ude00\n") == ["\\ud83d\\ude00 é\n", "\\ud83d\\ude00\n"])
    if schema == .core {
      #expect(try read("[\"\u{2028}\\ud83d\\ude00\", '\u{85}\\ud83d']") == ["\u{2028}😀", "\u{85}\\ud83d"])
    }
    for lone in [#""\ud83d""#, #""\ud83d\u0041""#, #""\ude00\ud83d""#, #""\ud83d\\ude00""#, #""\ud83dx\ude00""#] {
      #expect(throws: YAMLError.self, "\(lone)") { try read(lone) }
    }
    let error = #expect(throws: YAMLError.self) { try read(#"{"a":"\ud83d\ude00", b: [}"#) }
    #expect(error?.line == 1 && error?.column == 26, "\(String(describing: error))")
  }

  @Test func `aliases add no more text than allowed`() throws {
    let long = String(repeating: "x", count: 1_000_000)
    let aliases = String(repeating: ",*a", count: 2000)
    for text in ["[&a \(long)\(aliases)]", "[&a [\(long)]\(aliases)]", "[&a {? \(long) : 1}\(aliases)]"] {
      let error = #expect(throws: YAMLError.self) { try YAMLValue(parsing: text) }
      #expect(
        error.map { "\($0.kind)" } == "aliases repeat more text than allowed (YAMLParsingOptions.maximumExpandedBytes)")
    }
    // Through anchors of anchors, and tags.
    let chain = (1...9).map { "- &a\($0) [\(String(repeating: "*a\($0 - 1), ", count: 4))]\n" }.joined()
    let word = String(repeating: "y", count: 10_000)
    #expect(throws: YAMLError.self) { try YAMLValue(parsing: "- &a0 \(word)\n\(chain)") }
    #expect(throws: YAMLError.self) { try YAMLValue(parsing: "- &a0 !\(word) x\n\(chain)") }
    #expect(try YAMLValue(parsing: "[&a \(long.prefix(20_000))\(aliases)]").sequenceValue?.count == 2001)
  }
}
