import ArgumentParser
import CurlewBatch
import CurlewCore
import CurlewRequests

/// Measures the scheduler: the batch store in memory, with items that depend on each other at random.
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Leases and finishes the items of a random graph.",
    discussion: """
      Each item depends on up to three earlier ones, and has one of three priorities and one of seven hosts. Under a counter of \
      instructions, a run with --adds-only has what is not a decision.

      EXAMPLES
        curlew-bench schedule 100000
        curlew-bench schedule 100000 --adds-only
      """)

  @Argument(help: "How many items.") var count: Int
  @Flag(help: "Add the items and decide nothing.") var addsOnly = false

  func run() async throws {
    var random = SmallRandom(state: 20)
    let store = MemoryBatchStore(BatchRules(limit: 64, perHost: 16))
    let before = try residentBytes()
    for start in stride(from: 0, to: count, by: 1_000) {
      try await store.add((start..<min(count, start + 1_000)).map { item($0, &random) })
    }
    let each = (try residentBytes() - before) / count
    guard !addsOnly else { return print("added n=\(count) bytes_each=\(each)") }
    let begin = Usage.current
    var running: [BatchLease.ID] = []
    var decisions = 0
    while true {
      let answer = try await store.lease(16, for: .seconds(3_600))
      running += answer.leases.map(\.id)
      guard !running.isEmpty else { break }
      let place = Int.random(in: 0..<running.count, using: &random)
      running.swapAt(place, running.count - 1)
      try await store.finish(running.removeLast(), with: .succeeded(BatchProduct()))
      decisions += 1
    }
    guard try await store.summary().succeeded == count else { throw ValidationError("Some items did not end.") }
    let used = Measurement(from: begin).processorSeconds
    print("scheduled n=\(count) bytes_each=\(each) cpu_us_per_item=\(decimal(used * 1e6 / Double(decisions), 2))")
  }

  private func item(_ number: Int, _ random: inout SmallRandom) -> BatchItem {
    let needs = number == 0 ? 0 : Int.random(in: 0...3, using: &random)
    let dependencies = Set((0..<needs).map { _ in Int.random(in: 0..<number, using: &random) }).sorted()
    let priority: RequestPriority = [.low, .normal, .high][Int.random(in: 0...2, using: &random)]
    return BatchItem.numbered(number, after: dependencies.map { BatchItem.numbered($0).name }, priority: priority)
  }
}

/// A generator whose numbers are the same in every run (splitmix64).
private struct SmallRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
