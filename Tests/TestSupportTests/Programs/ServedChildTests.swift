import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServedChildTests {
  private struct Failure: Error {}

  /// What runs, and what has ended.
  private final class Tally: Sendable {
    private let state = Guarded((running: 0, ended: 0))
    /// How many have asked to run.
    let arrivals = Watched(0)

    /// Returns how many others run.
    func begin() -> Int {
      state.withLock { state in
        state.running += 1
        return state.running - 1
      }
    }

    func end() {
      state.withLock { state in
        state.running -= 1
        state.ended += 1
      }
    }

    var ended: Int { state.withLock { $0.ended } }
  }

  @Test func `served children run one at a time, and each has its turn, also after an error`() async {
    let tally = Tally()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try? await Self.run(number, tally) }
      }
    }
    #expect(tally.ended == 20)
  }

  private static func run(_ number: Int, _ tally: Tally) async throws {
    tally.arrivals.update { $0 += 1 }
    try await ServedChild.alone {
      #expect(tally.begin() == 0)
      // All of them have come before the first leaves.
      try await tally.arrivals.wait { $0 == 20 }
      tally.end()
      if number.isMultiple(of: 2) { throw Failure() }
    }
  }
}
