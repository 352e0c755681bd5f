import Testing

@testable import CurlewCurlTransport

@Suite struct StreamAllowanceTests {
  @Test func `few requests use a connection until it has answered`() {
    let allowance = StreamAllowance()
    #expect(allowance.count(hasAnswered: false) == 8)
    #expect(allowance.count(hasAnswered: true) == 100)
  }

  @Test func `a connection that takes no more requests shows the limit`() {
    var allowance = StreamAllowance()
    for (running, limit) in [(32, 32), (40, 32), (16, 16), (3, 8)] {
      allowance.overflowed(running: running)
      #expect(allowance.count(hasAnswered: false) == limit && allowance.count(hasAnswered: true) == limit)
    }
  }

  @Test func `after each stall fewer requests share a connection, and one at last`() {
    var allowance = StreamAllowance()
    var counts: [Int] = []
    for running in [40, 8, 4, 2, 1] {
      allowance.stalled(running: running)
      counts.append(allowance.count(hasAnswered: true))
    }
    #expect(counts == [8, 4, 2, 1, 1])
  }
}
