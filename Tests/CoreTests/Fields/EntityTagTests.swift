import CurlewCore
import Testing

struct EntityTagTests {
  @Test func `strong and weak tags are read and written`() {
    #expect(EntityTag("\"xyzzy\"")?.opaque == "xyzzy")
    #expect(EntityTag("\"xyzzy\"")?.isWeak == false)
    #expect(EntityTag("W/\"\"")?.isWeak == true)
    #expect(EntityTag("W/\"a\\b,c\"")?.description == "W/\"a\\b,c\"")
    #expect(EntityTag("\"ü\"")?.opaque == "ü")
  }

  @Test(arguments: [
    "", "xyzzy", "\"", "\"a", "a\"", "w/\"a\"", "W\"a\"", "W/a", "\"a\" ", " \"a\"", "\"a b\"", "\"a\"b", "\"a\tb\"",
    "\"a\u{7F}\"", "*",
  ])
  func `what is no entity tag is refused`(text: String) {
    #expect(EntityTag(text) == nil)
  }

  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
  ])
  func `the comparisons give the table of RFC 9110`(a: String, b: String, strong: Bool, weak: Bool) throws {
    let (a, b) = (try #require(EntityTag(a)), try #require(EntityTag(b)))
    #expect(a.matchesStrongly(b) == strong)
    #expect(a.matchesWeakly(b) == weak)
  }

  @Test func `text that would break out of the quotes is refused`() {
    #expect(EntityTag("a\"b", isWeak: false) == nil)
    #expect(EntityTag("a\r\n", isWeak: true) == nil)
  }

  @Test func `a list of tags is read and written`() throws {
    let condition = try EntityTagCondition(" \"a,b\" ,, W/\"c\\\",\t\"\"")
    #expect(condition.description == "\"a,b\", W/\"c\\\", \"\"")
    #expect(try EntityTagCondition(" * ") == .any)
  }

  @Test(arguments: ["", " ", ",", "a", "\"a\" \"b\"", "*, \"a\"", "\"a\", *", "\"a"])
  func `a list with anything else is malformed`(text: String) {
    let error = #expect(throws: FieldError.self) { try EntityTagCondition(text) }
    #expect(error?.kind == .malformed)
  }

  @Test func `a list beyond the limit is refused`() {
    let text = Array(repeating: "\"\"", count: EntityTagCondition.maximumTags + 1).joined(separator: ",")
    let error = #expect(throws: FieldError.self) { try EntityTagCondition(text) }
    #expect(error?.kind == .tooMany)
  }

  @Test func `a condition finds a tag by either comparison`() throws {
    let condition = try EntityTagCondition("\"a\", W/\"b\"")
    #expect(condition.contains(EntityTag("\"a\""), strongly: true))
    #expect(!condition.contains(EntityTag("W/\"a\""), strongly: true))
    #expect(condition.contains(EntityTag("\"b\""), strongly: false))
    #expect(!condition.contains(nil, strongly: false))
    #expect(EntityTagCondition.any.contains(nil, strongly: true))
  }

  @Test func `random text never traps and is written to the same value`() {
    var fuzz = FieldFuzz(seed: 4, near: ["\"a\", W/\"b\"", "W/\"xyzzy\"", "*"])
    for _ in 0..<100_000 {
      let text = fuzz.text()
      if let tag = EntityTag(text) { #expect(tag.description == text) }
      if let condition = try? EntityTagCondition(text) {
        #expect((try? EntityTagCondition(condition.description)) == condition)
      }
    }
  }
}
