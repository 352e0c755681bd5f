import CurlewBatch
import FoundationEssentials

extension BatchStoreConformance {
  static let endingRules: [BatchStoreRule] = [
    BatchStoreRule(
      "end-values", "results come out of the store as they went in, in the order in which items ended",
      because: "The summary of a batch is made of its results."
    ) {
      kit in
      try await kit.add("a", "b", "c", "d")
      let leases = try await kit.expectLeases(["a", "b", "c", "d"])
      let results: [BatchResult] = [
        .cancelled, .failed(BatchFailure(kind: "timed-out", message: "'ü' 鳥\n")),
        .succeeded(BatchProduct(output: Data([0, 39, 255]), bytes: 1 << 40)), .succeeded(BatchProduct()),
      ]
      for (lease, result) in zip(leases.reversed(), results) { try await kit.store.finish(lease.id, with: result) }
      let outcomes = try await kit.store.outcomes(after: 0, limit: 100)
      try kit.expectEqual(outcomes.map(\.name), ["d", "c", "b", "a"], "the order of the outcomes")
      try kit.expectEqual(outcomes.map(\.result), results, "the results")
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "end-once", "an item ends once",
      because: "A second result would count an item twice."
    ) { kit in
      try await kit.add("a")
      let lease = try await kit.lease("a")
      try await kit.succeed(lease)
      try await kit.expectError(.leaseLost, "finishing it twice") { try await kit.fail(lease) }
      try await kit.expectError(.leaseLost, "releasing it afterwards") {
        try await kit.store.release(lease.id, .unfinished)
      }
      try kit.expectEqual(try await kit.results(), ["a": .succeeded(BatchProduct())], "the results")
    },
    BatchStoreRule(
      "end-pages", "outcomes are read in pages, and positions grow from 1",
      because: "A batch may have more results than fit in memory."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, perHost: nil)))
      try await kit.store.add((1...7).map { BatchStoreKit.item("\($0)") })
      for lease in try await kit.lease() { try await kit.succeed(lease) }
      var read: [BatchOutcome] = []
      while case let page = try await kit.store.outcomes(after: read.last?.position ?? 0, limit: 3), !page.isEmpty {
        try kit.expect(page.count <= 3, "a page has \(page.count) outcomes")
        read += page
      }
      try kit.expectEqual(read.map(\.name), (1...7).map { "\($0)" }, "the outcomes")
      let positions = read.map(\.position)
      try kit.expect(positions == Set(positions).sorted() && positions[0] >= 1, "the positions are \(positions)")
    },
    BatchStoreRule(
      "end-dependents", "what depends on an item that did not succeed is skipped with it",
      because: "What needs a missing file must not run without it."
    ) { kit in
      for (name, result) in [("f", BatchResult.failed(BatchFailure(kind: "x", message: "y"))), ("c", .cancelled)] {
        try await kit.store.add([
          BatchStoreKit.item(name), BatchStoreKit.item("\(name)1", after: [name]),
          BatchStoreKit.item("\(name)2", after: ["\(name)1"]), BatchStoreKit.item("\(name)-other"),
        ])
        try await kit.store.finish(try await kit.lease(name).id, with: result)
        try await kit.succeed(try await kit.lease("\(name)-other"))
        let results = try await kit.results()
        try kit.expectEqual(results["\(name)1"], .skipped(because: name), "the result of a dependent")
        try kit.expectEqual(results["\(name)2"], .skipped(because: name), "the result of its dependent")
      }
      let summary = try await kit.store.summary()
      try kit.expect(summary.isComplete, "the batch is not complete")
      try kit.expectEqual(
        [summary.succeeded, summary.failed, summary.cancelled, summary.skipped], [2, 1, 1, 4],
        "succeeded, failed, cancelled and skipped")
    },
    BatchStoreRule(
      "end-stop", "a batch that stops on failures skips what waits and cancels what runs",
      because: "Work after a failure that makes it useless only costs."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 3, stopsOnFailure: true)))
      try await kit.store.add((1...5).map { BatchStoreKit.item("\($0)") })
      let leases = try await kit.expectLeases(["1", "2", "3"])
      try await kit.succeed(leases[0])
      try await kit.fail(leases[1])
      try kit.expectEqual(try await kit.order(for: leases[2]), .cancel, "the order for what runs")
      try kit.expectEqual(try await kit.store.summary().stoppedBy, "2", "what stopped the batch")
      try await kit.expectLeases([])
      try await kit.add("new")
      try await kit.store.finish(leases[2].id, with: .cancelled)
      let results = try await kit.results()
      for name in ["4", "5", "new"] {
        try kit.expectEqual(results[name], .skipped(because: "2"), "the result of \(name)")
      }
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "end-stop-first", "the first failure names what stopped the batch, and a later one does not",
      because: "The person who looks for the cause needs the first failure."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 3, stopsOnFailure: true)))
      try await kit.add("1", "2", "3")
      for lease in try await kit.expectLeases(["1", "2", "3"]).reversed() { try await kit.fail(lease) }
      try kit.expectEqual(try await kit.store.summary().stoppedBy, "3", "what stopped the batch")
      try await kit.add("new")
      try kit.expectEqual(try await kit.results()["new"], .skipped(because: "3"), "the result of a later item")
    },
    BatchStoreRule(
      "end-reopen", "reopening tries again what did not succeed, and nothing else",
      because: "What has succeeded is not paid for twice."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1, stopsOnFailure: true)))
      try await kit.add("a", "b", "c")
      try await kit.store.add([BatchStoreKit.item("d", after: ["b"])])
      try await kit.succeed(try await kit.lease("a"))
      try await kit.fail(try await kit.lease("b"))
      try kit.expect(try await kit.store.apply(.reopen), "nothing was reopened")
      let summary = try await kit.store.summary()
      try kit.expectEqual(
        [summary.blocked, summary.ready, summary.ended], [1, 2, 1], "blocked, ready and ended items")
      try kit.expectEqual(summary.stoppedBy, nil, "what stopped the batch")
      let last = try await kit.store.outcomes(after: 0, limit: 10).last?.position ?? 0
      for name in ["b", "c", "d"] { try await kit.succeed(try await kit.lease(name)) }
      let results = try await kit.results()
      try kit.expect(results.count == 4 && results.values.allSatisfy(\.isSuccess), "the results are \(results)")
      try kit.expectEqual(
        try await kit.store.outcomes(after: last, limit: 10).map(\.name), ["b", "c", "d"], "the new outcomes")
      try kit.expect(!(try await kit.store.apply(.reopen)), "something was reopened though all succeeded")
    },
    BatchStoreRule(
      "progress", "sizes are summed: known and unknown, ended, and done so far",
      because: "Progress is shown while sizes are still unknown."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("a", bytes: 100), BatchStoreKit.item("b", bytes: 300), BatchStoreKit.item("c"),
        BatchStoreKit.item("d"),
      ])
      let leases = try await kit.expectLeases(["a", "b", "c", "d"])
      try kit.expectEqual(try await kit.store.summary().progress.fraction, 0, "the share at the start")
      _ = try await kit.store.renew(
        [BatchRenewal(leases[0].id, completed: 50), BatchRenewal(leases[2].id, completed: 40, total: 80)],
        for: BatchStoreKit.leaseTime)
      var wanted = BatchProgress()
      wanted.items = 4
      wanted.sizedItems = 3
      wanted.sizedBytes = 480
      wanted.partialBytes = 90
      try kit.expectEqual(try await kit.store.summary().progress, wanted, "the sums")
      try await kit.store.finish(leases[0].id, with: .succeeded(BatchProduct(bytes: 120)))
      try await kit.fail(leases[2])
      try await kit.fail(leases[3])
      wanted.endedItems = 3
      wanted.endedSizedItems = 2
      wanted.sizedBytes = 500
      wanted.endedBytes = 200
      wanted.partialBytes = 0
      try kit.expectEqual(try await kit.store.summary().progress, wanted, "the sums after some ends")
    },
  ]
}
