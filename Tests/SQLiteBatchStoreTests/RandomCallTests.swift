import CurlewBatch
import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewSQLiteBatchStore

/// Any calls in any order leave counts, next items and results that agree with the rows.
@Suite struct RandomCallTests {
  private static let seeds = Int(ProcessInfo.processInfo.environment["CURLEW_STORE_SEEDS"] ?? "") ?? 60

  @Test func `random calls keep the counts, the limits and one result for each item`() throws {
    for seed in 0..<UInt64(Self.seeds) {
      var random = SeededRandom(seed: seed)
      let place = try StorePlace()
      // Few heads in memory are written to the table all the time, and many never.
      let mostNewHeads = [0, 2, 32][Int(seed % 3)]
      var ledger = try place.ledger()
      ledger.mostNewHeads = mostNewHeads
      var names: [String] = []
      var leases: [BatchLease.ID] = []
      for step in 0..<80 {
        let name = names.randomElement(using: &random) ?? "none"
        do {
          switch Int.random(in: 0..<15, using: &random) {
          case 0, 1:
            let items = (0..<Int.random(in: 1...6, using: &random)).map { number -> BatchItem in
              let count = Int.random(in: 0...2, using: &random)
              let needs = (0..<count).compactMap { _ in names.randomElement(using: &random) }
              return .sample(
                "\(step)-\(number)", after: needs, host: [nil, "a", "b"].randomElement(using: &random) ?? nil,
                priority: [.low, .normal, .high].randomElement(using: &random) ?? .normal,
                bytes: Bool.random(using: &random) ? nil : Int64.random(in: 0...9, using: &random))
            }
            _ = try ledger.add(items)
            names += items.map(\.name)
          case 2, 3, 4:
            leases += try ledger.lease(Int.random(in: 1...4, using: &random), for: .seconds(5)).leases.map(\.id)
          case 5, 6:
            guard let id = leases.popLast() else { continue }
            try ledger.finish(id, with: Bool.random(using: &random) ? .success(4) : .failure)
          case 7:
            guard let id = leases.popLast() else { continue }
            try ledger.release(id, Bool.random(using: &random) ? .unfinished : .retry(after: .seconds(2)))
          case 8:
            _ = try ledger.renew(leases.map { BatchRenewal($0, completed: 3, total: 8) }, for: .seconds(5))
          case 9:
            _ = try ledger.apply(
              [.pauseItem(name), .resumeItem(name), .cancelItem(name), .prioritize(name, .high), .reopenItem(name)]
                .randomElement(using: &random) ?? .pause)
          case 10: _ = try ledger.apply([.pause, .resume, .resume].randomElement(using: &random) ?? .resume)
          case 11:
            let stops = Int.random(in: 0..<6, using: &random) == 0
            let rules = BatchRules(limit: 5, perHost: 2, ageLimit: .seconds(3), stopsOnFailure: stops)
            _ = try ledger.apply(.setRules(rules))
          case 12:
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            _ = try ledger.apply(Bool.random(using: &random) ? .cancel : .reopen)
          case 13:
            // Calls that are undone together leave nothing behind.
            _ = try ledger.sharedTransaction {
              for lease in try ledger.lease(2, for: .seconds(5)).leases.dropFirst() {
                try ledger.finish(lease.id, with: .failure)
              }
              if Bool.random(using: &random) { _ = try ledger.apply(.cancel) }
              for id in leases { try ledger.release(id, .unfinished) }
              try ledger.finish(BatchLease.ID(name: "none", token: 0), with: .failure)
            }
          default:
            place.clock.advance(by: .seconds(Int.random(in: 0...6, using: &random)))
            if Int.random(in: 0..<5, using: &random) == 0 {
              ledger.lock?.release()
              ledger = try place.ledger()
              ledger.mostNewHeads = mostNewHeads
            }
          }
        } catch let error as BatchError where [.leaseLost, .unknownItem].contains(error.kind) {}
        try check(ledger, "seed \(seed), step \(step)")
      }
    }
  }

  private func check(_ ledger: Ledger, _ place: String) throws {
    // Time may have passed, and heads are read when they are asked for.
    _ = try ledger.transaction { try ledger.firstHead() }
    let (kept, running) = (ledger.tally.summary, ledger.tally.runningByHost)
    try ledger.recount()
    #expect(ledger.tally.summary == kept && ledger.tally.runningByHost == running, "\(place): the counts")
    try checkHeads(ledger, place)
    var leased: [Int64: String] = [:]
    try ledger.connection.prepare("SELECT token, name FROM item WHERE state = 3").forEach { row in
      leased[row.integer(0)] = row.text(1)
    }
    #expect(ledger.leased.mapValues(\.name) == leased, "\(place): the leases")
    #expect(kept.running <= 8 && running.filter { $0.key > 0 }.values.allSatisfy { $0 <= 4 }, "\(place): the limits")
    let outcomes = try ledger.outcomes(after: 0, limit: 10_000)
    #expect(Set(outcomes.map(\.name)).count == outcomes.count, "\(place): one result each")
    #expect(outcomes.count == kept.ended, "\(place): a result of each that ended")
  }

  /// Every ready item that is the first of its host and priority is in the table or in memory, and in one of them.
  private func checkHeads(_ ledger: Ledger, _ place: String) throws {
    let written = try heads("SELECT host, priority, since, item FROM head", of: ledger)
    let new = ledger.newHeads.map { [$0.host, $0.priority, $1.since, $1.item] }
    let all = try heads(
      """
      SELECT host, priority, since, id FROM (
        SELECT host, priority, since, id, row_number() OVER (PARTITION BY host, priority ORDER BY since, id) AS place
        FROM item WHERE state = 1) WHERE place = 1
      """, of: ledger)
    #expect((written + new).sorted { $0.lexicographicallyPrecedes($1) } == all, "\(place): the next items")
  }

  private func heads(_ query: String, of ledger: Ledger) throws -> [[Int64]] {
    var heads: [[Int64]] = []
    try ledger.connection.prepare(query).forEach { row in heads.append((0..<4).map { row.integer($0) }) }
    return heads.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
