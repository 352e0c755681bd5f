import CurlewCore
import CurlewRequests
import CurlewTestSupport
import Testing

@testable import CurlewBatch

/// Any order of calls over random graphs, against what every observer may rely on.
struct BatchMachinePropertyTests {
  @Test func `each item has exactly one outcome, and the batch completes once and last`() throws {
    for seed in UInt64(1)...10_000 {
      var run = RandomBatch(seed: seed)
      try run.play()
      try run.drain()
    }
  }
}

private struct RandomBatch {
  let seed: UInt64
  var random: SeededRandom
  var machine: BatchMachine
  var now = ContinuousClock.Instant.now
  let items: [BatchItem]
  var leases: [BatchLease] = []
  var results: [String: BatchResult] = [:]
  var completions = 0

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 0...12, using: &random)
    items = (0..<count).map { index in
      let dependencies = (0..<index).filter { _ in Int.random(in: 0...3, using: &random) == 0 }
      return BatchItem(
        "\(index)", job: ComponentName("job"), dependencies: dependencies.map { "\($0)" },
        host: [nil, "a", "b"].randomElement(using: &random) ?? nil,
        priority: RequestPriority(rawValue: Int8.random(in: -1...1, using: &random)),
        expectedBytes: Bool.random(using: &random) ? Int64.random(in: 0...9, using: &random) : nil)
    }
    machine = BatchMachine(
      BatchRules(
        limit: Int.random(in: 1...4, using: &random), perHost: Int.random(in: 1...2, using: &random),
        ageLimit: .seconds(Int.random(in: 0...5, using: &random)),
        stopsOnFailure: Int.random(in: 0...3, using: &random) == 0))
    self.random = random
  }

  mutating func play() throws {
    #expect(try machine.add(items.shuffled(using: &random), at: now) == items.count, "seed \(seed)")
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      try step()
      try check()
    }
  }

  /// Lets everything end.
  mutating func drain() throws {
    _ = try machine.apply(.resume, at: now)
    for item in items { _ = try machine.apply(.resumeItem(item.name), at: now) }
    try check()
    var rounds = 0
    while !machine.isComplete, rounds < 1_000 {
      rounds += 1
      now = now.advanced(by: .seconds(1))
      try lease()
      if let lease = leases.randomElement(using: &random) { try finish(lease) }
      try check()
    }
    #expect(machine.isComplete, "seed \(seed)")
    #expect(completions == 1, "seed \(seed)")
    #expect(results.count == items.count, "seed \(seed)")
    let summary = machine.summary(at: now)
    #expect(summary.ended == items.count && summary.progress.fraction == 1, "seed \(seed)")
    #expect(
      summary.progress.partialBytes == 0 && summary.progress.endedBytes == summary.progress.sizedBytes, "seed \(seed)")
  }

  private mutating func step() throws {
    let name = items.randomElement(using: &random)?.name ?? ""
    let lease = leases.randomElement(using: &random)
    switch Int.random(in: 0...15, using: &random) {
    case 0...3: try self.lease()
    case 4...6: if let lease { try finish(lease) }
    case 7: if let lease { try release(lease) }
    case 8: if let lease { renew(lease) }
    case 9: now = now.advanced(by: .seconds(Int.random(in: 0...4, using: &random)))
    case 10: _ = try machine.apply(Bool.random(using: &random) ? .pause : .resume, at: now)
    case 11: if !items.isEmpty { _ = try machine.apply(.pauseItem(name), at: now) }
    case 12: if !items.isEmpty { _ = try machine.apply(.resumeItem(name), at: now) }
    case 13: if !items.isEmpty { _ = try machine.apply(.cancelItem(name), at: now) }
    case 14: if !items.isEmpty { _ = try machine.apply(.prioritize(name, .high), at: now) }
    default: if Int.random(in: 0...9, using: &random) == 0 { _ = try machine.apply(.cancel, at: now) }
    }
  }

  private mutating func lease() throws {
    let new = machine.lease(Int.random(in: 1...3, using: &random), for: .seconds(3), at: now).leases
    for lease in new {
      #expect(results[lease.item.name] == nil, "seed \(seed): \(lease.item.name) began after its end")
      for dependency in lease.item.dependencies {
        #expect(results[dependency]?.isSuccess == true, "seed \(seed): \(lease.item.name) began before \(dependency)")
      }
    }
    leases += new
    #expect(machine.count(.leased) <= machine.rules.limit, "seed \(seed)")
    for (host, running) in machine.running.enumerated() where host > 0 {
      #expect(running <= machine.rules.perHost ?? .max, "seed \(seed)")
    }
  }

  private mutating func finish(_ lease: BatchLease) throws {
    let result: BatchResult =
      switch Int.random(in: 0...3, using: &random) {
      case 0: .failed(BatchFailure(kind: "x", message: "y"))
      case 1: .cancelled
      default: .succeeded(BatchProduct(bytes: Bool.random(using: &random) ? 5 : nil))
      }
    leases.removeAll { $0.id == lease.id }
    do { try machine.finish(lease.id, with: result, at: now) } catch {
      #expect(error.kind == .leaseLost, "seed \(seed)")
    }
  }

  private mutating func release(_ lease: BatchLease) throws {
    leases.removeAll { $0.id == lease.id }
    let reason = Bool.random(using: &random) ? BatchRelease.unfinished : .retry(after: .seconds(2))
    do { try machine.release(lease.id, reason, at: now) } catch { #expect(error.kind == .leaseLost, "seed \(seed)") }
  }

  private mutating func renew(_ lease: BatchLease) {
    let renewal = BatchRenewal(lease.id, completed: Int64.random(in: 0...12, using: &random), total: 10)
    if machine.renew([renewal], for: .seconds(3), at: now) == [.abandon] { leases.removeAll { $0.id == lease.id } }
  }

  /// What holds at every instant.
  private mutating func check() throws {
    let summary = machine.summary(at: now)
    #expect(summary.total == items.count && summary.progress.items == items.count, "seed \(seed)")
    var found: [String: BatchResult] = [:]
    for outcome in machine.outcomes(after: 0, limit: .max) {
      #expect(
        found.updateValue(outcome.result, forKey: outcome.name) == nil, "seed \(seed): \(outcome.name) ended twice")
    }
    for (name, result) in results { #expect(found[name] == result, "seed \(seed): the result of \(name) changed") }
    if found.count == items.count, results.count < items.count || items.isEmpty && completions == 0 { completions += 1 }
    results = found
    #expect(summary.isComplete == (found.count == items.count), "seed \(seed)")
    #expect(summary.running == machine.records.count { $0.state == .leased }, "seed \(seed)")
    #expect((0...1).contains(summary.progress.fraction), "seed \(seed)")
  }
}
