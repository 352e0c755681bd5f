import Testing

@testable import CurlewSessionManagers

@Suite struct SessionLedgerTests {
  @Test func `an invalidated session ends with its last task, and not before`() {
    var ledger = SessionLedger()
    ledger.enter(1)
    ledger.enter(2)
    #expect(ledger.invalidate(reset: false)?.tasks == [1, 2])
    #expect(ledger.isInvalidated)
    #expect(ledger.leave(1) == false)
    #expect(ledger.leave(2) == true)
    #expect(ledger.leave(2) == false)
    #expect(ledger.count == 0)
  }

  @Test func `a session without tasks ends at once, and once`() {
    var ledger = SessionLedger()
    #expect(ledger.invalidate(reset: false)?.hasEnded == true)
    #expect(ledger.invalidate(reset: false) == nil)
    #expect(ledger.invalidate(reset: true) == nil && !ledger.isInvalidated)
    #expect(ledger.invalidate(reset: true)?.hasEnded == true && !ledger.isInvalidated)
  }

  @Test func `tasks of an old session do not end the new one`() {
    var ledger = SessionLedger()
    ledger.enter(1)
    #expect(ledger.invalidate(reset: true)?.tasks == [1])
    ledger.enter(2)
    #expect(ledger.leave(2) == false)
    #expect(ledger.leave(1) == true)
    ledger.enter(3)
    #expect(ledger.invalidate(reset: true)?.tasks == [3])
  }

  @Test func `what continues a task belongs to its session`() {
    var ledger = SessionLedger()
    ledger.enter(1)
    _ = ledger.invalidate(reset: true)
    ledger.enter(2, continuing: 1)
    #expect(ledger.leave(1) == false)
    #expect(ledger.leave(2) == true)
    ledger.enter(3, continuing: 1)
    #expect(ledger.invalidate(reset: true)?.tasks == [3])
  }

  @Test func `tasks of a dead session end none`() {
    var ledger = SessionLedger()
    _ = ledger.invalidate(reset: false)
    ledger.enter(1)
    #expect(ledger.leave(1) == false)
    ledger.enter(2)
    #expect(ledger.invalidate(reset: true) == nil)
    #expect(ledger.leave(2) == false)
  }
}
