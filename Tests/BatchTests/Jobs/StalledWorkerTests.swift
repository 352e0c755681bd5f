import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewBatch
@testable import CurlewTestSupport

/// A worker that stalls after its lease was confirmed, until after the lease has expired.
@Suite(.timeLimit(.minutes(10))) struct StalledWorkerTests {
  /// Stalls at the first confirmation that precedes a publication: no later call is made before the gate is open.
  ///
  /// It tells which items were released and finished.
  private final class StallingStore: ForwardingStore {
    let store: MemoryBatchStore
    let gate = ManualGate()
    let calls = Watched<[String]>([])
    private let hasStalled = Guarded(false)

    init(_ store: MemoryBatchStore) { self.store = store }

    private func stall() async throws {
      if hasStalled.withLock({ $0 }) { try await gate.wait() }
    }

    func lease(_ count: Int, for duration: Duration) async throws -> BatchLeases {
      try await stall()
      return try await store.lease(count, for: duration)
    }

    func renew(_ renewals: [BatchRenewal], for duration: Duration) async throws -> [BatchOrder] {
      try await stall()
      let orders = try await store.renew(renewals, for: duration)
      if renewals.contains(where: { $0.note != nil }) {
        hasStalled.withLock { $0 = true }
        try await stall()
      }
      return orders
    }

    func release(_ id: BatchLease.ID, _ reason: BatchRelease) async throws {
      try await store.release(id, reason)
      calls.update { $0.append("\(reason)") }
    }

    func finish(_ id: BatchLease.ID, with result: BatchResult) async throws {
      defer { calls.update { $0.append("finish") } }
      try await store.finish(id, with: result)
    }
  }

  private let memory = MemoryFileSystem(capacity: 64 << 20)
  private let clock = ManualClock()

  private func batch(_ store: any BatchStore, over loader: Loader) -> Batch {
    Batch(store, Batch.Configuration(over: loader, on: DownloadDisk(memory)))
  }

  private func file(_ store: MemoryBatchStore) async throws -> BatchFile? {
    guard case .succeeded(let product) = try await store.outcomes(after: 0, limit: 1).first?.result else { return nil }
    return try BatchFile(output: product.output)
  }

  @Test func `the next worker waits for the stalled one, and takes the file that it publishes for the result`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(7), count: 5_000, ["ETag": "\"1\""]) }
    let transport = try CurlTransport()
    try memory.createDirectory("/d")
    let store = MemoryBatchStore(clock: clock)
    try await store.add([try .download("a", Request(.get, origin.url("/a")), to: "/d/a")])
    let stalled = StallingStore(store)
    let first = Task { try await batch(stalled, over: Loader(transport)).run() }
    try await stalled.gate.waitForArrivals()
    clock.advance(by: .seconds(31))

    let next = StallingStore(store)
    next.gate.open()
    let second = Task { try await batch(next, over: Loader(transport)).run() }
    try await next.calls.wait { !$0.isEmpty }
    #expect(next.calls.current == ["retry(after: 1.0 seconds)"])
    #expect(try await store.summary().running == 0, "its place is free meanwhile")

    stalled.gate.open()
    try await stalled.calls.wait { !$0.isEmpty }
    #expect(memory.contents(of: "/d/a")?.count == 5_000)
    #expect(try await store.summary().ended == 0, "the result of a worker without a lease does not count")
    clock.advance(by: .seconds(1))
    #expect(try await second.value.succeeded == 1)
    #expect(try await first.value.succeeded == 1)
    #expect(try await file(store)?.identity == memory.status("/d/a")?.identity)
    #expect(origin.requests.count == 1)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a file that the stalled worker publishes while the next one downloads it again is the result`()
    async throws
  {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(7), count: 5_000).pausing(at: gate) }
    let transport = try CurlTransport()
    try memory.createDirectory("/d")
    let store = MemoryBatchStore(clock: clock)
    try await store.add([try .download("a", Request(.get, origin.url("/a")), to: "/d/a")])
    // A worker on another machine, where the lock of a partial file is not seen.
    let lease = try #require(try await store.lease(1, for: .seconds(30)).leases.first)
    let elsewhere = try memory.open("/d/elsewhere", [.write, .create])
    try [UInt8](repeating: 7, count: 5_000).withUnsafeBytes { try elsewhere.write($0, at: 0) }
    let status = try elsewhere.status()
    let mark = BatchFile(path: "/d/a", status, digest: nil)
    let note = try JSONEncoder().encode(mark)
    #expect(try await store.renew([BatchRenewal(lease.id, note: note)], for: .seconds(30)) == [.proceed])
    clock.advance(by: .seconds(31))

    let run = Task { try await batch(store, over: Loader(transport)).run() }
    await gate.reached()
    try memory.rename("/d/elsewhere", to: "/d/a", replacing: false)
    gate.open()
    #expect(try await run.value.succeeded == 1)
    #expect(try await file(store) == mark)
    #expect(try memory.list("/d") == ["a"], "the bytes that were downloaded again are gone")
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a worker that never ends is waited for twelve times, and a strange file is never the result`()
    async throws
  {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(7), count: 5_000).pausing(at: gate) }
    let transport = try CurlTransport()
    try memory.createDirectory("/d")
    let store = MemoryBatchStore(clock: clock)
    let held = Downloader(
      Loader(transport), Request(.get, origin.url("/a")), to: .file("/d/a"), on: DownloadDisk(memory))
    held.start()
    await gate.reached()
    try await store.add([try .download("a", Request(.get, origin.url("/a")), to: "/d/a")])
    let next = StallingStore(store)
    let run = Task { try await batch(next, over: Loader(transport)).run() }
    for round in 1...12 {
      try await next.calls.wait { $0.count == round }
      clock.advance(by: .seconds(30))
    }
    #expect(try await run.value.failed == 1)
    guard case .failed(let failure) = try await store.outcomes(after: 0, limit: 1).first?.result else { return }
    #expect(failure.kind == NetworkError.Kind.targetInUse.rawValue)

    try await store.apply(.reopen)
    gate.open()
    await held.settled()
    #expect(try await batch(store, over: Loader(transport)).run().failed == 1)
    guard case .failed(let failure) = try await store.outcomes(after: 1, limit: 1).first?.result else { return }
    #expect(failure.kind == NetworkError.Kind.targetExists.rawValue)
    await transport.shutdown()
    await origin.stop()
  }
}
