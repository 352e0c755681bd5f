import CurlewYAML
import FoundationEssentials
import Testing

struct LayoutTests {
  static let value: YAMLValue = [
    "name": "curlew", "version": "1.10", "port": 8080, "ratio": 0.5, "tags": ["a", "yes", ["b", [:], []]],
    "on": true, "text": "first\nsecond\n", "cut": "no\nend",
    "nested": ["deep": ["er": nil], "list": [["x": 1, "y": 2]]],
    "empty": "", "quote": "it's: 'so'", "tab": "a\tb",
  ]

  @Test func `block style is what people write`() {
    #expect(
      Self.value.text() == """
        name: curlew
        version: '1.10'
        port: 8080
        ratio: 0.5
        tags:
          - a
          - 'yes'
          - - b
            - {}
            - []
        'on': true
        text: |
          first
          second
        cut: |-
          no
          end
        nested:
          deep:
            er: null
          list:
            - x: 1
              'y': 2
        empty: ''
        quote: 'it''s: ''so'''
        tab: "a\\tb"

        """)
  }

  @Test func `flow style is one line`() {
    let value: YAMLValue = ["a": [1, ["b": "c, d"], []], "e\nf": nil]
    #expect(value.text(.flow) == "{a: [1, {b: 'c, d'}, []], \"e\\nf\": null}\n")
  }

  @Test func `keys that are collections, tagged or long have a question mark`() throws {
    let long = String(repeating: "k", count: 1000)
    let value: YAMLValue = [["a", "b"]: 1, .string(long): ["x": 2]]
    #expect(value.text() == "? - a\n  - b\n: 1\n? \(long)\n: x: 2\n")
    #expect(value.text(.flow) == "{? [a, b]: 1, ? \(long): {x: 2}}\n")
    #expect(try YAMLValue(parsing: value.text(.flow)) == value)
  }

  @Test func `indentation and document markers are as asked for`() {
    var format = YAMLFormat.block
    format.indentation = 4
    format.startsDocuments = true
    #expect((["a": ["b": ["c"]]] as YAMLValue).text(format) == "---\na:\n    b:\n      - c\n")
    #expect(("x" as YAMLValue).text(format) == "--- x\n")
    #expect(
      String(decoding: YAMLValue.data(documents: [1, "a\n", ["b"]]), as: UTF8.self) == "--- 1\n--- |\n  a\n---\n- b\n")
    format.indentation = 100
    #expect(format.indentation == 9)
  }

  @Test func `tags are written short where they can be`() throws {
    func text(_ tag: String, _ value: YAMLValue) throws -> String {
      try YAMLValue.tagged(#require(YAMLTagged(tag, value))).text()
    }
    #expect(try text("!celsius", 21) == "!celsius 21\n")
    #expect(try text("tag:yaml.org,2002:set", ["a": nil]) == "!!set\na: null\n")
    #expect(try text("tag:e.com,2000:x", []) == "!<tag:e.com,2000:x> []\n")
  }

  @Test(arguments: ["", "!", "a b", "tag:yaml.org,2002:int", "a\u{7}"]) func `what cannot be a tag is none`(tag: String)
  {
    #expect(YAMLTagged(tag, 1) == nil)
  }

  @Test func `floats are floats for every reader`() throws {
    let float = try #require(YAMLFloat(text: "1e3"))
    #expect(YAMLValue.float(float).text() == "1.0e+3\n")
    #expect(YAMLValue.float(YAMLFloat(Double.infinity)).text() == ".inf\n")
    #expect((2.0 as YAMLValue).text() == "2.0\n")
  }

  @Test func `a value nested by hand beyond every limit is written without a deeper stack`() {
    var value: YAMLValue = "x"
    for _ in 0..<20_000 { value = [value] }
    #expect(value.text(.flow).utf8.count == 40_002)
    // Released one by one: Swift would recurse.
    while case .sequence(let elements) = value, let first = elements.first { value = first }
  }
}
