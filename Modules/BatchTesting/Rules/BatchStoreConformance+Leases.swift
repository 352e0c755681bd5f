import CurlewBatch
import FoundationEssentials

extension BatchStoreConformance {
  static let leaseRules: [BatchStoreRule] = [
    BatchStoreRule(
      "lease-once", "workers that lease at once get each item once",
      because: "Two workers on one file destroy it."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1_000, perHost: nil)))
      try await kit.store.add((1...60).map { BatchStoreKit.item("\($0)") })
      let leased = try await withThrowingTaskGroup(of: [BatchLease].self) { group in
        for _ in 1...6 {
          group.addTask {
            var mine: [BatchLease] = []
            while case let more = try await kit.lease(3), !more.isEmpty { mine += more }
            return mine
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try kit.expectEqual(leased.count, 60, "leases")
      try kit.expectEqual(Set(leased.map(\.item.name)).count, 60, "leased items")
      try kit.expectEqual(Set(leased.map(\.id.token)).count, 60, "tokens")
    },
    BatchStoreRule(
      "lease-expiry", "an item whose lease has run out goes to the next worker, and the last one has lost it",
      because: "A worker that was killed says nothing."
    ) { kit in
      try await kit.add("a")
      let old = try await kit.lease("a")
      try await kit.pass(BatchStoreKit.longer)
      try kit.expectEqual(try await kit.store.summary().running, 0, "running items")
      let new = try await kit.lease("a")
      try kit.expect(new.id.token > old.id.token, "the token did not grow: \(old.id.token), \(new.id.token)")
      try kit.expectEqual(new.retries, 0, "the retries after a lost lease")
      try kit.expectEqual(try await kit.order(for: old), .abandon, "the order for the last worker")
      try await kit.expectError(.leaseLost, "finishing a lost lease") { try await kit.succeed(old) }
      try await kit.expectError(.leaseLost, "releasing a lost lease") {
        try await kit.store.release(old.id, .retry(after: .zero))
      }
      try await kit.succeed(new)
      try kit.expectEqual(try await kit.results(), ["a": .succeeded(BatchProduct())], "the results")
    },
    BatchStoreRule(
      "lease-behind", "an item whose lease has run out goes behind those that have waited",
      because: "An item that kills its workers must not block the others."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1)))
      try await kit.add("poison", "b", "c")
      _ = try await kit.lease("poison")
      try await kit.pass(BatchStoreKit.longer)
      for name in ["b", "c"] { try await kit.succeed(try await kit.lease(name)) }
      _ = try await kit.lease("poison")
    },
    BatchStoreRule(
      "lease-poison", "an item that loses as many workers in a row as the rules allow fails as workerLost",
      because: "An item that kills each worker would kill them all."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, stopsOnFailure: true, lossLimit: 3)))
      try await kit.store.add([
        BatchStoreKit.item("poison"), BatchStoreKit.item("after", after: ["poison"]), BatchStoreKit.item("runs"),
      ])
      for loss in 1...3 {
        try kit.expectEqual(try await kit.results(), [:], "the results before loss \(loss)")
        let leases = try await kit.lease().sorted { $0.item.name < $1.item.name }
        try kit.expectEqual(leases.map(\.item.name), ["poison", "runs"], "the leased items")
        _ = try await kit.store.renew([BatchRenewal(leases[1].id)], for: .seconds(60))
        try await kit.pass(BatchStoreKit.longer)
        guard loss < 3 else {
          try kit.expectEqual(try await kit.order(for: leases[1]), .cancel, "the order for what runs")
          continue
        }
        try await kit.store.release(leases[1].id, .unfinished)
      }
      try kit.expectEqual(
        try await kit.results(), ["poison": .failed(.workerLost(3)), "after": .skipped(because: "poison")],
        "the results")
      try kit.expectEqual(try await kit.store.summary().stoppedBy, "poison", "what stopped the batch")
    },
    BatchStoreRule(
      "lease-losses", "a worker that gives an item back, and a command that reopens it, forget its losses",
      because: "Losses are counted in a row, so that bad luck is forgotten."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1, lossLimit: 2)))
      try await kit.add("a")
      for release in [BatchRelease.unfinished, .retry(after: .zero)] {
        _ = try await kit.lease("a")
        try await kit.pass(BatchStoreKit.longer)
        try await kit.store.release(try await kit.lease("a").id, release)
      }
      for _ in 1...2 {
        try kit.expectEqual(try await kit.results(), [:], "the results")
        _ = try await kit.lease("a")
        try await kit.pass(BatchStoreKit.longer)
      }
      try kit.expectEqual(try await kit.results(), ["a": .failed(.workerLost(2))], "the results in the end")
      for command in [BatchCommand.reopen, .reopenItem("a")] {
        try await kit.store.apply(command)
        _ = try await kit.lease("a")
        try await kit.pass(BatchStoreKit.longer)
        try kit.expectEqual(try await kit.results(), [:], "the results of one that was reopened")
        try await kit.fail(try await kit.lease("a"))
      }
    },
    BatchStoreRule(
      "lease-no-limit", "without a limit an item may lose any number of workers",
      because: "An app whose workers come and go may want that."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1, lossLimit: nil)))
      try await kit.add("a")
      for _ in 1...12 {
        _ = try await kit.lease("a")
        try await kit.pass(BatchStoreKit.longer)
      }
      try kit.expectEqual(try await kit.store.summary().rules.lossLimit, nil, "the limit in the summary")
      try await kit.succeed(try await kit.lease("a"))
    },
    BatchStoreRule(
      "lease-expired", "a lease that has run out is over even when nobody else has the item",
      because: "A result after the lease could meet that of another worker."
    ) { kit in
      try await kit.add("a")
      let lease = try await kit.lease("a")
      try await kit.pass(BatchStoreKit.longer)
      try await kit.expectError(.leaseLost, "finishing it") { try await kit.succeed(lease) }
      try kit.expectEqual(try await kit.order(for: lease), .abandon, "the order")
      try kit.expectEqual(try await kit.store.summary().ready, 1, "ready items")
    },
    BatchStoreRule(
      "lease-renewal", "a lease that is renewed holds on",
      because: "A long download keeps its item while it lives."
    ) { kit in
      try await kit.add("a")
      let lease = try await kit.lease("a")
      for _ in 1...2 {
        try kit.expectEqual(
          try await kit.store.renew([BatchRenewal(lease.id)], for: .seconds(30)), [.proceed], "the orders")
        try await kit.pass(BatchStoreKit.longer)
      }
      try await kit.expectLeases([])
      try await kit.succeed(lease)
    },
    BatchStoreRule(
      "lease-orders", "renewing answers for each lease, in their order",
      because: "A worker must match each answer with its item."
    ) { kit in
      try await kit.add("a", "b", "c")
      let leases = try await kit.expectLeases(["a", "b", "c"])
      try await kit.succeed(leases[0])
      try await kit.store.apply(.cancelItem("b"))
      let renewals = leases.map { BatchRenewal($0.id) } + [BatchRenewal(BatchLease.ID(name: "nobody", token: 1))]
      try kit.expectEqual(
        try await kit.store.renew(renewals, for: BatchStoreKit.leaseTime), [.abandon, .cancel, .proceed, .abandon],
        "the orders")
    },
    BatchStoreRule(
      "lease-note", "a note of one worker reaches the next one",
      because: "The next worker continues where the last one stopped."
    ) { kit in
      try await kit.add("a")
      let first = try await kit.lease("a")
      try kit.expectEqual(first.note, nil, "the note of a new item")
      let note = Data([0, 255, 39])
      _ = try await kit.store.renew([BatchRenewal(first.id, note: note)], for: BatchStoreKit.leaseTime)
      _ = try await kit.order(for: first)
      try await kit.pass(BatchStoreKit.longer)
      let second = try await kit.lease("a")
      try kit.expectEqual(second.note, note, "the note after a lost lease")
      try await kit.store.release(second.id, .unfinished)
      try kit.expectEqual(try await kit.lease("a").note, note, "the note after a release")
    },
    BatchStoreRule(
      "release-unfinished", "an item that is given back unfinished keeps its place",
      because: "A worker that ends in order must cost its item no time."
    ) { kit in
      try await kit.add("a", "b")
      let lease = try await kit.lease("a")
      try await kit.store.release(lease.id, .unfinished)
      try await kit.expectError(.leaseLost, "releasing it twice") { try await kit.store.release(lease.id, .unfinished) }
      let next = try await kit.lease("a")
      try kit.expectEqual(next.retries, 0, "the retries")
      try kit.expect(next.id.token > lease.id.token, "the token did not grow")
    },
    BatchStoreRule(
      "release-retry", "an item that is tried again waits, counts a retry, and goes behind",
      because: "A server that fails needs time, and others can use it."
    ) { kit in
      try await kit.add("a", "b")
      let lease = try await kit.lease("a")
      try await kit.store.release(lease.id, .retry(after: .seconds(2)))
      try kit.expectEqual(try await kit.store.summary().ready, 2, "ready items")
      let other = try await kit.lease("b")
      try await kit.expectLeases([], "what begins before the time")
      try await kit.succeed(other)
      try await kit.pass(.seconds(3))
      try kit.expectEqual(try await kit.lease("a").retries, 1, "the retries")
    },
    BatchStoreRule(
      "release-at-once", "a retry without a wait is ready at once, behind the others",
      because: "A lost connection needs no wait."
    ) { kit in
      try await kit.add("a", "b")
      let lease = try await kit.lease("a")
      try await kit.pass(.seconds(1))
      try await kit.store.release(lease.id, .retry(after: .zero))
      try await kit.expectLeases(["b", "a"])
    },
  ]
}
