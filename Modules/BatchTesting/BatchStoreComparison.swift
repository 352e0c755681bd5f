public import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewTestSupport
import FoundationEssentials

/// Makes the same random calls on several stores, and compares their answers.
///
/// `BatchStoreConformance` has the rules that somebody has thought of. A comparison finds the differences that nobody has: any
/// calls in any order have the same answers on each store as on the store in memory.
///
/// ```swift
/// let clock = ManualClock()
/// let stores: [any BatchStore] = [MemoryBatchStore(clock: clock), try await SQLiteBatchStore("batch", clock: clock)]
/// try await BatchStoreComparison.run(seed: 7, calls: 100, on: stores) { clock.advance(by: $0) }
/// ```
public enum BatchStoreComparison {
  /// Makes calls on all stores until their answers differ.
  ///
  /// After each call it compares the summaries and the results too. The order of results that belong to one call is not compared.
  ///
  /// - Parameters:
  ///   - seed: Determines the calls.
  ///   - calls: The number of calls on each store.
  ///   - stores: Empty stores with the default rules; the first one is the reference, usually a `MemoryBatchStore`.
  ///   - pass: Lets time pass for all stores alike. It is also called for single microseconds, so the clocks must be those of a test.
  /// - Throws: `ConformanceFailure`, which names the seed, the call and the difference.
  public static func run(
    seed: UInt64, calls: Int, on stores: [any BatchStore],
    passing pass: @escaping @Sendable (Duration) async throws -> Void
  ) async throws {
    var walk = RandomWalk(stores, seed, pass)
    for call in 0..<calls {
      do {
        try await walk.step()
      } catch {
        throw ConformanceFailure("seed \(seed), call \(call) (\(walk.last)): \(error)", rule: "comparison")
      }
    }
  }
}

/// The calls of one seed.
private struct RandomWalk {
  /// The duration of every lease.
  private static let leaseTime = Duration.seconds(5)
  /// So few items that each is called often, in every state.
  private static let mostItems = 14

  private let stores: [any BatchStore]
  private let pass: @Sendable (Duration) async throws -> Void
  private var random: Numbers
  private var items: [BatchItem] = []
  /// The leases so far, each with its identifier in every store.
  private var leases: [[BatchLease.ID]] = []
  /// The last call.
  private(set) var last = ""

  init(_ stores: [any BatchStore], _ seed: UInt64, _ pass: @escaping @Sendable (Duration) async throws -> Void) {
    self.stores = stores
    self.pass = pass
    random = Numbers(state: seed &* 7_919 &+ 1)
  }

  mutating func step() async throws {
    switch number(0..<20) {
    case 0...1 where items.count < Self.mostItems: try await add()
    case 0...6: try await lease()
    case 7...10: try await finish()
    case 11...12: try await release()
    case 13: try await renew()
    case 14:
      let pause = Duration.seconds(number(1..<7))
      last = "\(pause) pass"
      try await pass(pause)
    default: try await command()
    }
    // Every call has a time of its own, so that no two items of different calls are ready at the same time.
    try await pass(.microseconds(1))
    try await compare("the summary") { store, _ in
      var summary = try await store.summary()
      summary.revision = 0
      return summary
    }
    try await compare("the results") { store, _ in
      let outcomes = try await store.outcomes(after: 0, limit: 1_000)
      return Dictionary(outcomes.map { ($0.name, [$0.result]) }) { $0 + $1 }
    }
  }

  // MARK: Calls

  private mutating func add() async throws {
    var new: [BatchItem] = []
    for _ in 0..<number(1..<5) {
      let known = (items + new).map(\.name)
      var needs = (0..<number(0..<3)).compactMap { _ in known.isEmpty ? nil : known[number(0..<known.count)] }
      if number(0..<40) == 0 { needs.append("nobody") }
      new.append(
        BatchItem(
          number(0..<40) == 0 ? known.first ?? "0" : "\(known.count)", job: ComponentName("sample"),
          dependencies: needs, host: [nil, "a", "b"][number(0..<3)],
          priority: RequestPriority(rawValue: Int8(number(0..<3))), expectedBytes: [nil, 10, 100][number(0..<3)]))
    }
    last = "add \(new.map { "\($0.name) after \($0.dependencies)" })"
    let (before, added) = (items.count, new)
    let answer = try await compare("the number of new items") { store, _ in try await store.add(added) }
    if case .success = answer {
      items += new.filter { item in !items.contains { $0.name == item.name } }
    } else if items.count == before, number(0..<4) == 0, !items.isEmpty {
      let again = items
      try await compare("adding all again") { store, _ in try await store.add(again) }
    }
  }

