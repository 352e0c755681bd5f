import CurlewBatch
import CurlewBatchTesting
import CurlewTestSupport
import Testing

@Suite struct BatchStoreConformanceTests {
  @Test func `every rule has a name of its own, a sentence and a reason`() {
    let rules = BatchStoreConformance.rules
    #expect(Set(rules.map(\.id)).count == rules.count)
    #expect(rules.allSatisfy { $0.sentence.contains(" ") && $0.source == "BatchStore" && $0.reason.hasSuffix(".") })
  }

  @Test func `a failure says what was expected and why, and an excluded rule is not checked`() async throws {
    let rule = BatchStoreRule("nothing-added", "a store is never empty", because: "It has work.") { kit in
      try kit.expect(!(try await kit.store.summary().isComplete), "it is empty")
    }
    let clock = ManualClock()
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await BatchStoreConformance.check(rule, on: MemoryBatchStore(clock: clock)) { clock.advance(by: $0) }
    }
    #expect(
      failure?.description
        == "nothing-added: it is empty\n  expected: a store is never empty (BatchStore)\n  because: It has work.")
    let outcome = try await BatchStoreConformance.check(
      rule, on: MemoryBatchStore(clock: clock), excluding: ["nothing-added": "it is a test"]
    ) { clock.advance(by: $0) }
    #expect(outcome == .skipped("excluded: it is a test"))
  }
}
