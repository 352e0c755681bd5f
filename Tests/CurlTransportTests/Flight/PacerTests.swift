import Testing

@testable import CurlewCurlTransport

@Suite struct PacerTests {
  @Test func `bytes take the time that their rate gives them`() {
    var pacer = Pacer(bytesPerSecond: 1_000)
    #expect(!pacer.mustWait(at: 0))
    pacer.moved(500, at: 1_000_000_000)
    #expect(pacer.nextAt == 1_500_000_000)
    #expect(pacer.mustWait(at: 1_499_999_999))
    #expect(!pacer.mustWait(at: 1_500_000_000))
  }

  @Test func `time that passed without bytes is not made up for`() {
    var pacer = Pacer(bytesPerSecond: 1_000)
    pacer.moved(1_000, at: 0)
    pacer.moved(1_000, at: 60_000_000_000)
    #expect(pacer.nextAt == 61_000_000_000)
  }

  @Test(arguments: [(1, 1_024), (50_000, 5_000), (Int64.max, 16_384)])
  func `a piece is a tenth of a second, within limits`(rate: Int64, piece: Int) {
    var pacer = Pacer(bytesPerSecond: rate)
    #expect(pacer.piece == piece)
    pacer.moved(.max, at: 0)
    #expect(pacer.nextAt <= 1_000_000_000_000_000_000)
  }

  @Test func `without a rate nothing waits`() {
    var pacer = Pacer(bytesPerSecond: nil)
    pacer.moved(1 << 40, at: 0)
    #expect(!pacer.mustWait(at: 0))
    #expect(pacer.piece == nil)
  }
}
