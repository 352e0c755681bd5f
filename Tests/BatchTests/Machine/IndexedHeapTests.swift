import CurlewTestSupport
import Testing

@testable import CurlewBatch

struct IndexedHeapTests {
  @Test func `the least key is first after any order of additions, changes and removals`() {
    for seed in UInt64(1)...200 {
      var random = SeededRandom(seed: seed)
      var heap = IndexedHeap<Int>()
      var model: [Int: Int] = [:]
      for _ in 1...100 {
        let id = Int.random(in: 0...20, using: &random)
        if Bool.random(using: &random) {
          let key = Int.random(in: 0...9, using: &random)
          heap.set(id, key)
          model[id] = key
        } else {
          heap.remove(id)
          model[id] = nil
        }
        #expect(heap.count == model.count)
        #expect(heap.first?.key == model.values.min())
        if let first = heap.first { #expect(model[first.id] == first.key) }
        #expect(heap.contains(id) == (model[id] != nil))
      }
      var keys: [Int] = []
      while let first = heap.first {
        keys.append(first.key)
        heap.remove(first.id)
      }
      #expect(keys == model.values.sorted())
      #expect(heap.isEmpty)
    }
  }
}
