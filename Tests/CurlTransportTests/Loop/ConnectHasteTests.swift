import Testing

@testable import CurlewCurlTransport

@Suite struct ConnectHasteTests {
  private let patience = ConnectHaste.patience

  @Test func `a request goes ahead after it has waited, and each further one after twice the time`() {
    var haste = ConnectHaste()
    var ahead: [UInt64] = []
    for step in UInt64(0)..<40 {
      let now = 1_000 + step * patience / 2
      if haste.goesAhead(at: now, since: 1_000) { ahead.append(step) }
    }
    #expect(ahead == [2, 6, 14, 30])
  }

  @Test func `a request that begins to wait late waits the whole time`() {
    var haste = ConnectHaste()
    let isEarly = haste.goesAhead(at: 10 * patience, since: 10 * patience - 1)
    let isDue = haste.goesAhead(at: 11 * patience, since: 10 * patience)
    #expect(!isEarly && isDue)
  }

  @Test func `a connection that is ready ends the haste`() {
    var haste = ConnectHaste()
    for step in 1...6 { _ = haste.goesAhead(at: UInt64(step) * 100 * patience, since: 0) }
    haste.connected(at: 700 * patience)
    #expect(haste.connectedAt == 700 * patience)
    let isDue = haste.goesAhead(at: 701 * patience, since: 700 * patience)
    #expect(isDue)
  }
}