  private mutating func lease() async throws {
    let count = number(1..<4)
    last = "lease \(count)"
    var granted: [[BatchLease.ID]] = []
    try await compare("the leases") { store, _ in
      let answer = try await store.lease(count, for: Self.leaseTime)
      granted.append(answer.leases.map(\.id))
      return "\(answer.isComplete) \(answer.leases.map { "\($0.item) \($0.retries) \($0.note ?? .init())" })"
    }
    guard let first = granted.first else { return }
    for index in first.indices { leases.append(granted.compactMap { index < $0.count ? $0[index] : nil }) }
  }

  private mutating func finish() async throws {
    guard let ids = someLease() else { return }
    let results: [BatchResult] = [
      .succeeded(BatchProduct(bytes: 50)), .succeeded(BatchProduct()), .succeeded(BatchProduct()),
      .failed(BatchFailure(kind: "k", message: "m")), .cancelled,
    ]
    let result = results[number(0..<results.count)]
    last = "finish \(ids[0].name) \(result)"
    try await compare("the answer") { store, index in try await store.finish(ids[index], with: result) }
  }

  private mutating func release() async throws {
    guard let ids = someLease() else { return }
    let reason = [BatchRelease.unfinished, .retry(after: .zero), .retry(after: .seconds(2))][number(0..<3)]
    last = "release \(ids[0].name) \(reason)"
    try await compare("the answer") { store, index in try await store.release(ids[index], reason) }
  }

  private mutating func renew() async throws {
    let (done, total) = (Int64(number(0..<120)), number(0..<2) == 0 ? 80 as Int64? : nil)
    let renewed = leases.suffix(6)
    last = "renew \(renewed.map { $0[0].name })"
    try await compare("the orders") { store, index in
      try await store.renew(
        renewed.map { BatchRenewal($0[index], completed: done, total: total) }, for: Self.leaseTime)
    }
  }

  private mutating func command() async throws {
    let name = items.isEmpty ? "nobody" : items[number(0..<items.count)].name
    let commands: [BatchCommand] = [
      .pause, .resume, .resume, .resume, .pauseItem(name), .resumeItem(name), .resumeItem(name), .cancelItem(name),
      .prioritize(name, RequestPriority(rawValue: Int8(number(0..<3)))), .reopen, .reopen, .reopenItem(name),
      .reopenItem(name), .reopenItem(name), .reopenItem(name), .cancel,
      .setRules(
        BatchRules(limit: 4, perHost: 1, ageLimit: .seconds(2), stopsOnFailure: number(0..<3) == 0, lossLimit: 2)),
      .setRules(BatchRules(limit: 8, perHost: nil, ageLimit: nil, lossLimit: number(0..<2) == 0 ? nil : 1)),
    ]
    let command = commands[number(0..<commands.count)]
    last = "\(command)"
    try await compare("whether it changed anything") { store, _ in try await store.apply(command) }
  }

  /// A lease, which is often the latest one and may have ended.
  private mutating func someLease() -> [BatchLease.ID]? {
    guard !leases.isEmpty else { return nil }
    return leases[number(max(0, leases.count - 8)..<leases.count)]
  }

  // MARK: Comparing

  /// Makes a call on each store, and throws unless all answer alike, or fail with the same kind of error.
  @discardableResult
  private func compare<Answer: Equatable>(
    _ what: String, _ call: (any BatchStore, _ index: Int) async throws -> Answer
  ) async throws -> Result<Answer, BatchError> {
    var first: Result<Answer, BatchError>?
    for (index, store) in stores.enumerated() {
      let answer: Result<Answer, BatchError>
      do { answer = .success(try await call(store, index)) } catch let error as BatchError { answer = .failure(error) }
      guard let wanted = first else {
        first = answer
        continue
      }
      guard Self.areAlike(answer, wanted) else {
        throw ConformanceFailure("\(what) of store \(index): \(answer) instead of \(wanted)")
      }
    }
    guard let first else { throw ConformanceFailure("there is no store to compare") }
    return first
  }

  private func compare(_ what: String, _ call: (any BatchStore, _ index: Int) async throws -> Void) async throws {
    try await compare(what) { store, index in
      try await call(store, index)
      return true
    }
  }

  private static func areAlike<Answer: Equatable>(
    _ one: Result<Answer, BatchError>, _ other: Result<Answer, BatchError>
  ) -> Bool {
    switch (one, other) {
    case (.success(let one), .success(let other)): one == other
    case (.failure(let one), .failure(let other)): one.kind == other.kind && one.item == other.item
    default: false
    }
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
}

/// The generator SplitMix64.
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
