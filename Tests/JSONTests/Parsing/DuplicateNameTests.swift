import CurlewJSON
import Testing

struct DuplicateNameTests {
  private func parse(
    _ text: String, _ policy: JSONParsingOptions.DuplicateNames
  ) throws(JSONError) -> JSONValue {
    var options = JSONParsingOptions()
    options.duplicateNames = policy
    return try JSONValue(parsing: text, options: options)
  }

  private let small = #"{"a":1,"b":2,"a":3,"c":4,"a":5}"#

  /// A hundred members, past the size where objects get an index, and a repeat of two of them.
  private let large =
    "{" + (0..<100).map { "\"name\($0)\":\($0)" }.joined(separator: ",") + #","name7":70,"x":1,"name7":700}"#

  @Test func `the last value wins in the place of the first`() throws {
    #expect(try parse(small, .keepLast).text() == #"{"a":5,"b":2,"c":4}"#)
    let value = try #require(try parse(large, .keepLast).objectValue)
    #expect(value.count == 101)
    #expect(value["name7"] == 700)
    #expect(value[7].name == "name7")
  }

  @Test func `the first value wins when that is asked for`() throws {
    #expect(try parse(small, .keepFirst).text() == #"{"a":1,"b":2,"c":4}"#)
    #expect(try parse(large, .keepFirst)["name7"] == 7)
  }

  @Test func `all members are kept when that is asked for, and lookup finds the last`() throws {
    let value = try #require(try parse(small, .keepAll).objectValue)
    #expect(value.description == small)
    #expect(value["a"] == 5)
    #expect(value.values(named: "a") == [1, 3, 5])
    let many = try #require(try parse(large, .keepAll).objectValue)
    #expect(many.count == 103)
    #expect(many["name7"] == 700)
    #expect(many.values(named: "name7") == [7, 70, 700])
  }

  @Test func `a repeated name is refused at its second place when that is asked for`() throws {
    for (text, offset) in [(small, 13), (large, large.utf8.count - 29)] {
      let error = #expect(throws: JSONError.self) { try parse(text, .refuse) }
      #expect(error?.kind == .duplicateName)
      #expect(error?.offset == offset)
    }
    #expect(try parse(#"{"a":{"a":1},"b":{"a":1}}"#, .refuse)["b"]?["a"] == 1)
  }

  @Test func `names that differ only in their normal form are two names`() throws {
    let value = try #require(try parse("{\"\u{E9}\":1,\"e\u{301}\":2}", .refuse).objectValue)
    #expect(value["\u{E9}"] == 1)
    #expect(value["e\u{301}"] == 2)
  }

  @Test func `an escaped name is the same name`() throws {
    #expect(try parse(#"{"a":1,"\u0061":2}"#, .keepLast).text() == #"{"a":2}"#)
  }
}
