import CurlewBatch
import CurlewCore
import CurlewTestSupport

extension BatchStoreConformance {
  static let orderRules: [BatchStoreRule] = [
    BatchStoreRule(
      "order-priority", "higher priorities begin first, and equal ones as they were added",
      because: "A person who waits comes before work in the background."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("low", priority: .low), BatchStoreKit.item("n1"), BatchStoreKit.item("n2"),
        BatchStoreKit.item("high", priority: .high), BatchStoreKit.item("n3"),
      ])
      try await kit.expectLeases(["high", "n1", "n2", "n3", "low"])
    },
    BatchStoreRule(
      "order-dependencies", "an item begins when all its dependencies have succeeded",
      because: "An item needs what others have made."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("c", after: ["a", "b"], priority: .high), BatchStoreKit.item("a"), BatchStoreKit.item("b"),
      ])
      try kit.expectEqual(try await kit.store.summary().blocked, 1, "blocked items")
      let leases = try await kit.expectLeases(["a", "b"])
      try await kit.succeed(leases[0])
      try await kit.expectLeases([], "what begins when one dependency is missing")
      try await kit.succeed(leases[1])
      try await kit.expectLeases(["c"])
    },
    BatchStoreRule(
      "order-prioritize", "a changed priority counts from then on, also while an item is blocked",
      because: "What is urgent changes while the batch runs."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("a"), BatchStoreKit.item("b"), BatchStoreKit.item("c", after: ["b"]),
        BatchStoreKit.item("d"),
      ])
      try kit.expect(try await kit.store.apply(.prioritize("b", .high)), "the priority of b was not changed")
      try kit.expect(try await kit.store.apply(.prioritize("c", .high)), "the priority of c was not changed")
      try kit.expect(!(try await kit.store.apply(.prioritize("c", .high))), "an equal priority counts as a change")
      let lease = try await kit.lease("b")
      try kit.expectEqual(lease.item.priority, .high, "the priority of the leased item")
      try await kit.succeed(lease)
      try await kit.expectLeases(["c", "a", "d"])
    },
    BatchStoreRule(
      "order-age", "every second lease goes to an item that has waited too long, the oldest first",
      because: "Items of low priority must not wait without end."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, ageLimit: .seconds(2))))
      try await kit.store.add([BatchStoreKit.item("low", priority: .low), BatchStoreKit.item("normal")])
      try await kit.store.add((1...3).map { BatchStoreKit.item("h\($0)", priority: .high) })
      _ = try await kit.lease("h1")
      try await kit.pass(.seconds(3))
      try await kit.store.add((4...6).map { BatchStoreKit.item("h\($0)", priority: .high) })
      let next = try await kit.lease(4).map(\.item.name)
      try kit.expectEqual(next.filter { $0.hasPrefix("h") }.count, 2, "high ones among \(next)")
      try kit.expectEqual(
        next.filter { !$0.hasPrefix("h") }, ["low", "normal"], "those that have waited too long among \(next)")
    },
    BatchStoreRule(
      "order-flood", "under a constant flood of high priorities a low one begins within twice the age limit",
      because: "Under constant load nothing else lets a low priority begin."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1, ageLimit: .seconds(3))))
      try await kit.store.add([BatchStoreKit.item("low", priority: .low)])
      try await kit.store.add((1...3).map { BatchStoreKit.item("first \($0)", priority: .high) })
      for second in 0...6 {
        guard let lease = try await kit.lease(1).first else { throw ConformanceFailure("nothing was leased") }
        if lease.item.name == "low" {
          return try kit.expect(second >= 3, "the low one began after \(second) s, before the age limit")
        }
        try await kit.succeed(lease)
        // Every item that ends is replaced, so that high ones are always ready.
        try await kit.store.add([BatchStoreKit.item("high \(second)", priority: .high)])
        try await kit.pass(.seconds(1))
      }
      try kit.expect(false, "the low one did not begin within twice the age limit")
    },
    BatchStoreRule(
      "order-no-age", "without an age limit only the priority counts",
      because: "Some apps want strict priorities."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, ageLimit: nil)))
      try await kit.store.add([BatchStoreKit.item("low", priority: .low)])
      try await kit.pass(.seconds(3))
      try await kit.store.add((1...3).map { BatchStoreKit.item("h\($0)", priority: .high) })
      try await kit.expectLeases(["h1", "h2", "h3", "low"])
    },
    BatchStoreRule(
      "limit-all", "only so many items are leased at once, by all workers together",
      because: "A server and a disk bear only so much at once."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 2, perHost: nil)))
      try await kit.add("a", "b", "c", "d")
      let leases = try await kit.expectLeases(["a", "b"])
      try await kit.expectLeases([])
      try await kit.succeed(leases[0])
      try await kit.expectLeases(["c"])
      try await kit.store.release(leases[1].id, .unfinished)
      try await kit.expectLeases(["b"])
    },
    BatchStoreRule(
      "limit-host", "only so many items of one host are leased at once, and others pass them",
      because: "A host bans clients that open too many connections."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, perHost: 2)))
      try await kit.store.add(
        ["a1", "a2", "a3", "b1", "n1", "n2", "n3"].map { name in
          BatchStoreKit.item(name, host: name.hasPrefix("n") ? nil : "\(name.prefix(1)).example")
        })
      let leases = try await kit.expectLeases(["a1", "a2", "b1", "n1", "n2", "n3"])
      try await kit.fail(leases[1])
      try await kit.expectLeases(["a3"])
    },
    BatchStoreRule(
      "limit-change", "smaller limits let what runs go on, and larger ones let more begin",
      because: "A person may slow down a batch without losing what runs."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 100, perHost: 3)))
      try await kit.store.add((1...5).map { BatchStoreKit.item("\($0)", host: "a.example") })
      let leases = try await kit.expectLeases(["1", "2", "3"])
      try await kit.store.apply(.setRules(BatchRules(limit: 100, perHost: 1)))
      for lease in leases { try kit.expectEqual(try await kit.order(for: lease), .proceed, "the order") }
      try await kit.succeed(leases[0])
      try await kit.succeed(leases[1])
      try await kit.expectLeases([])
      try await kit.store.apply(.setRules(BatchRules(limit: 100, perHost: nil)))
      try await kit.expectLeases(["4", "5"])
      try kit.expectEqual(try await kit.store.summary().rules.perHost, nil, "the limit in the summary")
    },
  ]
}
