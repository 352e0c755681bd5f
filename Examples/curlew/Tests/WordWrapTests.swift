import Testing

@testable import CurlewTool

@Suite struct WordWrapTests {
  @Test(arguments: [20, 40, 80]) func `a sentence is broken at its words, and a long word has a line of its own`(
    width: Int
  ) {
    let url = "https://host.example/" + String(repeating: "a", count: 80)
    let sentence = "curlew: \(url): The name of the server was not found; check its spelling, and see curlew reach."
    let wrapped = WordWrap.wrapped(sentence, width: width)
    let lines = wrapped.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width || $0.contains(url) }, "\(wrapped)")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") })
    #expect(lines.map { $0.drop { $0 == " " } }.joined(separator: " ") == sentence)
  }

  @Test func `other lines, and sentences that fit, stay as they are`() {
    let trace = "< X-Long: " + String(repeating: "word ", count: 40)
    #expect(WordWrap.wrapped(trace, width: 40) == trace)
    #expect(WordWrap.wrapped("curlew: a b", width: 11) == "curlew: a b")
    #expect(WordWrap.wrapped("curlew: a b c\n\n  Usage: x", width: 11) == "curlew: a b\n  c\n\n  Usage: x")
  }
}
