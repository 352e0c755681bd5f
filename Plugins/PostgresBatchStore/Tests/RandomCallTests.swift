import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials
import Testing

@testable import CurlewPostgresBatchStore

extension ServerTests {
  /// Any calls in any order lead to what the store in memory says, which is the reference.
  @Suite struct RandomCallTests {
    private static let seeds = UInt64(ProcessInfo.processInfo.environment["CURLEW_STORE_SEEDS"] ?? "") ?? 3

    @Test func `random calls have the same answers as on the store in memory`() async throws {
      for seed in 0..<Self.seeds {
        let place = try StorePlace()
        let store = try await place.store()
        try place.holdClock()
        let clock = HeldClock()
        try await Walk(store, MemoryBatchStore(clock: clock), seed) { duration in
          try place.advance(by: duration)
          clock.advance(by: duration)
        }.run(steps: 60)
        await store.close()
      }
    }
  }
}

/// A random walk over two stores, which compares their answers.
private final class Walk {
  private let store: any BatchStore
  private let reference: any BatchStore
  private let pass: (Duration) throws -> Void
  private let seed: UInt64
  private var random: Numbers
  private var names: [String] = []
  private var leases: [(BatchLease.ID, BatchLease.ID)] = []

  init(
    _ store: any BatchStore, _ reference: any BatchStore, _ seed: UInt64, pass: @escaping (Duration) throws -> Void
  ) {
    self.store = store
    self.reference = reference
    self.seed = seed
    self.pass = pass
    random = Numbers(state: seed &* 7_919 &+ 1)
  }

  func run(steps: Int) async throws {
    for step in 0..<steps {
      let what = try await self.step()
      // Every microsecond is another one, so that no two items are ready at the same time.
      try pass(.microseconds(1))
      var (found, wanted) = (try await store.summary(), try await reference.summary())
      (found.revision, wanted.revision) = (0, 0)
      #expect(found == wanted, "seed \(seed), step \(step): \(what)")
      let outcomes = try await store.outcomes(after: 0, limit: 1_000)
      let others = try await reference.outcomes(after: 0, limit: 1_000)
      // What is skipped together has no order.
      #expect(
        Dictionary(uniqueKeysWithValues: outcomes.map { ($0.name, $0.result) })
          == Dictionary(uniqueKeysWithValues: others.map { ($0.name, $0.result) }),
        "seed \(seed), step \(step): \(what)")
      guard found == wanted else { return }
    }
  }

  private func step() async throws -> String {
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: return try await add()
    case 4...7: return try await lease()
    case 8...10: return try await finish()
    case 11: return try await release()
    case 12: return try await renew()
    case 13:
      let pause = Duration.seconds(Int.random(in: 1...4, using: &random))
      try pass(pause)
      return "\(pause) pass"
    default: return try await command()
    }
  }

  private func add() async throws -> String {
    let items = (0..<Int.random(in: 1...4, using: &random)).map { _ -> BatchItem in
      let needs =
        names.isEmpty
        ? [] : (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in names.randomElement(using: &random) }
      let item = BatchItem(
        "\(names.count)", job: ComponentName("sample"), dependencies: needs,
        host: [nil, "a", "b"].randomElement(using: &random) ?? nil,
        priority: RequestPriority(rawValue: Int8.random(in: 0...2, using: &random)),
        expectedBytes: [nil, 10, 100].randomElement(using: &random) ?? nil)
      names.append(item.name)
      return item
    }
    #expect(try await store.add(items) == reference.add(items))
    return "add \(items.map(\.name))"
  }

  private func lease() async throws -> String {
    let count = Int.random(in: 1...3, using: &random)
    let (found, wanted) = (
      try await store.lease(count, for: .seconds(5)), try await reference.lease(count, for: .seconds(5))
    )
    #expect(found.leases.map(\.item) == wanted.leases.map(\.item), "seed \(seed)")
    #expect(found.leases.map(\.retries) == wanted.leases.map(\.retries))
    #expect(found.isComplete == wanted.isComplete)
    leases += zip(found.leases, wanted.leases).map { ($0.id, $1.id) }
    return "lease \(found.leases.map(\.id.name))"
  }

  private func finish() async throws -> String {
    guard let (id, other) = leases.randomElement(using: &random) else { return "nothing" }
    let results: [BatchResult] = [
      .succeeded(BatchProduct(bytes: 50)), .succeeded(BatchProduct()), .failed(BatchFailure(kind: "k", message: "m")),
      .cancelled,
    ]
    let result = results[Int.random(in: 0..<results.count, using: &random)]
    try await same {
      try await self.store.finish(id, with: result)
    } _: {
      try await self.reference.finish(other, with: result)
    }
    return "finish \(id) \(result)"
  }

  private func release() async throws -> String {
    guard let (id, other) = leases.randomElement(using: &random) else { return "nothing" }
    let reasons: [BatchRelease] = [.unfinished, .retry(after: .zero), .retry(after: .seconds(2))]
    let reason = reasons[Int.random(in: 0..<reasons.count, using: &random)]
    try await same {
      try await self.store.release(id, reason)
    } _: {
      try await self.reference.release(other, reason)
    }
    return "release \(id) \(reason)"
  }

  private func renew() async throws -> String {
    let done = Int64.random(in: 0...120, using: &random)
    let total: Int64? = Bool.random(using: &random) ? 80 : nil
    let found = try await store.renew(
      leases.map { BatchRenewal($0.0, completed: done, total: total) }, for: .seconds(5))
    let wanted = try await reference.renew(
      leases.map { BatchRenewal($0.1, completed: done, total: total) }, for: .seconds(5))
    #expect(found == wanted, "seed \(seed)")
    return "renew"
  }

  private func command() async throws -> String {
    let name = names.randomElement(using: &random) ?? "none"
    let commands: [BatchCommand] = [
      .pause, .resume, .resume, .pauseItem(name), .resumeItem(name), .cancelItem(name),
      .prioritize(name, RequestPriority(rawValue: Int8.random(in: 0...2, using: &random))), .reopen,
      .setRules(BatchRules(limit: 4, perHost: 1, ageLimit: .seconds(2), stopsOnFailure: Bool.random(using: &random))),
      .setRules(BatchRules(limit: 8, perHost: nil, ageLimit: nil)),
    ]
    let command = commands[Int.random(in: 0..<commands.count, using: &random)]
    try await same {
      _ = try await self.store.apply(command)
    } _: {
      _ = try await self.reference.apply(command)
    }
    return "\(command)"
  }

  /// Makes two calls, and checks that they fail alike.
  private func same(_ one: () async throws -> Void, _ other: () async throws -> Void) async throws {
    #expect(try await kind(one) == kind(other), "seed \(seed)")
  }

  private func kind(_ call: () async throws -> Void) async throws -> BatchError.Kind? {
    do {
      try await call()
      return nil
    } catch let error as BatchError {
      return error.kind
    }
  }
}

/// A clock that stands still until it is moved.
private final class HeldClock: NetworkClock {
  private let state = Guarded(ContinuousClock.now)

  var now: ContinuousClock.Instant { state.withLock { $0 } }
  var date: Date { Date() }

  func advance(by duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }

  // Sleeps because the server's answers come in their own time; nothing waits for this clock.
  func sleep(until deadline: ContinuousClock.Instant) async throws { try await Task.sleep(for: .milliseconds(1)) }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
