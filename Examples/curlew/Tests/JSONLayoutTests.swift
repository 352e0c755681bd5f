import CurlewJSON
import Testing

@testable import CurlewTool

@Suite(.timeLimit(.minutes(10))) struct JSONLayoutTests {
  private static func laid(_ text: String, isColored: Bool = false, piece: Int? = nil) -> String {
    var layout = JSONLayout(isColored: isColored)
    var output: [UInt8] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      let part = rest.prefix(piece ?? .max)
      layout.append(String(part), to: &output)
      rest = rest.dropFirst(part.count)
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `each member and element has a line, and empty containers have none`() {
    #expect(
      Self.laid(#"{"a":[1,{"b":"x,{\"}"},[]],"c":{},"d":null}"#) == """
        {
          "a": [
            1,
            {
              "b": "x,{\\"}"
            },
            []
          ],
          "c": {},
          "d": null
        }
        """)
  }

  @Test(arguments: ["1", #""a\"b""#, "[]", "[true,false]", #"{"a":{"b":[[],[-1.5e9]]},"é":"\\"}"#])
  func `the value stays the same, in whatever pieces it comes`(text: String) throws {
    let whole = Self.laid(text)
    #expect(try JSONValue(parsing: whole).text() == text)
    #expect(Self.laid(text, piece: 1) == whole)
    let colored = Self.laid(text + "\n", isColored: true)
    #expect(colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == whole + "\n")
    // No color goes on behind the value.
    #expect(colored.matches(of: /\u{1B}\[[0-9]+m/).last.map { $0.output == "\u{1B}[0m" } ?? true)
  }

  @Test func `names and values have colors of their own`() {
    #expect(
      Self.laid(#"{"a":"b"}"#, isColored: true)
        == "{\n  \u{1B}[34m\"a\"\u{1B}[0m: \u{1B}[32m\"b\"\u{1B}[0m\n}")
  }
}
