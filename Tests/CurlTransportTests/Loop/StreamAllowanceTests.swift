import Testing

@testable import CurlewCurlTransport

@Suite struct StreamAllowanceTests {
  @Test func `few requests use a connection until it has answered`() {
    let allowance = StreamAllowance()
    #expect(allowance.count(hasAnswered: false, at: 0) == 8)
    #expect(allowance.count(hasAnswered: true, at: 0) == 100)
  }

  @Test func `a connection that takes no more requests shows the limit`() {
    var allowance = StreamAllowance()
    for (running, limit) in [(32, 32), (40, 32), (16, 16), (3, 8)] {
      allowance.overflowed(running: running, at: 0)
      #expect(allowance.count(hasAnswered: false, at: 0) == limit && allowance.count(hasAnswered: true, at: 0) == limit)
    }
  }

  @Test func `after each stall fewer requests share a connection, and one at last`() {
    var allowance = StreamAllowance()
    var counts: [Int] = []
    for running in [40, 8, 4, 2, 1] {
      allowance.stalled(running: running, at: 0)
      counts.append(allowance.count(hasAnswered: true, at: 0))
    }
    #expect(counts == [8, 4, 2, 1, 1])
  }

  @Test func `a limit is forgotten after ten minutes in which nothing confirmed it`() {
    let minute: UInt64 = 60_000_000_000
    var allowance = StreamAllowance()
    allowance.stalled(running: 4, at: 0)
    allowance.stalled(running: 4, at: 5 * minute)
    allowance.overflowed(running: 32, at: 14 * minute)
    #expect(allowance.count(hasAnswered: true, at: 14 * minute) == 2)
    #expect(allowance.count(hasAnswered: true, at: 15 * minute) == 100)
    // What is learned then counts anew.
    allowance.overflowed(running: 32, at: 15 * minute)
    #expect(allowance.count(hasAnswered: true, at: 16 * minute) == 32)
  }
}
