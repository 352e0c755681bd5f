#if Postgres
import CurlewBatch
import CurlewRequests
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  /// A server's clock that is set back, and calls that a server ends before they have had their turn.
  @Suite(.timeLimit(.minutes(10))) struct ClockTests {
    @Test func `a clock that is set back by an hour keeps neither a dead worker's lease nor a wait for longer`()
      async throws
    {
      let place = try StorePlace()
      let store = try await place.store()
      try place.holdClock()
      try await store.add([.sample("dead"), .sample("waits"), .sample("ready")])
      _ = try await store.lease(1, for: .seconds(30))
      let waiting = try #require(try await store.lease(1, for: .seconds(30)).leases.first)
      try await store.release(waiting.id, .retry(after: .seconds(40)))
      try place.advance(by: .seconds(10))
      let revision = try await store.summary().revision
      try await store.apply(.setRules(BatchRules(limit: 7)))
      try place.setBack(bySeconds: 3_600)
      // Who waits for a change learns of it, and asks.
      try await store.change(since: revision)
      #expect(try await store.summary().running == 1)
      #expect(try await store.lease(9, for: .seconds(300)).leases.map(\.id.name) == ["ready"])
      try place.advance(by: .seconds(31))
      #expect(try await store.lease(9, for: .seconds(300)).leases.map(\.id.name) == ["dead"])
      try place.advance(by: .seconds(10))
      #expect(try await store.lease(9, for: .seconds(300)).leases.map(\.id.name) == ["waits"])
      await store.close()
    }

    @Test func `only the call that waits notices that the clock was set back`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try place.holdClock()
      try await store.add([.sample("dead")])
      let revision = try await store.lease(1, for: .seconds(30)).revision
      try place.setBack(bySeconds: 3_600)
      try await store.change(since: revision)
      #expect(try await store.lease(9, for: .seconds(30)).leases.isEmpty)
      try place.advance(by: .seconds(31))
      #expect(try await store.lease(9, for: .seconds(30)).leases.map(\.id.name) == ["dead"])
      await store.close()
    }

    @Test func `a call that an operator ends while it waits for a lock is made again`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add([.sample("a")])
      let operation = try place.connection()
      try operation.execute("BEGIN; SELECT FROM \"\(place.schema)\".batch FOR UPDATE")
      let lease = Task { try await store.lease(1, for: .seconds(60)).leases.map(\.id.name) }
      let ending = """
        SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND application_name = 'curlew' AND query LIKE '%FROM lease(%'
        """
      let canceller = try place.connection()
      // Sleeps because the server says only when it is asked that a call waits.
      while try !canceller.run(ending).boolean(0, 0) { try await Task.sleep(for: .milliseconds(20)) }
      try operation.execute("COMMIT")
      #expect(try await lease.value == ["a"])
      await store.close()
    }

    @Test(arguments: [
      ("", true), ("08006", true), ("57P01", true), ("57014", true), ("55P03", true), ("40001", true), ("40P01", true),
      ("53300", true), ("53200", true), ("53100", false), ("42501", false), ("25006", false), ("22023", false),
    ])
    func `a store says which errors another attempt may not meet`(state: String, isTransient: Bool) throws {
      let address = try PostgresAddress("postgres://127.0.0.1/x")
      #expect(StoreError.error(PostgresError(state: state, message: "m"), address).isTransient == isTransient)
    }
  }
}
#endif
