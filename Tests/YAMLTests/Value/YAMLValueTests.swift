import CurlewYAML
import Testing

struct YAMLValueTests {
  @Test func `values are reached by key and place`() throws {
    let value = try YAMLValue(parsing: "a: [1, 2.0, x, true, ~]\nb: !t {c: d}")
    #expect(value["a"]?[0]?.intValue == 1 && value["a"]?[1]?.doubleValue == 2 && value["a"]?[1]?.intValue == 2)
    #expect(value["a"]?[2]?.stringValue == "x" && value["a"]?[3]?.boolValue == true && value["a"]?[4]?.isNull == true)
    #expect(value["b"]?["c"] == "d" && value["b"]?.tag == "!t")
    #expect(value["z"] == nil && value["a"]?[5] == nil && value["a"]?["k"] == nil && value[0] == nil)
  }

  @Test func `mappings keep order and are equal in any`() throws {
    var mapping: YAMLMapping = ["a": 1, "b": 2]
    mapping["c"] = 3
    mapping["a"] = 4
    mapping["b"] = nil
    #expect(mapping.map(\.key) == ["a", "c"] && mapping.map(\.value) == [4, 3])
    #expect(mapping == (["c": 3, "a": 4] as YAMLMapping))
    #expect(mapping.hashValue == (["c": 3, "a": 4] as YAMLMapping).hashValue)
    #expect(mapping != (["c": 3, "a": 5] as YAMLMapping))
  }

  @Test func `large mappings find their keys`() {
    var mapping = YAMLMapping((0..<1000).map { (.string("key\($0)"), .int(YAMLInteger($0))) })
    #expect((0..<1000).allSatisfy { mapping["key" + String($0)]?.intValue == $0 })
    mapping["key500"] = nil
    #expect(mapping.count == 999 && mapping["key500"] == nil && mapping["key999"] == 999)
  }

  @Test func `strings are equal by code units, tags count`() throws {
    #expect(YAMLValue.string("é") != YAMLValue.string("e\u{301}"))
    let tagged = try #require(YAMLTagged("!a", 1))
    #expect(YAMLValue.tagged(tagged) != 1 && tagged == YAMLTagged("!a", 1) && tagged != YAMLTagged("!b", 1))
    #expect(YAMLTagged("!b", .tagged(tagged))?.value == 1)
  }

  @Test func `equal values hash alike`() throws {
    let texts = ["{a: [1, {b: 2}], c: ~}", "{c: , a: [0x1, {b: +2}]}", "c: null\na:\n- 1\n- b: 02\n"]
    #expect(Set(try texts.map { try YAMLValue(parsing: $0) }).count == 1)
  }
}
