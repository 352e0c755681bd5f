import CurlewCore
import CurlewRequests
import Testing

@testable import CurlewBatch

struct BatchMachineTests {
  private let start = ContinuousClock.Instant.now

  private func item(_ name: String, _ priority: RequestPriority = .normal, host: String? = nil) -> BatchItem {
    BatchItem(name, job: ComponentName("job"), host: host, priority: priority)
  }

  @Test(arguments: [1, 3, 50])
  func `under a constant flood of high priorities a low one begins within twice its age limit`(backlog: Int) throws {
    var machine = BatchMachine(BatchRules(limit: 1, ageLimit: .seconds(10)))
    // The backlog is as old as the low item, and every item that ends is replaced: high ones are always ready.
    _ = try machine.add((0..<backlog).map { item("first \($0)", .high) } + [item("low", .low)], at: start)
    for second in 0..<40 {
      let now = start.advanced(by: .seconds(second))
      let lease = try #require(machine.lease(1, for: .seconds(100), at: now).leases.first)
      if lease.item.name == "low" {
        #expect(second >= 10 && second <= 20)
        return
      }
      try machine.finish(lease.id, with: .cancelled, at: now)
      _ = try machine.add([item("high \(second)", .high)], at: now)
    }
    Issue.record("the low one did not begin")
  }

  @Test func `many that have waited too long leave every second lease to the high ones`() throws {
    var machine = BatchMachine(BatchRules(limit: 1_000, ageLimit: .seconds(10)))
    _ = try machine.add((0..<50).map { item("low \($0)", .low) }, at: start)
    let now = start.advanced(by: .seconds(20))
    _ = try machine.add((0..<10).map { item("high \($0)", .high) }, at: now)
    let names = machine.lease(20, for: .seconds(1), at: now).leases.map(\.item.name)
    #expect(names.filter { $0.hasPrefix("high") } == (0..<10).map { "high \($0)" })
    #expect(names.filter { $0.hasPrefix("low") } == (0..<10).map { "low \($0)" })
  }

  @Test func `a full host keeps neither others nor its own lower priorities in order from beginning`() throws {
    var machine = BatchMachine(BatchRules(limit: 1_000, perHost: 1))
    _ = try machine.add(
      [item("a low", .low, host: "a"), item("a high", .high, host: "a"), item("b", .low, host: "b"), item("none")],
      at: start)
    let leases = machine.lease(10, for: .seconds(1), at: start).leases
    #expect(leases.map(\.item.name) == ["a high", "none", "b"])
    try machine.finish(leases[0].id, with: .cancelled, at: start)
    #expect(machine.lease(10, for: .seconds(1), at: start).leases.map(\.item.name) == ["a low"])
  }

  @Test func `durations and sizes beyond all measure do not trap`() throws {
    var machine = BatchMachine(BatchRules(limit: .max, ageLimit: .seconds(Int64.max)))
    let huge = (0..<4).map { BatchItem("\($0)", job: ComponentName("job"), expectedBytes: .max) }
    _ = try machine.add(huge, at: start)
    let leases = machine.lease(.max, for: .seconds(Int64.max), at: start).leases
    _ = machine.renew(
      leases.map { BatchRenewal($0.id, completed: .max, total: .max) }, for: .seconds(Int64.min), at: start)
    let again = machine.lease(4, for: .seconds(100), at: start).leases
    try machine.release(again[0].id, .retry(after: .seconds(Int64.max)), at: start)
    try machine.finish(again[1].id, with: .succeeded(BatchProduct(bytes: .max)), at: start)
    #expect((0...1).contains(machine.summary(at: start).progress.fraction))
    #expect(machine.outcomes(after: .min, limit: .max).count == 1)
    #expect(machine.outcomes(after: .max, limit: .min).isEmpty)
    _ = machine.lease(.min, for: .zero, at: start)
  }
}
