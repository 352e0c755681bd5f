import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct OriginLedgerTests {
  private let origin: Origin

  init() throws { origin = try Origin(scheme: .https, host: "a.test") }

  @Test func `without HTTP/2 all share one lane`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .streamed, mayMultiplex: false), is: 0)
    expect(ledger.board(origin, .streamed, mayMultiplex: false), is: 0)
    ledger.responded(origin, http2: false)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
  }

  @Test func `over HTTP/2 each streamed body has a lane of its own, and collected ones share`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
    ledger.responded(origin, http2: true)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 1)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 2)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 2)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 3)
    ledger.leave(origin, .streamed, lane: 1)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 1)
    ledger.leave(origin, .streamed, lane: 0)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
  }

  @Test func `before the first response, streamed bodies are kept apart where HTTP/2 may be spoken`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 1)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 2)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 2)
  }

  @Test func `lanes that were opened before the first response are used again over HTTP/1.1`() {
    var ledger = HTTP2Lanes()
    for lane in 0..<3 { expect(ledger.board(origin, .streamed, mayMultiplex: true), is: lane) }
    ledger.responded(origin, http2: false)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
    ledger.leave(origin, .streamed, lane: 2)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 2)
  }

  @Test func `one answer over HTTP/1.1 does not make later streamed bodies share the HTTP/2 connection`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
    ledger.responded(origin, http2: true)
    ledger.responded(origin, http2: false)
    let speaksHTTP2 = ledger.speaksHTTP2(origin)
    #expect(speaksHTTP2)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 1)
    expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 2)
  }

  @Test func `nobody joins a collected body while it is paused`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
    ledger.responded(origin, http2: true)
    ledger.setPaused(true, origin, lane: 0)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 1)
    ledger.setPaused(false, origin, lane: 0)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
  }

  @Test func `a lane that nobody took is not left`() {
    var ledger = HTTP2Lanes()
    ledger.leave(origin, .streamed, lane: 3)
    ledger.setPaused(true, origin, lane: 3)
    expect(ledger.board(origin, .streamed, mayMultiplex: false), is: 0)
  }

  @Test func `nobody boards a retired lane, and when it is empty its number gets another name`() {
    var ledger = HTTP2Lanes()
    for _ in 0..<2 { expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0) }
    ledger.responded(origin, http2: true)
    let inUse = ledger.retire(origin, lane: 0, generation: 0)
    let again = ledger.retire(origin, lane: 0, generation: 0)
    #expect(inUse == .inUse && again == .none)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 1)
    let isClosedEarly = ledger.leave(origin, .collected, lane: 0)
    let isClosed = ledger.leave(origin, .collected, lane: 0)
    #expect(!isClosedEarly && isClosed)
    let names = [ledger.name(origin, lane: 0), ledger.name(origin, lane: 1)]
    #expect(names == ["0.1", "1"])
    let old = ledger.retire(origin, lane: 0, generation: 0)
    #expect(old == .none)
  }

  @Test func `an empty lane is renewed at once, and never gets a name again`() {
    var ledger = HTTP2Lanes()
    var names: Set<String?> = []
    for round in 0..<5 {
      expect(ledger.board(origin, .streamed, mayMultiplex: true), is: 0)
      names.insert(ledger.name(origin, lane: 0))
      ledger.leave(origin, .streamed, lane: 0)
      let outcome = ledger.retire(origin, lane: 0, generation: UInt64(round))
      #expect(outcome == .empty)
    }
    #expect(names.count == 5)
  }

  private func expect(_ lane: Int, is expected: Int, _ place: SourceLocation = #_sourceLocation) {
    #expect(lane == expected, sourceLocation: place)
  }
}
