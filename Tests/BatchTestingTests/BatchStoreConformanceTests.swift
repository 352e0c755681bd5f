import CurlewBatchTesting
import Testing

struct BatchStoreConformanceTests {
  @Test func `every rule has a name of its own and a sentence`() {
    let rules = BatchStoreConformance.rules
    #expect(Set(rules.map(\.id)).count == rules.count)
    #expect(rules.allSatisfy { $0.sentence.contains(" ") })
  }
}
