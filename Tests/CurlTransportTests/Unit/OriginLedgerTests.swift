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

  @Test func `while a lane's further connection has not answered, only few requests board it`() {
    var ledger = HTTP2Lanes()
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
    ledger.connected(origin, lane: 0, from: "a", at: 0, others: 0)
    ledger.responded(origin, http2: true, lane: 0, to: "a")
    for _ in 0..<19 { expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0) }
    ledger.extends(origin, lane: 0)
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 1)
    // An answer over the old connection says nothing of the new one, before and after the new one is ready.
    ledger.responded(origin, http2: true, lane: 0, to: "a")
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 1)
    ledger.connected(origin, lane: 0, from: "b", at: 0, others: 0)
    ledger.responded(origin, http2: true, lane: 0, to: "a")
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 1)
    ledger.responded(origin, http2: true, lane: 0, to: "b")
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
  }

  @Test func `a further connection that was never made leaves the lane as it was`() {
    var ledger = HTTP2Lanes()
    for _ in 0..<8 { expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0) }
    ledger.connected(origin, lane: 0, from: "a", at: 0, others: 0)
    ledger.responded(origin, http2: true, lane: 0, to: "a")
    ledger.extends(origin, lane: 0)
    ledger.extendedInVain(origin, lane: 0)
    ledger.responded(origin, http2: true, lane: 0, to: "a")
    expect(ledger.board(origin, .collected, mayMultiplex: true), is: 0)
  }

  @Test func `few requests board an idle connection on which something arrived, or that was idle for long`() {
    var ledger = HTTP2Lanes()
    func burst(at now: UInt64) -> Int {
      let lanes = (0..<9).map { _ in ledger.board(origin, .collected, mayMultiplex: true, at: now) }
      ledger.responded(origin, http2: true, lane: 0)
      for lane in lanes { ledger.leave(origin, .collected, lane: lane, at: now) }
      return lanes.last ?? -1
    }
    let (second, start): (UInt64, UInt64) = (1_000_000_000, 1_000_000_000_000)
    #expect([burst(at: start), burst(at: start + 9 * second)] == [1, 0])
    ledger.doubt(origin, lane: 0, generation: 1)
    #expect(burst(at: start + 10 * second) == 0, "that was the connection of another generation")
    ledger.doubt(origin, lane: 0, generation: 0)
    #expect([burst(at: start + 11 * second), burst(at: start + 12 * second)] == [1, 0])
    #expect(burst(at: start + 22 * second) == 1)
    expect(ledger.board(origin, .collected, mayMultiplex: true, at: start + 23 * second), is: 0)
    ledger.doubt(origin, lane: 0, generation: 0)
    #expect(burst(at: start + 23 * second) == 0, "a connection in use is read by libcurl")
  }

  private func expect(_ lane: Int, is expected: Int, _ place: SourceLocation = #_sourceLocation) {
    #expect(lane == expected, sourceLocation: place)
  }
}
