import CurlewJSON
import Testing

struct JSONObjectTests {
  @Test(arguments: [0, 1, 2, 17, 63, 64, 65, 66, 127, 128, 129, 1000])
  func `members are found by name at every size`(_ count: Int) throws {
    var object = JSONObject()
    for place in 0..<count { object["name \(place)"] = JSONValue(integerLiteral: place) }
    #expect(object.count == count)
    let parsed = try #require(try JSONValue(parsing: object.description).objectValue)
    #expect(parsed == object)
    for candidate in [object, parsed] {
      #expect(Array(candidate.names) == (0..<count).map { "name \($0)" })
      for place in 0..<count { #expect(candidate["name \(place)"]?.intValue == place) }
      #expect(candidate["name \(count)"] == nil)
      #expect(candidate[""] == nil)
    }
  }

  @Test(arguments: [4, 100]) func `members are replaced in place, removed and added again`(_ count: Int) {
    var object = JSONObject((0..<count).map { (name: "n\($0)", value: JSONValue(integerLiteral: $0)) })
    object["n2"] = "changed"
    #expect(object[2] == (name: "n2", value: "changed"))
    #expect(object.removeValue(named: "n2") == "changed")
    #expect(object.removeValue(named: "n2") == nil)
    #expect(object["n2"] == nil)
    #expect(object.count == count - 1)
    for place in 0..<count where place != 2 { #expect(object["n\(place)"]?.intValue == place) }
    object["n2"] = 2
    #expect(object[count - 1].name == "n2")
    object["n0"] = nil
    #expect(object.first?.name == "n1")
  }

  @Test func `objects are equal in any order of members`() {
    let one: JSONObject = ["a": 1, "b": [1, 2], "c": ["d": nil]]
    let other: JSONObject = ["c": ["d": nil], "b": [1.0, 2], "a": 1]
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one != ["a": 1, "b": [2, 1], "c": ["d": nil]])
    #expect(one != ["a": 1, "b": [1, 2], "e": ["d": nil]])
  }

  @Test func `objects that keep duplicates are equal only in the same order`() throws {
    var options = JSONParsingOptions()
    options.duplicateNames = .keepAll
    func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text, options: options) }
    #expect(try parse(#"{"a":1,"a":2}"#) == parse(#"{"a":1,"a":2}"#))
    #expect(try parse(#"{"a":1,"a":2}"#) != parse(#"{"a":2,"a":1}"#))
    #expect(try parse(#"{"a":1,"a":1}"#) != parse(#"{"a":1,"b":1}"#))
    #expect(try parse(#"{"a":1,"b":1}"#) != parse(#"{"a":1,"a":1}"#))
  }

  @Test func `a copy does not change with the original`() {
    var object = JSONObject((0..<100).map { (name: "n\($0)", value: .null) })
    let copy = object
    object["n0"] = 1
    object["new"] = 2
    #expect(copy["n0"] == .null)
    #expect(copy["new"] == nil)
  }
}
