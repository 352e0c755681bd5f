import CurlewCore
import CurlewTestSupport
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct ProgressMeterTests {
  let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }

  @Test func `it publishes at most ten times a second and keeps count between`() {
    var meter = ProgressMeter()
    var published = 0
    _ = meter.begin(at: 0, total: 10_000, now: at(0))
    for millisecond in 1...1_000 where meter.add(10, now: at(millisecond)) { published += 1 }
    #expect(published == 10)
    #expect(meter.current.completed == 10_000)
  }

  @Test func `bytes that come shortly after a publication are due when the interval is over`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: 0, total: 100, now: at(0))
    #expect(meter.due == nil)
    _ = meter.add(10, now: at(40))
    #expect(meter.due == at(100))
    let early = meter.catchUp(now: at(99))
    #expect(!early)
    let told = meter.catchUp(now: at(100))
    #expect(told)
    #expect(meter.shown.completed == 10 && meter.due == nil)
    _ = meter.add(10, now: at(110))
    meter.end(success: false, now: at(120))
    #expect(meter.due == nil)
    let late = meter.catchUp(now: at(300))
    #expect(!late)
  }

  @Test func `the total is published at once, and once`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: 0, total: 100, now: at(0))
    let early = meter.add(99, now: at(1))
    #expect(!early)
    let whole = meter.add(1, now: at(2))
    #expect(whole)
    #expect(meter.shown.completed == 100 && meter.shown.total == 100 && !meter.shown.isFinal)
    let again = meter.add(0, now: at(3))
    #expect(!again)
  }

  @Test func `a sent body is over when it is whole, and a response ends only one of unknown length`() {
    var meter = ProgressMeter()
    let part = meter.send(60, total: 100, now: at(0))
    let early = meter.respond(now: at(1))
    #expect(part && !early && !meter.isOver)
    let whole = meter.send(100, total: 100, now: at(2))
    #expect(
      whole && meter.isOver && meter.shown == .init(completed: 100, total: 100, rate: meter.shown.rate, isFinal: true))
    let again = meter.send(100, total: 100, now: at(300))
    let late = meter.respond(now: at(300))
    #expect(!again && !late)

    var unknown = ProgressMeter()
    _ = unknown.send(60, total: nil, now: at(0))
    let responded = unknown.respond(now: at(1))
    #expect(responded && unknown.shown == .init(completed: 60, total: 60, rate: unknown.shown.rate, isFinal: true))
  }

  @Test func `an attempt that starts anew is silent until it is past what was shown`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: 0, total: 100, now: at(0))
    let told1 = meter.add(80, now: at(200))
    #expect(told1)
    #expect(meter.shown.completed == 80)
    let told2 = meter.begin(at: 0, total: 100, now: at(400))
    #expect(!told2)
    let told3 = meter.add(50, now: at(600))
    #expect(!told3)
    #expect(meter.current.completed == 80)
    let told4 = meter.add(45, now: at(800))
    #expect(told4)
    #expect(meter.shown.completed == 95)
  }

  @Test func `completed is never above a total that shrank, and the end is whole`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: 0, total: 100, now: at(0))
    _ = meter.add(80, now: at(200))
    _ = meter.begin(at: 0, total: 50, now: at(400))
    _ = meter.add(50, now: at(600))
    #expect((meter.shown.total ?? 0) >= meter.shown.completed)
    meter.end(success: true, now: at(800))
    #expect(meter.shown.completed == meter.shown.total)
    #expect(meter.shown.isFinal)
  }

  @Test func `a resumed attempt counts from its offset`() {
    var meter = ProgressMeter()
    let told5 = meter.begin(at: 60, total: 100, now: at(0))
    #expect(told5)
    #expect(meter.shown == .init(completed: 60, total: 100, start: 60))
    _ = meter.add(40, now: at(100))
    #expect(meter.shown.completed == 100)
    // The offset was there before; only what came since makes the rate.
    #expect(meter.shown.rate == 400)
  }

  @Test func `the rate is smoothed`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: 0, total: nil, now: at(0))
    _ = meter.add(0, now: at(0))
    for step in 1...20 { _ = meter.add(1_000, now: at(step * 100)) }
    #expect(abs((meter.shown.rate ?? 0) - 10_000) < 1)
    _ = meter.add(100_000, now: at(2_100))
    let rate = meter.shown.rate ?? 0
    #expect(rate > 20_000 && rate < 1_000_000)
  }

  @Test func `nothing counts after the end, and counts do not overflow`() {
    var meter = ProgressMeter()
    _ = meter.begin(at: .max, total: .max, now: at(0))
    _ = meter.add(.max, now: at(200))
    #expect(meter.current.completed == .max)
    meter.end(success: false, now: at(300))
    let version = meter.version
    let told6 = meter.add(5, now: at(900))
    #expect(!told6)
    meter.end(success: true, now: at(1_000))
    #expect(meter.version == version)
    #expect(!meter.shown.isFinal)
  }
}
