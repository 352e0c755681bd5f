import CurlewJSON
import Testing

struct WritingTests {
  @Test func `canonical text has source order, numbers as written and only the mandatory escapes`() throws {
    let source =
      #" { "b" : [ 1.0 , -0, 1E+2 ], "a" : "\u0000\u001F\/\u007f\u00e9\"\\\b\f\n\r\t\u2028", "" : { } , "e":[ ] } "#
    let text =
      #"{"b":[1.0,-0,1E+2],"a":"\u0000\u001f/"# + "\u{7F}é" + #"\"\\\b\f\n\r\t"# + "\u{2028}" + #"","":{},"e":[]}"#
    #expect(try JSONValue(parsing: source).text() == text)
    #expect(try JSONValue(parsing: source).description == text)
  }

  @Test func `pretty text is indented, a member or element a line`() throws {
    let value = try JSONValue(parsing: #"{"a":[1,{"b":[]}],"c":{}}"#)
    let text = """
      {
        "a": [
          1,
          {
            "b": []
          }
        ],
        "c": {}
      }
      """
    #expect(value.text(.pretty) == text)
    #expect(
      value.text(JSONFormat(indentation: 0))
        == text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n"))
  }

  @Test func `sorted members follow the UTF-16 code units of their names`() throws {
    // The order of RFC 8785 §3.2.3: U+FB33 is written with one unit, greater than a surrogate.
    let names = ["\u{20AC}", "\r", "\u{FB33}", "1", "\u{1F600}", "\u{80}", "\u{F6}"]
    let object = JSONObject(names.map { (name: $0, value: JSONValue.null) })
    let sorted = try JSONValue(parsing: JSONValue.object(object).text(.sorted))
    #expect(
      sorted.objectValue.map { Array($0.names) } == [
        "\r", "1", "\u{80}", "\u{F6}", "\u{20AC}", "\u{1F600}", "\u{FB33}",
      ])
    #expect(try JSONValue(parsing: #"[{"b":{"z":1,"y":2},"a":3}]"#).text(.sorted) == #"[{"a":3,"b":{"y":2,"z":1}}]"#)
  }
}
