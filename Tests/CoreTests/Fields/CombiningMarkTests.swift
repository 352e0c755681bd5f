import CurlewCore
import Testing

@Suite struct CombiningMarkTests {
  @Test(arguments: [
    // Marks in and out of their order, marks that are decomposed into two, and marks beyond 16 bits.
    "\u{301}", "\u{301}\u{316}", "\u{F73}", "\u{F75}\u{F81}", "\u{344}", "\u{1E8D0}",
  ])
  func `more than 1,024 marks in a row make a text slow to compare`(marks: String) {
    let marks = String(String.UnicodeScalarView(repeatElement(Array(marks.unicodeScalars), count: 1_024).joined()))
    let most = String(marks.unicodeScalars.prefix(1_024))
    #expect(!("a" + most + "b" + most).isSlowToCompare)
    #expect(("a" + most + String(marks.unicodeScalars.prefix(1))).isSlowToCompare)
  }

  @Test(arguments: ["a", "é", "日本", "กี้", "👩‍👩‍👧‍👦", "\u{FEFF}\u{200D}", ""])
  func `long text of other characters is quick to compare`(text: String) {
    #expect(!String(repeating: text, count: 10_000).isSlowToCompare)
  }

  @Test func `entity tags are compared by their bytes`() throws {
    let (composed, decomposed) = (try #require(EntityTag("\"caf\u{E9}\"")), try #require(EntityTag("\"cafe\u{301}\"")))
    #expect(!composed.matchesStrongly(decomposed) && !composed.matchesWeakly(decomposed))
    #expect(composed.matchesStrongly(composed) && composed.matchesWeakly(composed))
  }

  @Test func `a file name with many marks before its dot is shortened without comparing them`() throws {
    let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
    let name = try #require(SuggestedFileName("CON" + marks + ".txt"))
    #expect(name.value.utf8.count <= SuggestedFileName.maximumLength && name.value.utf8.starts(with: "CON".utf8))
    #expect(SuggestedFileName("con  .txt")?.value == "_con  .txt")
    #expect(SuggestedFileName("conout$.a.b")?.value == "_conout$.a.b")
    #expect(SuggestedFileName("com¹")?.value == "_com¹")
    #expect(SuggestedFileName("conout$1")?.value == "conout$1")
  }
}
