import CurlewCore
import FoundationEssentials
import Testing

struct HTTPDateTests {
  private let now = HTTPDate(secondsSince1970: 1_767_225_600)  // 2026-01-01T00:00:00Z

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 NOV 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT",
  ])
  func `the three formats give the same moment`(text: String) {
    #expect(HTTPDate(text, now: now)?.secondsSince1970 == 784_111_777)
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
    "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT",
    "Thu 18 Aug 2050 02:01:18 GMT", "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
    "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 18 Aug 2050 02:01:18 GMT+1",
    "Thu, 31 Feb 2050 02:01:18 GMT", "Thu, 00 Feb 2050 02:01:18 GMT", "Thu, 18 Agu 2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 24:01:18 GMT", "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT",
    "Xyz, 18 Aug 2050 02:01:18 GMT", "Thurs, 18 Aug 2050 02:01:18 GMT", "Sun Nov 6 08:49:37 1994",
    "2050-08-18T02:01:18Z", "Thu, 1８ Aug 2050 02:01:18 GMT",
  ])
  func `what is none of the three formats is refused`(text: String) {
    #expect(HTTPDate(text, now: now) == nil)
  }

  @Test(arguments: [
    (2026, "94", 1994), (2026, "50", 2050), (2026, "75", 2075), (2026, "76", 2076), (2026, "77", 1977),
    (1999, "00", 2000), (1999, "49", 2049), (1999, "50", 1950), (2099, "10", 2110),
  ])
  func `two digits mean the latest year that is at most fifty years ahead`(
    year: Int, digits: String, meant: Int
  ) throws {
    let now = try #require(HTTPDate("Thu, 01 Jun \(year) 12:00:00 GMT", now: now))
    let expected = HTTPDate("Thu, 01 Jan \(meant) 00:00:00 GMT", now: now)
    #expect(HTTPDate("Sunday, 01-Jan-\(digits) 00:00:00 GMT", now: now) == expected)
  }

  @Test func `in the fiftieth year the date decides`() throws {
    let now = try #require(HTTPDate("Mon, 01 Jun 2026 12:00:00 GMT", now: now))
    let before = HTTPDate("Monday, 01-Jun-76 12:00:00 GMT", now: now)
    let after = HTTPDate("Monday, 01-Jun-76 12:00:01 GMT", now: now)
    #expect(before == HTTPDate("Mon, 01 Jun 2076 12:00:00 GMT", now: now))
    #expect(after == HTTPDate("Tue, 01 Jun 1976 12:00:01 GMT", now: now))
  }

  @Test func `second 60 is the next minute`() {
    let leap = HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT", now: now)
    #expect(leap?.description == "Sun, 01 Jan 2017 00:00:00 GMT")
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
  ])
  func `a date is written as IMF-fixdate`(seconds: Int64, text: String) {
    #expect(HTTPDate(secondsSince1970: seconds).description == text)
  }

  @Test func `every day of four centuries follows the one before and reads back`() throws {
    let start = try #require(HTTPDate("Sat, 01 Jan 1600 12:34:56 GMT", now: now))
    let weekdays = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"]
    for day in 0..<146_097 {
      let date = HTTPDate(secondsSince1970: start.secondsSince1970 + Int64(day) * 86_400)
      let text = date.description
      try #require(HTTPDate(text, now: now) == date)
      try #require(text.hasPrefix(weekdays[day % 7]))
    }
  }

  @Test func `it converts to and from Foundation's dates`() {
    let date = HTTPDate(secondsSince1970: 784_111_777)
    #expect(HTTPDate(date.date) == date)
    #expect(HTTPDate(Date(timeIntervalSince1970: -0.5)).secondsSince1970 == -1)
    #expect(HTTPDate(Date(timeIntervalSince1970: .infinity)) == .latest)
    #expect(HTTPDate(Date(timeIntervalSince1970: -.infinity)) == .earliest)
    #expect(HTTPDate(Date(timeIntervalSince1970: .nan)).secondsSince1970 == 0)
    #expect(HTTPDate(.distantPast) < HTTPDate(.distantFuture))
  }

  @Test(arguments: [
    ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894), ("Wed, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
    ("09 Jun 2021 10:18:14", 1_623_233_894), ("10:18:14 2021 jUnE 9", 1_623_233_894),
    ("Mon Jan 18 19:14:07 2038", 2_147_454_847), ("1-jan-70 0:0:0", 0), ("1 jan 69 0:0:0", 3_124_224_000),
    ("01 Jan 1970 00:00:00 PST", 0), ("1x jan 1970y 0:0:0z", 0),
  ])
  func `a cookie date is found in any order`(text: String, seconds: Int64) {
    #expect(HTTPDate(cookieDate: text)?.secondsSince1970 == seconds)
  }

  @Test(arguments: [
    "", "nonsense", "09 Jun 2021", "10:18:14 Jun 2021", "09 2021 10:18:14", "31 Jun 2021 10:18:14",
    "09 Jun 1600 10:18:14", "09 Jun 2021 24:18:14", "09 Jun 2021 10:18:60", "009 Jun 2021 10:18:14",
    "09 Jun 20210 10:18:14", "09 Jun 2021 10:18:140",
  ])
  func `a cookie date without all parts in range is refused`(text: String) {
    #expect(HTTPDate(cookieDate: text) == nil)
  }

  @Test func `random text never traps`() throws {
    var fuzz = FieldFuzz(
      seed: 3,
      near: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    var read = 0
    for _ in 0..<100_000 {
      let text = fuzz.text()
      let anyNow = HTTPDate(secondsSince1970: Int64(bitPattern: fuzz.next()))
      if HTTPDate(text, now: anyNow) != nil { read += 1 }
      if let date = HTTPDate(cookieDate: text) { try #require(HTTPDate(cookieDate: date.description) == date) }
    }
    try #require(read > 100)
  }
}
