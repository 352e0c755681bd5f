import CurlewCore
import Testing

struct AcceptFieldTests {
  private let example = AcceptField(
    "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5")

  @Test(arguments: [
    ("text/plain;format=flowed", 1000), ("text/plain", 700), ("text/html", 300), ("image/jpeg", 500),
    ("text/plain;format=fixed", 400), ("text/html;level=3", 300),
  ])
  func `the example of RFC 9110 gives its table`(type: String, thousandths: Int) throws {
    #expect(example.quality(of: try #require(MediaType(type))).thousandths == thousandths)
  }

  @Test func `the most preferred is chosen and the earlier of equals`() {
    #expect(AcceptField("a/b;q=0.1, text/html").preferred(among: [.json, .html]) == .html)
    #expect(AcceptField("*/*").preferred(among: [.json, .html]) == .json)
    #expect(AcceptField("text/html;q=0").preferred(among: [.html, .json]) == nil)
    #expect(AcceptField("").preferred(among: [.json]) == .json)
  }

  @Test func `a structured suffix is no match here`() {
    #expect(AcceptField("application/json").quality(of: .problemJSON) == .unacceptable)
  }

  @Test func `it is written with qualities where they are not 1`() {
    let field = AcceptField([.init(.json), .init(.any, quality: QualityValue(thousandths: 50))])
    #expect(field.description == "application/json, */*;q=0.05")
    #expect(AcceptField(field.description) == field)
  }

  @Test func `elements that cannot be read are left out`() {
    #expect(AcceptField("*/html, nonsense, text/html;q=2, , text/css").ranges.map(\.mediaType) == [.css])
  }

  @Test func `ranges beyond the limit are ignored`() {
    let value = Array(repeating: "a/b", count: 1000).joined(separator: ",")
    #expect(AcceptField(value).ranges.count == AcceptField.maximumRanges)
  }

  @Test(arguments: [
    ("1", 1000), ("1.000", 1000), ("1.", 1000), ("0", 0), ("0.", 0), ("0.5", 500), ("0.123", 123), ("0.05", 50),
  ])
  func `a quality is read in thousandths`(text: String, thousandths: Int) {
    #expect(QualityValue(text)?.thousandths == thousandths)
  }

  @Test(arguments: ["", "2", "1.001", "0.1234", "-1", ".5", "0,5", "0.5x", "1e0", "00.5"])
  func `what is no quality is refused`(text: String) {
    #expect(QualityValue(text) == nil)
  }

  @Test func `every quality is written as it is read`() {
    for thousandths in 0...1000 {
      let value = QualityValue(thousandths: thousandths)
      #expect(QualityValue(value.description) == value)
    }
    #expect(QualityValue(thousandths: -5) == .unacceptable)
    #expect(QualityValue(thousandths: 5000) == .most)
  }

  @Test func `random text never traps and is written to the same list`() throws {
    var fuzz = FieldFuzz(seed: 2, near: ["text/*;q=0.3, text/html;level=1;q=0.7", "*/*, a/b;c=\"d,e\""])
    for _ in 0..<100_000 {
      let field = AcceptField(fuzz.text())
      _ = field.quality(of: .html)
      try #require(AcceptField(field.description) == field)
    }
  }
}
