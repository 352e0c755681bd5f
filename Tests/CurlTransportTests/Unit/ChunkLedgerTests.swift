import Testing

@testable import CurlewCurlTransport

@Suite struct ChunkLedgerTests {
  @Test func `chunk framing is not the body's`() {
    var ledger = ChunkLedger()
    ledger.handed(16)
    // "10\r\n", 16 bytes, "\r\n"
    #expect(ledger.payload(of: 0) == 0)
    #expect(ledger.payload(of: 4) == 0)
    #expect(ledger.payload(of: 9) == 5)
    #expect(ledger.payload(of: 20) == 16)
    #expect(ledger.payload(of: 22) == 16)
    ledger.handed(4)
    #expect(ledger.payload(of: 24) == 16)
    #expect(ledger.payload(of: 27) == 18)
    #expect(ledger.payload(of: 1_000) == 20)
  }
}
