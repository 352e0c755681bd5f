import CurlewBatch
import CurlewCore
import CurlewStorage
import Dispatch
import FoundationEssentials
import Synchronization
import Testing

@testable import CurlewSQLiteBatchStore

/// Calls that wait for the store's thread together share one transaction.
@Suite struct SharedTransactionTests {
  @Test func `calls that wait together are committed as one, before any of them returns`() async throws {
    let alone = try HeldStore(items: 40)
    let before = try alone.log.count
    for lease in alone.leases { try alone.ledger.finish(lease, with: .success()) }
    let grownAlone = try alone.log.count - before
    alone.release()

    let held = try HeldStore(items: 40)
    let start = try held.log.count
    let image = Mutex<Data?>(nil)
    for lease in held.leases {
      held.finish(lease) { image.withLock { $0 = $0 ?? (try? held.log) } }
    }
    await held.releaseAndWait()
    #expect(held.told.withLock { $0.values.allSatisfy { $0 == "done" } && $0.count == 40 })
    let grown = try held.log.count - start
    #expect(grown * 8 < grownAlone, "\(grown) bytes, and \(grownAlone) for one call after another")
    // A process that is killed as soon as the first caller continues has lost nothing.
    let copy = try StorePlace()
    try Data(contentsOf: URL(filePath: held.place.path)).write(to: URL(filePath: copy.path))
    try #require(image.withLock { $0 }).write(to: URL(filePath: copy.path + "-wal"))
    #expect(try copy.ledger().summary().succeeded == 40)
  }

  @Test func `a call that fails among others fails alone`() async throws {
    let held = try HeldStore(items: 40)
    let revision = held.ledger.tally.summary.revision
    for lease in held.leases.prefix(39) { held.finish(lease) }
    held.finish(BatchLease.ID(name: "39", token: 999))
    await held.releaseAndWait()
    let told = held.told.withLock { $0 }
    #expect(told.count == 40)
    #expect(told.filter { $0.value != "done" }.keys.sorted() == ["39"])
    #expect(told["39"]?.contains("lease") == true, "\(told["39"] ?? "nothing")")
    let summary = try held.ledger.summary()
    #expect(summary.succeeded == 39 && summary.running == 1)
    #expect(summary.revision == revision + 39)
  }

  @Test func `more calls than fit into one transaction all return`() async throws {
    let held = try HeldStore(items: 200)
    for lease in held.leases { held.finish(lease) }
    await held.releaseAndWait()
    #expect(held.told.withLock { $0.count { $0.value == "done" } } == 200)
    #expect(try held.ledger.summary().succeeded == 200)
  }

  @Test func `calls that wait for a store that is closed fail`() async throws {
    let held = try HeldStore(items: 3)
    for lease in held.leases { held.finish(lease) }
    held.queue.close()
    await held.releaseAndWait()
    #expect(held.told.withLock { $0.count == 3 && $0.values.allSatisfy { $0 != "done" } })
  }
}

/// An open store whose items are leased, and whose thread waits until `releaseAndWait`.
private final class HeldStore: Sendable {
  let place: StorePlace
  let ledger: Ledger
  let leases: [BatchLease.ID]
  let queue: LedgerQueue
  /// What each call has returned, by the name of its item: `done`, or its error.
  let told = Mutex<[String: String]>([:])
  private let work = DiskWork()
  private let gate = DispatchSemaphore(value: 0)

  init(items: Int) throws {
    place = try StorePlace()
    ledger = try place.ledger()
    try ledger.connection.execute("PRAGMA wal_autocheckpoint = 0")
    try ledger.add((0..<items).map { .sample("\($0)") })
    _ = try ledger.apply(.setRules(BatchRules(limit: items, perHost: nil, ageLimit: nil)))
    leases = try ledger.lease(items, for: .seconds(60)).leases.map(\.id)
    queue = LedgerQueue(ledger, path: place.path, work, ChangeSignal())
    work.enqueue { [gate] in gate.wait() }
  }

  /// The bytes of SQLite's log.
  var log: Data { get throws { try Data(contentsOf: URL(filePath: place.path + "-wal")) } }

  func finish(_ lease: BatchLease.ID, then: @escaping @Sendable () -> Void = {}) {
    queue.add(
      LedgerQueue.Call(
        attempt: { ledger in
          try ledger.finish(lease, with: .success())
          return {
            then()
            self.told.withLock { $0[lease.name] = "done" }
          }
        },
        fail: { error in self.told.withLock { $0[lease.name] = "\(error)" } }))
  }

  func release() { gate.signal() }

  /// Lets the thread run all calls.
  func releaseAndWait() async {
    release()
    // Each piece of work may have added another one for the calls that it left.
    for _ in 0..<10 { await work.run {} }
  }
}
