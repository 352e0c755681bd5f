import CurlewCore
import Testing

struct QualityValueTests {
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
}
