import CurlewCore
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct ProgressTests {
  @Test func `there is a bar for each transfer and one for the whole, none wider than the terminal`() {
    var state = ProgressState(count: 3)
    let meters = ["http://h/a/very/long/path/that/does/not/fit/in/its/column.bin", "b"].map { TransferMeter(name: $0) }
    let start = ContinuousClock.now
    for meter in meters {
      meter.begin(expecting: 1000)
      state.begin(meter, at: start)
    }
    state.advance(to: start)
    meters[0].advance(by: 500)
    state.advance(to: start + .seconds(1))
    let lines = ProgressText.bars(state, width: 120, height: 24)
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.count < 120 })
    #expect(lines[0].contains("column.bin"))
    #expect(lines[0].contains("500 B of 1.0 kB, 500 B/s, 1 s left"))
    #expect(lines[2].hasPrefix("0 of 3"))
    #expect(ProgressText.bars(state, width: 120, height: 2).count == 2)
  }

  @Test func `the whole's rate counts what came for transfers that are over, and no attempt counts less than nothing`()
  {
    var state = ProgressState(count: 3)
    let start = ContinuousClock.now
    state.advance(to: start)
    let (short, repeated) = (TransferMeter(name: "a"), TransferMeter(name: "b"))
    state.begin(short, at: start)
    state.begin(repeated, at: start)
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

  @Test func `what was done before a batch was interrupted is part of its whole`() {
    var state = ProgressState(count: 3, done: 1, bytes: 4_000)
    state.advance(to: .now)
    #expect(ProgressText.line(state) == "curlew: 1 of 3 done, 4.0 kB")
    let (stalled, last) = (TransferMeter(name: "a"), TransferMeter(name: "b"))
    for meter in [stalled, last] {
      state.begin(meter)
      meter.show(1_000, of: 4_000)
    }
    #expect(state.whole.completed == 6_000 && state.whole.total == 12_000)
    // The item that begins again brings its bytes with it.
    state.leave(stalled, comesAgain: true)
    state.end(last, failed: false)
    #expect(state.whole.completed == 5_000 && state.done == 2)
    let again = TransferMeter(name: "a")
    state.begin(again)
    again.show(TransferProgress(recent: 0, completed: 4_000, total: 4_000, isFinal: true))
    state.end(again, failed: false)
    #expect(state.whole.completed == 9_000 && state.whole.isFinal && state.done == 3)
  }

  @Test func `one transfer needs no bar for the whole`() {
    var state = ProgressState(count: 1)
    state.begin(TransferMeter(name: "a"))
    #expect(ProgressText.bars(state, width: 80, height: 24).count == 1)
  }

  @Test func `the bytes of an earlier run count for no rate`() {
    var state = ProgressState(count: 1)
    let meter = TransferMeter(name: "a")
    state.begin(meter)
    let start = ContinuousClock.now
    state.advance(to: start)
    meter.show(TransferProgress(recent: 100, completed: 9_100, total: 10_000))
    state.advance(to: start + .seconds(1))
    #expect(state.whole.rate == 100)
    #expect(state.whole.completed == 9_100)
    meter.show(TransferProgress(recent: 0, completed: 0, total: 10_000))
    meter.show(TransferProgress(recent: 300, completed: 300, total: 10_000))
    #expect(meter.received == 300, "a download that starts over has kept nothing")
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

  @Test(arguments: [(80, 10), (120, 35)]) func `a bar fits beside the longest numbers`(width: Int, least: Int) {
    var state = ProgressState(count: 1)
    let meter = TransferMeter(name: "atlas-of-the-birds-of-the-north.zip")
    meter.begin(expecting: 999_900_000)
    state.begin(meter)
    state.advance(to: .now)
    meter.advance(by: 123_400_000)
    state.advance(to: .now + .seconds(1))
    let line = ProgressText.bars(state, width: width, height: 24)[0]
    let bar = line.split(separator: "[").last?.split(separator: "]").first ?? ""
    #expect(bar.count >= least && bar.contains("=") && line.count < width, "\(line)")
    #expect(line.contains("123.4 MB of 999.9 MB") && line.hasSuffix(" left"), "\(line)")
  }

  @Test func `a transfer that is interrupted is neither done nor failed, and fills no bar`() {
    var state = ProgressState(count: 2)
    let meters = [TransferMeter(name: "a"), TransferMeter(name: "b")]
    for meter in meters {
      meter.begin(expecting: 100)
      state.begin(meter)
      meter.advance(by: 40)
    }
    state.end(meters[0], failed: false)
    state.leave(meters[1])
    #expect(state.done == 1 && state.failed == 0 && !state.whole.isFinal)
    #expect(state.whole.completed == 80 && state.whole.total == 140 && state.rows.isEmpty)
    let bars = ProgressText.bars(state, width: 80, height: 24)
    #expect(bars.count == 1 && bars[0].contains(" ] 80 B of 140 B") && !bars[0].contains("failed"), "\(bars)")
  }

  @Test func `an interrupted transfer of unknown length leaves the whole's total unknown`() {
    var state = ProgressState(count: 1)
    let meter = TransferMeter(name: "a")
    state.begin(meter)
    meter.advance(by: 40)
    state.leave(meter)
    #expect(state.whole.completed == 40 && state.whole.total == nil)
  }

  @Test func `a rate is unknown in a transfer's first second, and then one of all that has come`() {
    var state = ProgressState(count: 2)
    let start = ContinuousClock.now
    state.advance(to: start)
    let meter = TransferMeter(name: "a")
    meter.begin(expecting: 1_000_000)
    // A burst that the kernel had received, a moment before the picture is drawn.
    state.begin(meter, at: start + .milliseconds(499))
    meter.advance(by: 100_000)
    state.advance(to: start + .milliseconds(500))
    #expect(state.rows.first?.progress.rate == nil && state.whole.rate == nil)
    meter.advance(by: 100_000)
    state.advance(to: start + .milliseconds(1_499))
    #expect(state.rows.first?.progress.rate == 200_000)
    #expect(state.rows.first?.progress.timeLeft == .seconds(4))
    state.advance(to: start + .milliseconds(1_999))
    #expect(state.rows.first?.progress.rate == 100_000)
  }

  @Test(arguments: 1...120) func `no number is cut, however narrow the terminal is`(width: Int) {
    var state = ProgressState(count: 140, done: 100, bytes: 123_456_789)
    let start = ContinuousClock.now
    let meter = TransferMeter(name: "atlas-of-the-birds-of-the-north.zip")
    meter.begin(expecting: 999_900_000)
    state.begin(meter, at: start)
    state.advance(to: start)
    meter.advance(by: 123_400_000)
    state.advance(to: start + .seconds(2))
    let lines = ProgressText.bars(state, width: width, height: 24)
    #expect(lines.allSatisfy { $0.count < max(width, 1) || $0.isEmpty }, "\(lines)")
    let numbers = Set(["123.4", "999.9", "61.7", "15", "100", "140", "246.9"])
    // Below the width of the counts themselves there is nothing to keep.
    guard width > 14 else { return }
    for line in lines {
      for number in line.matches(of: /[0-9]+(\.[0-9]+)?/) {
        #expect(numbers.contains(String(number.output.0)), "\(line)")
      }
      #expect(!line.hasSuffix(","), "\(line)")
    }
    #expect(lines.last?.hasPrefix("100 of 140") == true)
  }

  @Test(arguments: [
    ("http://h.test/a/atlas.zip?token=secret", Destination.standardOutput, "atlas.zip"),
    ("http://h.test/", .standardOutput, "h.test"), ("http://h.test/a", .file("/tmp/birds.zip"), "birds.zip"),
    ("http://h.test/a/b.bin", .directory("/tmp"), "b.bin"),
  ])
  func `progress names the file`(url: String, destination: Destination, name: String) throws {
    #expect(Fetch(index: 0, url: url, request: try Request(.get, url), destination: destination).name == name)
  }
}
