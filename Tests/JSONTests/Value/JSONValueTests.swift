import CurlewJSON
import Testing

struct JSONValueTests {
  private let value: JSONValue = [
    "null": nil, "bool": true, "int": 42, "double": 1.5, "string": "text", "array": [1, "two"], "object": ["a": 1],
  ]

  @Test func `literals make values and accessors read them`() {
    #expect(value["null"]?.isNull == true)
    #expect(value["bool"]?.boolValue == true)
    #expect(value["int"]?.intValue == 42)
    #expect(value["double"]?.doubleValue == 1.5)
    #expect(value["string"]?.stringValue == "text")
    #expect(value["array"]?[1]?.stringValue == "two")
    #expect(value["array"]?.arrayValue?.count == 2)
    #expect(value["object"]?["a"] == 1)
    #expect(value["object"]?.objectValue?.count == 1)
  }

  @Test func `an accessor of another kind gives nil, as does a place that is not there`() {
    #expect(value["missing"] == nil)
    #expect(value["array"]?[2] == nil)
    #expect(value["array"]?[-1] == nil)
    #expect(value["int"]?["a"] == nil)
    #expect(value["int"]?[0] == nil)
    #expect(value["string"]?.intValue == nil)
    #expect(value["bool"]?.numberValue == nil)
    #expect(value["null"]?.boolValue == nil)
    #expect(value["int"]?.stringValue == nil)
    #expect(value["object"]?.arrayValue == nil)
    #expect(value["array"]?.objectValue == nil)
  }

  @Test func `values of different kinds differ`() {
    let values: [JSONValue] = [nil, true, false, 0, 1, "", "null", "1", [], [nil], [[]], [:], ["a": nil], ["a": [:]]]
    for (place, value) in values.enumerated() {
      for (other, candidate) in values.enumerated() { #expect((value == candidate) == (place == other)) }
    }
    #expect(Set(values).count == values.count)
  }

  @Test func `strings are compared by code units`() {
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    #expect(JSONValue.string("\u{E9}") == .string("\u{E9}"))
  }

  @Test func `nulls are removed from objects and arrays on all levels`() throws {
    let value = try JSONValue(parsing: #"{"a":null,"b":[null,{"c":null}]}"#)
    #expect(value.removingNulls().text() == #"{"b":[{}]}"#)
    #expect(value.removingNulls(fromArrays: false).text() == #"{"b":[null,{}]}"#)
    #expect(JSONValue.null.removingNulls() == .null)
    #expect(JSONValue.string("x").removingNulls() == "x")
    #expect(try JSONValue(parsing: "[null,[null],1,null]").removingNulls().text() == "[[],1]")
    #expect(
      try JSONValue(parsing: #"[{"a":1,"b":null,"c":{"d":[]}}]"#).removingNulls().text() == #"[{"a":1,"c":{"d":[]}}]"#)
  }
}
