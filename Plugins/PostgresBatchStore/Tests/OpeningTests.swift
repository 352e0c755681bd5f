#if Postgres
import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  @Suite struct OpeningTests {
    private func error(_ body: () async throws -> Void) async -> BatchError? {
      do {
        try await body()
        return nil
      } catch {
        return error as? BatchError
      }
    }

    /// Carries out calls with one statement.
    private func run<Call: StoreCall>(
      _ calls: [(call: Call, isRepeated: Bool)], over connection: StoreConnection
    ) throws -> [Call.Output] {
      Call.answers(to: calls.map(\.call), in: try connection.run([Call.statement(for: calls)], settles: true)[0])
    }

    @Test func `workers share a store, and what one does the others see`() async throws {
      let place = try StorePlace()
      async let opening = place.store()
      async let alsoOpening = place.store()
      let (first, second) = (try await opening, try await alsoOpening)
      try await first.add([.sample("a", host: "h"), .sample("b", host: "h"), .sample("c", host: "h")])
      try await second.apply(.setRules(BatchRules(limit: 8, perHost: 2)))
      let lease = try #require(try await first.lease(1, for: .seconds(60)).leases.first)
      #expect(try await second.lease(8, for: .seconds(60)).leases.map(\.id.name) == ["b"])
      #expect(try await first.lease(8, for: .seconds(60)).leases == [])
      try await second.apply(.pause)
      #expect(try await first.renew([BatchRenewal(lease.id)], for: .seconds(60)) == [.pause])
      await first.close()
      #expect(await error { _ = try await first.summary() }?.kind == .storeFailed)
      // A lease outlives the connection and the process of its worker.
      #expect(try await second.summary().running == 2)
      try await second.finish(lease.id, with: .cancelled)
      await second.close()
    }

    @Test func `a dump of a store shows neither the user nor the password of its address`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      let address = try PostgresAddress("postgres://curlew-user:s3cr3t@db.example.com/birds?sslpassword=al5o")
      for value in [store, address] as [Any] {
        var text = ""
        dump(value, to: &text)
        text += String(describing: value) + String(reflecting: value)
        #expect(!["curlew-user", "s3cr3t", "al5o", place.address].contains { text.contains($0) }, "\(text)")
      }
      await store.close()
    }

    @Test func `one of many workers that start at once creates the store`() async throws {
      let place = try StorePlace()
      let stores = try await withThrowingTaskGroup(of: PostgresBatchStore.self) { group in
        for _ in 0..<8 { group.addTask { try await place.store() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for store in stores { try await store.add([.sample("a")]) }
      for store in stores {
        #expect(try await store.summary().total == 1)
        await store.close()
      }
    }

    @Test func `an answer that libpq gives again and again ends the connection`() throws {
      let place = try StorePlace()
      for copy in ["COPY (SELECT 1) TO STDOUT", "CREATE TEMPORARY TABLE a (b int); COPY a FROM STDIN"] {
        let connection = try place.connection()
        let error = #expect(throws: PostgresError.self) { try connection.execute(copy) }
        #expect(error?.isConnectionLost == true)
      }
    }

    @Test func `a cut connection is made again, and the call is carried out`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add([.sample("a"), .sample("b")])
      for _ in 0..<3 {
        let other = try place.connection()
        try other.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%'",
          [.text("settle")])
        #expect(try await store.summary().total == 2)
      }
      await store.close()
    }

    @Test func `a call that is repeated because its answer was lost has the same result`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add([.sample("a"), .sample("b"), .sample("c")])
      let connection = try StoreConnection(PostgresAddress(place.address), schema: place.schema, access: .writing)
      let call = LeaseCall(count: 2, duration: .seconds(60))
      let leases = try run([(call, false)], over: connection)[0].leases
      #expect(leases.map(\.id.name) == ["a", "b"])
      #expect(try run([(call, true)], over: connection)[0].leases == leases)
      let finish = try FinishCall(leases[0].id, .cancelled)
      for (isRepeated, isDone) in [(false, true), (true, true), (false, false)] {
        #expect(try run([(finish, isRepeated)], over: connection) == [isDone])
      }
      let other = try FinishCall(leases[0].id, .succeeded(BatchProduct()))
      #expect(try run([(other, true)], over: connection) == [false])
      await store.close()
    }

    @Test func `items that are leased together are those that one lease after the other would take`() async throws {
      func item(_ name: String, _ host: String?, _ priority: RequestPriority) -> BatchItem {
        BatchItem(name, job: ComponentName("sample"), host: host, priority: priority)
      }
      // The host of the first two has one place, so the second is passed over, and the item of the host d comes before c2.
      let items = [
        item("a1", "a", .high), item("a2", "a", .normal), item("c1", nil, .low), item("d1", "d", .low),
        item("c2", nil, .low),
      ]
      for width in 1...5 {
        let place = try StorePlace()
        let store = try await place.store()
        try await store.apply(.setRules(BatchRules(limit: 8, perHost: 1)))
        try await store.add(items)
        var names: [String] = []
        while true {
          let leases = try await store.lease(width, for: .seconds(60)).leases
          guard !leases.isEmpty else { break }
          names += leases.map(\.id.name)
        }
        #expect(names == ["a1", "c1", "d1", "c2"], "\(width) at once")
        await store.close()
      }
    }

    @Test func `results that are stored together count as if they had come one after the other`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add(
        (0..<6).map { .sample("\($0)") } + [
          .sample("after 0 and 1", after: ["0", "1"]), .sample("after 3", after: ["3"]),
          .sample("after 4", after: ["4"]),
        ])
      let leases = try await store.lease(6, for: .seconds(60)).leases.map(\.id)
      let results: [BatchResult] = [
        .succeeded(BatchProduct(output: Data("o".utf8), bytes: 7)), .succeeded(BatchProduct()),
        .failed(BatchFailure(kind: "k", message: "m")), .succeeded(BatchProduct()), .cancelled,
      ]
      let connection = try StoreConnection(PostgresAddress(place.address), schema: place.schema, access: .writing)
      let lost = BatchLease.ID(name: leases[5].name, token: leases[5].token + 1_000)
      let calls = try zip(leases, results).map { (try FinishCall($0, $1), false) }
      let answers = try run([(FinishCall(lost, .succeeded(BatchProduct())), false)] + calls, over: connection)
      #expect(answers == [false, true, true, true, true, true])
      let outcomes = try await store.outcomes(after: 0, limit: 10)
      #expect(outcomes.map(\.name) == ["0", "1", "3", "2", "4", "after 4"])
      #expect(outcomes.map(\.position) == [1, 2, 3, 4, 5, 6])
      #expect(outcomes.first?.result == results[0] && outcomes[3].result == results[2])
      let summary = try await store.summary()
      #expect(summary.succeeded == 3 && summary.failed == 1 && summary.cancelled == 1 && summary.skipped == 1)
      #expect(summary.ready == 2 && summary.running == 1 && summary.blocked == 0)
      await store.close()
    }

    @Test func `statements that are sent together are one transaction, and one that fails undoes it`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      let connection = try StoreConnection(PostgresAddress(place.address), schema: place.schema, access: .writing)
      let pause = BatchCommand.pause.statement
      for statements in [[pause, Statement("SELECT 1 / 0"), pause], [pause, pause, Statement("SELECT 1 / 0")]] {
        let error = #expect(throws: PostgresError.self) { try connection.run(statements, settles: true) }
        #expect(error?.state == "22012")
        #expect(try await !store.summary().isPaused)
      }
      let id = Statement("SELECT txid_current()")
      let answers = try connection.run([id, pause, id], settles: true)
      #expect(answers.count == 3 && answers[0].integer(0, 0) == answers[2].integer(0, 0))
      #expect(answers[1].integer(0, 0) == 1)
      #expect(try await store.summary().isPaused)
      // What was carried out but may not be durable has no answer: it is lost, not refused.
      let other = try place.connection()
      let error = #expect(throws: PostgresError.self) {
        try other.run([[Statement("SELECT 1")], [Statement("SELECT 1 / 0")]])
      }
      #expect(error?.isConnectionLost == true)
      await store.close()
    }

    @Test func `results and renewals that wait share a statement, unless they are of one item`() throws {
      let clock = SystemClock()
      func pending<Call: StoreCall>(_ call: Call) -> any PendingCall {
        Pending(
          call: call, isRepeated: false, isChange: true, limit: CallLimit(.seconds(1), clock), answer: Answer())
      }
      func finish(_ name: String) throws -> any PendingCall {
        pending(try FinishCall(BatchLease.ID(name: name, token: 1), .cancelled))
      }
      func renewal(_ names: String..., seconds: Int = 1) throws -> any PendingCall {
        let renewals = names.map { BatchRenewal(BatchLease.ID(name: $0, token: 1)) }
        return pending(try RenewCall(renewals, duration: .seconds(seconds)))
      }
      var calls = [
        try finish("a"), try renewal("a", "b"), try finish("b"), pending(LeaseCall(count: 1, duration: .seconds(1))),
        try finish("a"), try renewal("c"), try renewal("d", "b"), try renewal("e", seconds: 2),
        pending(LeaseCall(count: 1, duration: .seconds(1))),
      ]
      var counts: [Int] = []
      while let first = calls.first {
        let before = calls.count
        _ = first.statement(takingFrom: &calls)
        counts.append(before - calls.count)
      }
      #expect(counts == [2, 2, 1, 1, 1, 1, 1])
    }

    @Test func `a call that the server refuses does not refuse those that came with it`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.apply(.setRules(BatchRules(limit: 40)))
      try await store.add((0..<40).map { .sample("\($0)") })
      let leases = try await store.lease(40, for: .seconds(60)).leases.map(\.id)
      let failures = await withTaskGroup(of: Bool.self) { group in
        for lease in leases {
          group.addTask {
            await self.error { try await store.finish(lease, with: .succeeded(BatchProduct())) } == nil
          }
          // PostgreSQL takes no NUL in a text.
          let bad = BatchLease.ID(name: "bad\0\(lease.name)", token: 1)
          group.addTask { await self.error { _ = try await store.renew([BatchRenewal(bad)], for: .seconds(1)) } != nil }
          group.addTask {
            await self.error { _ = try await store.renew([BatchRenewal(lease)], for: .seconds(1)) } == nil
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
      }
      #expect(failures == 0)
      #expect(try await store.summary().succeeded == 40)
      await store.close()
    }

    @Test func `an item whose row an operator has locked is passed over`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add([.sample("a"), .sample("b"), .sample("c", host: "h")])
      let operation = try place.connection()
      try operation.execute("BEGIN; SELECT FROM \"\(place.schema)\".item WHERE name IN ('a', 'c') FOR UPDATE")
      #expect(try await store.lease(8, for: .seconds(60)).leases.map(\.id.name) == ["b"])
      try operation.execute("COMMIT")
      #expect(try await store.lease(8, for: .seconds(60)).leases.map(\.id.name) == ["a", "c"])
      await store.close()
    }

    @Test func `no error shows the password`() async throws {
      let port = try #require(StorePlace.address?.split(separator: ":").last?.split(separator: "/").first)
      let addresses = [
        "postgres://me:hidden-word@127.0.0.1:1/birds": BatchError.Kind.storeFailed,
        "postgres://me:hidden-word@127.0.0.1:\(port)/birds": .storeFailed,
        "postgres://me:hidden-word@[::1/birds": .storeUnreadable,
        "postgres://me:hidden-word@h/birds?nonsense=hidden-word": .storeUnreadable,
        "postgres://me:hidden%ZZword@h/birds": .storeUnreadable,
        "host=127.0.0.1 port=1 password='hidden-word": .storeUnreadable,
        "hidden-word\0": .storeUnreadable,
      ]
      for (address, kind) in addresses {
        let found = await error { _ = try await PostgresBatchStore(address) }
        #expect(found?.kind == kind, "\(String(describing: found))")
        let text = "\(found.map { "\($0) \(String(reflecting: $0)) \(String(describing: $0.underlying))" } ?? "")"
        #expect(!text.contains("hidden"), "\(text)")
      }
    }

    @Test func `what is no store, or one of another version, is refused and left as it is`() async throws {
      let place = try StorePlace()
      #expect(await error { _ = try await place.store(.reading) }?.kind == .storeUnreadable)
      #expect(await error { _ = try await PostgresBatchStore(place.address, schema: "") }?.kind == .storeUnreadable)
      let other = try place.connection()
      try other.execute("CREATE SCHEMA \"\(place.schema)\"; CREATE TABLE \"\(place.schema)\".batch(birds text)")
      #expect(await error { _ = try await place.store() }?.kind == .storeUnreadable)
      try other.execute("DROP SCHEMA \"\(place.schema)\" CASCADE")
      await (try await place.store()).close()
      try other.execute("UPDATE \"\(place.schema)\".batch SET version = 4")
      #expect(await error { _ = try await place.store() }?.kind == .storeUnreadable)
      #expect(await error { _ = try await place.store(.reading) }?.kind == .storeUnreadable)
    }

    @Test func `a store that is opened for reading changes nothing`() async throws {
      let place = try StorePlace()
      let store = try await place.store()
      try await store.add([.sample("a"), .sample("b")])
      let lease = try #require(try await store.lease(1, for: .seconds(60)).leases.first)
      try await store.finish(lease.id, with: .failed(BatchFailure(kind: "k\0", message: "a NUL \0 and 鳥")))
      let reader = try await place.store(.reading)
      #expect(try await reader.summary() == store.summary())
      #expect(try await reader.outcomes(after: 0, limit: 9) == store.outcomes(after: 0, limit: 9))
      #expect(
        try await reader.outcomes(after: 0, limit: 9).map(\.result)
          == [.failed(BatchFailure(kind: "k\0", message: "a NUL \0 and 鳥"))])
      #expect(await error { try await reader.add([.sample("c")]) }?.kind == .storeReadOnly)
      #expect(await error { _ = try await reader.lease(1, for: .seconds(1)) }?.kind == .storeReadOnly)
      #expect(await error { try await reader.apply(.pause) }?.kind == .storeReadOnly)
      await reader.close()
      await store.close()
    }

    @Test func `a schema may have any name, and absurd sizes are bounded`() async throws {
      let place = try StorePlace()
      let schema = "\(place.schema) \"; DROP SCHEMA public; -- ü".prefix(60)
      let store = try await PostgresBatchStore(place.address, schema: String(schema))
      try await store.add(
        (0..<3).map { BatchItem("\($0)", job: ComponentName("sample"), expectedBytes: .max) })
      #expect(try await store.lease(1, for: .seconds(Int64.max)).leases.first?.item.expectedBytes == .max)
      #expect(try await store.summary().progress.sizedBytes == 3 << 50)
      await store.close()
      try place.connection().execute("DROP SCHEMA \"\(schema.replacing("\"", with: "\"\""))\" CASCADE")
    }
  }
}
#endif
