import CurlewCore
import FoundationEssentials
import Testing

@Suite struct InternetDateTests {
  // The first five are the examples of RFC 3339 §5.8.
  @Test(arguments: [
    ("1985-04-12T23:20:50.52Z", 482_196_050.52), ("1996-12-19T16:39:57-08:00", 851_042_397),
    ("1990-12-31T23:59:60Z", 662_688_000), ("1990-12-31T15:59:60-08:00", 662_688_000),
    ("1937-01-01T12:00:27.87+00:20", -1_041_337_172.13), ("2026-11-21T10:00:00+0100", 1_795_251_600),
    ("2024-02-29T00:00:00Z", 1_709_164_800), ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("2026-11-21T09:00:00.1234567890123456789Z", 1_795_251_600.123456789),
  ])
  func `a date is the moment it names`(text: String, seconds: Double) throws {
    #expect(abs(try #require(InternetDate.parse(text)).timeIntervalSince1970 - seconds) < 0.000_001)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T09:00:00", "2026-11-21T09:00:00Zx", "2026-11-21T09:00:00+01:00x",
    "2026-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z",
    "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T09:00:61Z", "2026-11-21T09:00:00.Z",
    "2026-11-21T09:00:00+24:00", "2026-11-21T09:00:00+01:60", "2026-11-21T09:00:00+1:00", "26-11-21T09:00:00Z",
    "+026-11-21T09:00:00Z", "2026-11-21T09:00:00−01:00", " 2026-11-21T09:00:00Z", "2026-1１-21T09:00:00Z", "2026",
  ])
  func `what is no date is none`(text: String) {
    #expect(InternetDate.parse(text) == nil)
  }

  @Test(arguments: [-62_135_596_800, -1, 0, 951_782_400, 1_795_251_600, 253_402_300_799] as [Double])
  func `a date is read as it was written`(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let text = try #require(InternetDate.text(date))
    #expect(InternetDate.parse(text) == date)
    #expect(InternetDate.text(date.addingTimeInterval(0.5)) == text)
  }

  @Test(arguments: [
    (1.75, "1970-01-01T00:00:01.75Z"), (-0.25, "1969-12-31T23:59:59.75Z"), (1_795_000_000.3, "2026-11-18T11:06:40.3Z"),
    (2, "1970-01-01T00:00:02Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
  ])
  func `a fraction of a second is written with the fewest digits that return the same date`(
    seconds: Double, text: String
  ) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(InternetDate.text(date, keepsFraction: true) == text)
    #expect(InternetDate.parse(text) == date)
  }

  @Test func `every date is read as it was written with its fraction`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      let date = Date(timeIntervalSince1970: .random(in: -10_000_000_000...10_000_000_000, using: &generator))
      let text = try #require(InternetDate.text(date, keepsFraction: true))
      #expect(InternetDate.parse(text) == date, "\(text)")
    }
  }

  @Test func `years of other than four digits are not written`() {
    #expect(InternetDate.text(Date(timeIntervalSince1970: -62_135_596_801)) == nil)
    #expect(InternetDate.text(Date(timeIntervalSince1970: 253_402_300_800)) == nil)
    #expect(InternetDate.text(Date(timeIntervalSince1970: .nan)) == nil)
  }
}
