import Testing

@testable import CurlewCurlTransport

@Suite struct IdleRuleTests {
  private let rule = IdleRule()

  @Test func `the youngest idle connections are kept, and further ones closed after a short time`() {
    let idle = (0..<100).map { UInt32(100 - $0) * 100 }
    // The 64 youngest are silent for up to 6.4 s, the others for 6.5 to 10 s.
    #expect(Set(rule.expired(idle)) == Set(0..<36))
    #expect(rule.expired(Array(repeating: 4_999, count: 1_000)).isEmpty)
    #expect(rule.expired(Array(repeating: 5_000, count: 1_000)).count == 936)
  }

  @Test func `no connection is idle for longer than libcurl would use it`() {
    #expect(rule.expired([117_999, 118_000]) == [1])
    #expect(rule.expired([]).isEmpty)
  }

  @Test func `it looks again while a connection is idle, soon if there are many`() {
    #expect(rule.nextLook(idle: 0) == nil)
    #expect(rule.nextLook(idle: 64) == rule.longest)
    #expect(rule.nextLook(idle: 65) == rule.brief)
  }
}
