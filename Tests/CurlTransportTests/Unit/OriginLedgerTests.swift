import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct OriginLedgerTests {
  private let origin: Origin

  init() throws { origin = try Origin(scheme: .https, host: "a.test") }

  @Test func `without HTTP/2 all share one lane`() {
    var ledger = OriginLedger()
    expect(ledger.board(origin, .streamed), is: 0)
    expect(ledger.board(origin, .streamed), is: 0)
    ledger.responded(origin, http2: false)
    expect(ledger.board(origin, .collected), is: 0)
  }

  @Test func `over HTTP/2 each streamed body has a lane of its own, and collected ones share`() {
    var ledger = OriginLedger()
    expect(ledger.board(origin, .streamed), is: 0)
    ledger.responded(origin, http2: true)
    expect(ledger.board(origin, .streamed), is: 1)
    expect(ledger.board(origin, .collected), is: 2)
    expect(ledger.board(origin, .collected), is: 2)
    expect(ledger.board(origin, .streamed), is: 3)
    ledger.leave(origin, .streamed, lane: 1)
    expect(ledger.board(origin, .streamed), is: 1)
    ledger.leave(origin, .streamed, lane: 0)
    expect(ledger.board(origin, .collected), is: 0)
  }

  @Test func `a lane that nobody took is not left`() {
    var ledger = OriginLedger()
    ledger.leave(origin, .streamed, lane: 3)
    expect(ledger.board(origin, .streamed), is: 0)
  }

  private func expect(_ lane: Int, is expected: Int, _ place: SourceLocation = #_sourceLocation) {
    #expect(lane == expected, sourceLocation: place)
  }
}
