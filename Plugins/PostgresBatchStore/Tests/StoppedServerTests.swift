#if Postgres
import CurlewBatch
import CurlewCore
import CurlewTestSupport
import Synchronization
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  /// A server whose processes are stopped: it takes connections and bytes, and answers nothing.
  ///
  /// The clock stands still, so that no call ends because of the time that a test takes.
  @Suite(.timeLimit(.minutes(10))) struct StoppedServerTests {
    /// Counts the calls that have ended.
    private final class Ended: Sendable {
      private let number = Mutex(0)
      var count: Int { number.withLock { $0 } }
      func add() { number.withLock { $0 += 1 } }
    }

    private let clock = ManualClock()

    private func store(_ place: StorePlace, patience: Duration) async throws -> PostgresBatchStore {
      try await PostgresBatchStore(place.address, schema: place.schema, patience: patience, clock: clock)
    }

    /// Lets the time pass in steps until a condition holds.
    ///
    /// Sleeps because nothing tells when a call was sent, which is when its time begins.
    private func passTime(by step: Duration, until isMet: () -> Bool) async throws {
      while true {
        try await Task.sleep(for: .milliseconds(50))
        // Before the next step, which would wake who sleeps.
        if isMet() { return }
        clock.advance(by: step)
      }
    }

    @Test func `cancelling ends a call that the server does not answer, and those behind it`() async throws {
      let place = try StorePlace()
      let store = try await store(place, patience: .seconds(60))
      try await store.add([.sample("a"), .sample("b")])
      try await ServerProgram.whileStopped {
        let ended = Ended()
        func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
          Task {
            defer { ended.add() }
            try await body()
          }
        }
        let calls = [
          start { _ = try await store.summary() },
          start { _ = try await store.lease(1, for: .seconds(60)) },
          start { _ = try await store.apply(.cancel) },
        ]
        // By now the first one was sent, and the others wait behind it.
        try await passTime(by: .zero) { true }
        #expect(ended.count == 0)
        for call in calls { call.cancel() }
        try await passTime(by: CallLimit.grace) { ended.count == calls.count }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
      }
      #expect(try await store.summary().total == 2)
      await store.close()
    }

    @Test func `a call that the server does not answer in time is repeated when it goes on, with the same result`()
      async throws
    {
      let place = try StorePlace()
      let store = try await store(place, patience: .seconds(1_000_000))
      try await store.add([.sample("a"), .sample("b")])
      let lease = try #require(try await store.lease(1, for: .seconds(600)).leases.first)
      let call = try await ServerProgram.whileStopped {
        let call = Task { try await store.finish(lease.id, with: .cancelled) }
        // A call that is given up sleeps before it is repeated.
        try await passTime(by: .seconds(61)) { clock.sleeperCount > 0 }
        return call
      }
      clock.advance(by: .seconds(1))
      try await call.value
      let summary = try await store.summary()
      #expect([summary.cancelled, summary.ready, summary.running] == [1, 1, 0])
      await store.close()
    }

    @Test func `a call fails when the server does not answer for as long as the store has patience`() async throws {
      let place = try StorePlace()
      let store = try await store(place, patience: .seconds(60))
      try await store.add([.sample("a")])
      try await ServerProgram.whileStopped {
        let ended = Ended()
        let call = Task {
          defer { ended.add() }
          return try await store.summary()
        }
        try await passTime(by: .seconds(61)) { ended.count == 1 }
        let error = await #expect(throws: BatchError.self) { try await call.value }
        #expect(error?.kind == .storeFailed && error?.description.contains("does not answer") == true)
      }
      #expect(try await store.summary().total == 1)
      await store.close()
    }
  }
}
#endif
