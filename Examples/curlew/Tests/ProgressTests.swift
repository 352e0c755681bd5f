import CurlewCore
import Testing

@testable import CurlewTool

@Suite struct ProgressTests {
  @Test func `there is a bar for each transfer and one for the whole, none wider than the terminal`() {
    var state = ProgressState(count: 3)
    let meters = ["http://h/a/very/long/path/that/does/not/fit/in/its/column.bin", "b"].map { TransferMeter(name: $0) }
    for meter in meters {
      meter.begin(expecting: 1000)
      state.begin(meter)
    }
    let start = ContinuousClock.now
    state.advance(to: start)
    meters[0].advance(by: 500)
    state.advance(to: start + .seconds(1))
    let lines = ProgressText.bars(state, width: 120, height: 24)
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.count < 120 })
    #expect(lines[0].contains("column.bin"))
    #expect(lines[0].contains("500 B of 1.0 kB, 500 B/s, 1 s left"))
    #expect(lines[2].hasPrefix("0 of 3"))
    #expect(ProgressText.bars(state, width: 40, height: 24).allSatisfy { $0.count < 40 })
    #expect(ProgressText.bars(state, width: 120, height: 2).count == 2)
  }

  @Test func `the whole's rate counts what came for transfers that are over, and no attempt counts less than nothing`()
  {
    var state = ProgressState(count: 3)
    let start = ContinuousClock.now
    state.advance(to: start)
    let (short, repeated) = (TransferMeter(name: "a"), TransferMeter(name: "b"))
    state.begin(short)
    state.begin(repeated)
    short.advance(by: 300)
    repeated.advance(by: 700)
    state.end(short, failed: false)
    state.advance(to: start + .seconds(1))
    #expect(state.whole.rate == 1000)
    repeated.begin(expecting: nil)
    repeated.advance(by: 100)
    state.advance(to: start + .seconds(2))
    #expect(state.whole.rate == 100)
    #expect(state.rows.first?.progress.rate == 100)
  }

  @Test func `one transfer needs no bar for the whole`() {
    var state = ProgressState(count: 1)
    state.begin(TransferMeter(name: "a"))
    #expect(ProgressText.bars(state, width: 80, height: 24).count == 1)
  }

  @Test func `the whole's total is known when every transfer has said its own`() {
    var state = ProgressState(count: 2)
    let first = TransferMeter(name: "a")
    first.begin(expecting: 10)
    state.begin(first)
    #expect(state.whole.total == nil)
    let second = TransferMeter(name: "b")
    state.begin(second)
    #expect(state.whole.total == nil)
    second.begin(expecting: 5)
    #expect(state.whole.total == 15)
    first.advance(by: 10)
    state.end(first, failed: false)
    #expect(state.whole.completed == 10)
    #expect(state.whole.total == 15)
    state.end(second, failed: true)
    #expect(state.whole.isFinal)
    #expect(state.failed == 1)
  }
}
