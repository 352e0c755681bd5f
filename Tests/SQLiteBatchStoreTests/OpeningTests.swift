import CurlewBatch
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewSQLiteBatchStore

@Suite struct OpeningTests {
  private func kind(_ body: () async throws -> Void) async -> BatchError.Kind? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? BatchError)?.kind
    }
  }

  @Test func `a store that is opened again goes on where it stopped, and what ran is ready at once`() async throws {
    let place = try StorePlace()
    let first = try await place.store()
    try await first.add([.sample("a"), .sample("b"), .sample("c", after: ["a"]), .sample("d", bytes: 7)])
    try await first.apply(.setRules(BatchRules(limit: 2, perHost: nil, ageLimit: nil)))
    let leases = try await first.lease(5, for: .seconds(60)).leases
    #expect(leases.map(\.id.name) == ["a", "b"])
    let renewal = BatchRenewal(leases[1].id, completed: 3, total: 9, note: Data([1, 2]))
    #expect(try await first.renew([renewal], for: .seconds(60)) == [.proceed])
    try await first.finish(leases[0].id, with: .succeeded(BatchProduct(output: Data([5]), bytes: 11)))
    let before = try await first.summary()
    await first.close()

    let second = try await place.store()
    var after = try await second.summary()
    #expect(after.running == 0 && after.ready == before.ready + before.running)
    after.running = before.running
    after.ready = before.ready
    after.revision = before.revision
    #expect(after == before)
    #expect(
      try await second.outcomes(after: 0, limit: 9) == [
        BatchOutcome(position: 1, name: "a", result: .succeeded(BatchProduct(output: Data([5]), bytes: 11)))
      ])
    let again = try await second.lease(5, for: .seconds(60)).leases
    let resumed = try #require(again.first { $0.id.name == "b" })
    #expect(resumed.note == Data([1, 2]) && resumed.id.token > leases[1].id.token)
    #expect(await kind { try await second.finish(leases[1].id, with: .success()) } == .leaseLost)
    await second.close()
  }

  @Test func `an item that succeeded can be reopened, its results stay once, and positions only grow`() async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await store.add([.sample("a"), .sample("b", after: ["a"]), .sample("c", after: ["b"])])
    for _ in 0..<2 {
      let lease = try #require(try await store.lease(1, for: .seconds(60)).leases.first)
      try await store.finish(lease.id, with: .success(5))
    }
    #expect(try await store.apply(.reopenItem("b")))
    #expect(try await !store.apply(.reopenItem("b")))
    #expect(await kind { try await store.apply(.reopenItem("no such")) } == .unknownItem)
    await store.close()
    let again = try await place.store()
    #expect(try await again.outcomes(after: 0, limit: 9).map(\.name) == ["a"])
    let summary = try await again.summary()
    #expect(summary.ready == 1 && summary.blocked == 1 && summary.succeeded == 1)
    for name in ["b", "c"] {
      let lease = try #require(try await again.lease(1, for: .seconds(60)).leases.first)
      #expect(lease.id.name == name)
      try await again.finish(lease.id, with: .success(5))
    }
    #expect(try await again.outcomes(after: 0, limit: 9).map(\.position) == [1, 3, 4])
    #expect(try await again.summary().isComplete)
    await again.close()
  }

  @Test func `a store belongs to one process at a time, and others may look at it`() async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await store.add([.sample("a")])
    #expect(await kind { _ = try await place.store() } == .storeInUse)
    let reader = try await place.store(.reading)
    #expect(try await reader.summary().ready == 1)
    try await store.add([.sample("b")])
    let lease = try #require(try await store.lease(1, for: .seconds(60)).leases.first)
    try await store.finish(lease.id, with: .failure)
    #expect(try await reader.summary().failed == 1)
    #expect(try await reader.outcomes(after: 0, limit: 5).map(\.name) == ["a"])
    #expect(await kind { try await reader.add([.sample("c")]) } == .storeReadOnly)
    #expect(await kind { _ = try await reader.lease(1, for: .seconds(1)) } == .storeReadOnly)
    await store.close()
    await reader.close()
    #expect(await kind { _ = try await store.summary() } == .storeFailed)
    let next = try await place.store()
    #expect(try await next.summary().total == 2)
    await next.close()
  }

  @Test func `a store that is open has no second writer under another name or without its lock file`() async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await store.add([.sample("a")])
    let link = place.directory + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "batch")
    #expect(await kind { _ = try await SQLiteBatchStore(link) } == .storeInUse)
    try FileManager.default.removeItem(atPath: place.path + "-lock")
    #expect(await kind { _ = try await place.store() } == .storeInUse)
    #expect(await kind { _ = try await SQLiteBatchStore(link) } == .storeInUse)
    // A reader is no writer, also through a link.
    let reader = try await SQLiteBatchStore(link, access: .reading)
    #expect(try await reader.summary().total == 1)
    await reader.close()
    #expect(try await store.lease(1, for: .seconds(9)).leases.count == 1)
    await store.close()
    let next = try await SQLiteBatchStore(link)
    #expect(try await next.summary().ready == 1)
    await next.close()
    try FileManager.default.linkItem(atPath: place.path, toPath: place.directory + "/second")
    #expect(await kind { _ = try await place.store() } == .storeUnreadable)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    #expect(await kind { _ = try await SQLiteBatchStore(link) } == .storeFailed)
  }

  @Test func `what is no store, or one of another version, is refused and left as it is`() async throws {
    let place = try StorePlace()
    #expect(await kind { _ = try await place.store(.reading) } == .storeUnreadable)
    let text = Data(String(repeating: "not a database. ", count: 500).utf8)
    try text.write(to: URL(filePath: place.path))
    #expect(await kind { _ = try await place.store() } == .storeUnreadable)
    #expect(try Data(contentsOf: URL(filePath: place.path)) == text)
    try FileManager.default.removeItem(atPath: place.path)

    try Data().write(to: URL(filePath: place.path))
    do {
      let other = try SQLiteConnection(place.path, for: .writing)
      try other.execute("CREATE TABLE birds(name TEXT); PRAGMA user_version = 1;")
    }
    #expect(await kind { _ = try await place.store() } == .storeUnreadable)
    try FileManager.default.removeItem(atPath: place.path)

    await (try await place.store()).close()
    do {
      let newer = try SQLiteConnection(place.path, for: .writing)
      try newer.execute("PRAGMA user_version = 3;")
    }
    #expect(await kind { _ = try await place.store() } == .storeUnreadable)
    #expect(await kind { _ = try await place.store(.reading) } == .storeUnreadable)
    for path in [place.directory, place.directory + "/a\0b", place.directory + "/no/such"] {
      let found = await kind { _ = try await SQLiteBatchStore(path) }
      #expect(found == .storeUnreadable || found == .storeFailed, "\(path): \(String(describing: found))")
    }
  }

  @Test func `a path may have any characters, and only the owner may read the file`() async throws {
    let place = try StorePlace()
    let path = place.directory + "/100% ?immutable=1#ü"
    let store = try await SQLiteBatchStore(path)
    try await store.add([.sample("a")])
    await store.close()
    #expect(try LocalFileSystem().status(path)?.permissions == 0o600)
    #expect(SQLiteConnection.uri("//h/p?x", .reading) == "file:%2F/h/p%3Fx")
  }

  @Test func `a full disk is a typed error that changes nothing, and with room the store goes on`() async throws {
    let place = try StorePlace()
    let ledger = try place.ledger()
    _ = try ledger.add([.sample("a")])
    let pages = try ledger.connection.integer("PRAGMA page_count")
    try ledger.connection.execute("PRAGMA max_page_count = \(pages + 4)")
    let before = ledger.tally.summary
    let error = #expect(throws: BatchError.self) {
      for number in 0..<50 {
        try ledger.add((0..<100).map { .sample("\(number)-\($0)-" + String(repeating: "x", count: 500)) })
      }
    }
    #expect(error?.kind == .storeFull)
    let after = ledger.tally.summary
    try ledger.recount()
    #expect(ledger.tally.summary == after)
    #expect(after.total >= before.total && !ledger.connection.isInTransaction)
    try ledger.connection.execute("PRAGMA max_page_count = 1000000")
    #expect(try ledger.add([.sample("b")]) == 1)
    let leases = try ledger.lease(1, for: .seconds(9)).leases
    #expect(leases.map(\.id.name) == ["a"])
  }

  @Test func `a file that may not be written is a typed error that changes nothing`() throws {
    let place = try StorePlace()
    let ledger = try place.ledger()
    _ = try ledger.add([.sample("a")])
    try ledger.connection.execute("PRAGMA query_only = 1")
    let before = ledger.tally.summary
    let error = #expect(throws: BatchError.self) { try ledger.lease(1, for: .seconds(9)) }
    #expect(error?.kind == .storeReadOnly && error?.description.contains(place.path) == true)
    #expect(ledger.tally.summary == before)
    try ledger.connection.execute("PRAGMA query_only = 0")
    #expect(try ledger.lease(1, for: .seconds(9)).leases.count == 1)
  }

  @Test func `a file that another program locks is a transient error that changes nothing`() throws {
    let place = try StorePlace()
    let ledger = try place.ledger()
    _ = try ledger.add([.sample("a")])
    try ledger.connection.execute("PRAGMA busy_timeout = 1")
    let other = try SQLiteConnection(place.path, for: .writing)
    try other.execute("BEGIN IMMEDIATE")
    let before = ledger.tally.summary
    let error = #expect(throws: BatchError.self) { try ledger.lease(1, for: .seconds(9)) }
    #expect(error?.kind == .storeInUse && error?.isTransient == true && ledger.tally.summary == before)
    try other.execute("COMMIT")
    #expect(try ledger.lease(1, for: .seconds(9)).leases.count == 1)
  }

  @Test func `leases of an earlier process count as lost, and its items go behind the others`() async throws {
    let place = try StorePlace()
    for round in 1...2 {
      let store = try await place.store()
      if round == 1 {
        try await store.apply(.setRules(BatchRules(limit: 1, lossLimit: 2)))
        try await store.add([.sample("poison"), .sample("other")])
      }
      let name = try #require(try await store.lease(1, for: .seconds(60)).leases.first).id
      #expect(name.name == (round == 1 ? "poison" : "other"))
      if round == 2 {
        try await store.finish(name, with: .success())
        _ = try await store.lease(1, for: .seconds(60))
      }
      place.clock.advance(by: .seconds(1))
      await store.close()
    }
    let store = try await place.store()
    #expect(
      try await store.outcomes(after: 0, limit: 9).map(\.result) == [.success(), .failed(.workerLost(2))])
    await store.close()
  }

  @Test func `a lease whose item cannot be found by its name any more is still renewed`() async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await store.add([.sample("a")])
    await store.close()
    let (page, size) = try {
      let connection = try SQLiteConnection(place.path, for: .writing)
      let index = "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'item' AND sql IS NULL"
      return (try connection.integer(index), try connection.integer("PRAGMA page_size"))
    }()
    // The index of names is damaged, so the item is found by its number and not by its name.
    var file = try Data(contentsOf: URL(filePath: place.path))
    let start = Int((page - 1) * size)
    file.replaceSubrange(start..<start + Int(size), with: Data(repeating: 0xff, count: Int(size)))
    try file.write(to: URL(filePath: place.path))
    let ledger = try place.ledger()
    let lease = try #require(try ledger.lease(1, for: .seconds(9)).leases.first)
    #expect(try ledger.renew([BatchRenewal(lease.id)], for: .seconds(9)) == [.proceed])
    #expect(throws: BatchError.self) { try ledger.apply(.cancelItem("a")) }
  }

  @Test func `a damaged file is a typed error or is read, and never more`() async throws {
    let place = try StorePlace()
    let store = try await place.store()
    try await store.add((0..<200).map { .sample("item \($0)", host: "h\($0 % 7)") })
    let leases = try await store.lease(8, for: .seconds(9)).leases
    for lease in leases { try await store.finish(lease.id, with: .failure) }
    await store.close()
    let whole = try Data(contentsOf: URL(filePath: place.path))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<60 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { damaged = damaged.prefix(Int.random(in: 1..<damaged.count, using: &random)) }
      let copy = try StorePlace()
      try damaged.write(to: URL(filePath: copy.path))
      do {
        let store = try await copy.store()
        _ = try await store.lease(8, for: .seconds(9))
        _ = try await store.outcomes(after: 0, limit: 100)
        await store.close()
      } catch {
        #expect(error is BatchError, "\(error)")
      }
    }
  }
}
