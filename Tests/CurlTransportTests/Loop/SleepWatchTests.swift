import Testing

@testable import CurlewCurlTransport

@Suite struct SleepWatchTests {
  private let second: UInt64 = 1_000_000_000

  @Test func `a sleep is noticed once, and a delay between the two clocks is none`() {
    var watch = SleepWatch()
    // The monotonic clock and the time since the start, in seconds; whether a sleep is noticed.
    let table: [(now: UInt64, sinceBoot: UInt64, isSleep: Bool)] = [
      (100, 500, false), (101, 501, false), (200, 604, false), (201, 605, false), (202, 3_606, true),
      (203, 3_607, false), (204, 3_613, true), (100, 3_614, true),
    ]
    for row in table {
      let isSleep = watch.slept(at: row.now * second, sinceBoot: row.sinceBoot * second)
      #expect(isSleep == row.isSleep, "at \(row.now)")
    }
  }
}
