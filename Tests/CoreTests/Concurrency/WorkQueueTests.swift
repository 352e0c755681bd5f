import Testing

@testable import CurlewCore

@Suite struct WorkQueueTests {
  /// Counts on from 1 and tells each number, as the state machines of this package do.
  private final class Counter: Sendable {
    private struct State {
      var count = 0
      var work = WorkQueue<Int>()
      var isTelling = false
    }

    private let state = Guarded(State())
    let told = Guarded<[Int]>([])
    let overlaps = Guarded(0)

    var isAtRest: Bool { state.withLock { $0.work.isAtRest } }

    func count(times: Int = 1, within: (@Sendable (Counter) -> Void)? = nil) {
      let drains = state.withLock { state in
        for _ in 0..<times {
          state.count += 1
          state.work.add(state.count)
        }
        return state.work.begin()
      }
      guard drains else { return }
      while let number = state.withLock({ $0.work.next() }) {
        let isAlone = state.withLock { state in
          defer { state.isTelling = true }
          return !state.isTelling
        }
        if !isAlone { overlaps.withLock { $0 += 1 } }
        told.withLock { $0.append(number) }
        state.withLock { $0.isTelling = false }
        if number == 1 { within?(self) }
      }
    }
  }

  @Test func `work is done in order, and work that is added within it comes after what is waiting`() {
    let counter = Counter()
    counter.count(times: 3) { counter in
      #expect(!counter.isAtRest)
      counter.count(times: 2)
      #expect(counter.told.withLock { $0 } == [1])
    }
    #expect(counter.told.withLock { $0 } == [1, 2, 3, 4, 5] && counter.isAtRest)
  }

  @Test func `a queue that was drained can be drained again`() {
    let counter = Counter()
    for _ in 0..<3 { counter.count() }
    #expect(counter.told.withLock { $0 } == [1, 2, 3] && counter.isAtRest)
  }

  @Test func `several threads lose no work, change no order and never do it at once`() async {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<500 { counter.count() } } }
    }
    #expect(counter.told.withLock { $0 } == Array(1...4_000) && counter.overlaps.withLock { $0 } == 0)
    #expect(counter.isAtRest)
  }
}
