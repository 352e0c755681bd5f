import CurlewBatch
import CurlewCore

extension BatchStoreConformance {
  static let reopeningRules: [BatchStoreRule] = [
    BatchStoreRule(
      "command-reopen-item", "an item that is reopened runs again, and dependents without a result wait for it",
      because: "A failed item can be repaired without the whole batch."
    ) {
      kit in
      try await kit.store.add([
        BatchStoreKit.item("a"), BatchStoreKit.item("b", after: ["a"]),
        BatchStoreKit.item("c", after: ["a"], priority: .low),
      ])
      try await kit.succeed(try await kit.lease("a"))
      try await kit.succeed(try await kit.lease("b"))
      let last = try await kit.store.outcomes(after: 0, limit: 10).last?.position ?? 0
      try kit.expect(try await kit.store.apply(.reopenItem("a")), "reopening changed nothing")
      try kit.expect(!(try await kit.store.apply(.reopenItem("a"))), "reopening twice counts as a change")
      try kit.expectEqual(try await kit.results(), ["b": .succeeded(BatchProduct())], "the results")
      try kit.expectEqual(try await kit.store.summary().blocked, 1, "blocked items")
      try await kit.succeed(try await kit.lease("a"))
      try await kit.succeed(try await kit.lease("c"))
      try kit.expectEqual(
        try await kit.store.outcomes(after: last, limit: 10).map(\.name), ["a", "c"], "the later outcomes")
    },
    BatchStoreRule(
      "reopen-paused", "an item that was paused when it ended is not paused when it is reopened",
      because: "Reopening means that it is to run."
    ) { kit in
      for (name, command) in [("a", BatchCommand.reopen), ("b", .reopenItem("b"))] {
        try await kit.add(name)
        let lease = try await kit.lease(name)
        try await kit.store.apply(.pauseItem(name))
        try await kit.fail(lease)
        try await kit.store.apply(command)
        try await kit.succeed(try await kit.lease(name))
      }
    },
    BatchStoreRule(
      "reopen-running-fails", "a running dependent keeps its lease and its one result when a reopened item fails",
      because: "An item with two results would be counted twice."
    ) { kit in
      for (first, second) in [("x", "d"), ("y", "e")] {
        try await kit.store.add([BatchStoreKit.item(first), BatchStoreKit.item(second, after: [first])])
        try await kit.succeed(try await kit.lease(first))
        let running = try await kit.lease(second)
        try await kit.store.apply(.reopenItem(first))
        try await kit.fail(try await kit.lease(first))
        try kit.expectEqual(try await kit.order(for: running), .proceed, "the order for the dependent")
        try kit.expectEqual(try await kit.store.summary().running, 1, "running items")
        if first == "x" {
          try await kit.succeed(running)
          try kit.expectEqual(try await kit.results()["d"], .succeeded(BatchProduct()), "the result of d")
        } else {
          try await kit.pass(BatchStoreKit.longer)
          try kit.expectEqual(try await kit.results()["e"], .skipped(because: "y"), "the result of e")
        }
      }
      let summary = try await kit.store.summary()
      try kit.expect(summary.isComplete && summary.running == 0 && summary.total == 4, "the summary is \(summary)")
    },
    BatchStoreRule(
      "reopen-running-released", "a dependent that is given back waits for the item that was reopened meanwhile",
      because: "It needs what is made anew."
    ) { kit in
      try await kit.store.add([BatchStoreKit.item("x"), BatchStoreKit.item("d", after: ["x"])])
      try await kit.succeed(try await kit.lease("x"))
      for release in [BatchRelease.unfinished, .retry(after: .zero), .retry(after: .seconds(60)), nil] {
        let dependent = try await kit.lease("d")
        try await kit.store.apply(.reopenItem("x"))
        if let release {
          try await kit.store.release(dependent.id, release)
        } else {
          try await kit.pass(BatchStoreKit.longer)
        }
        let leases = try await kit.expectLeases(["x"], "what begins after \(release.map { "\($0)" } ?? "a lost lease")")
        try kit.expectEqual(try await kit.store.summary().blocked, 1, "blocked items")
        try await kit.succeed(leases[0])
      }
      try await kit.succeed(try await kit.lease("d"))
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "reopen-running-paused", "a paused dependent begins only after all that it depends on",
      because: "A pause must not let an item begin too early."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("x"), BatchStoreKit.item("y"), BatchStoreKit.item("d", after: ["x", "y"]),
      ])
      for lease in try await kit.expectLeases(["x", "y"]) { try await kit.succeed(lease) }
      let dependent = try await kit.lease("d")
      for name in ["x", "y"] { try await kit.store.apply(.reopenItem(name)) }
      let leases = try await kit.expectLeases(["x", "y"])
      try await kit.store.apply(.pauseItem("d"))
      try await kit.store.release(dependent.id, .unfinished)
      try await kit.succeed(leases[1])
      try await kit.store.apply(.reopenItem("y"))
      try await kit.store.apply(.resumeItem("d"))
      try await kit.succeed(leases[0])
      try await kit.succeed(try await kit.lease("y"))
      try await kit.succeed(try await kit.lease("d"))
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "reopen-unable",
      "an item that is reopened after one that it depends on has failed is skipped, with its dependents",
      because: "What can never begin must not keep the batch open."
    ) { kit in
      try await kit.store.add([
        BatchStoreKit.item("x"), BatchStoreKit.item("d", after: ["x"]), BatchStoreKit.item("e", after: ["d"]),
      ])
      try await kit.succeed(try await kit.lease("x"))
      try await kit.succeed(try await kit.lease("d"))
      try await kit.store.apply(.reopenItem("x"))
      let (x, e) = (try await kit.lease("x"), try await kit.lease("e"))
      try await kit.fail(x)
      try await kit.store.release(e.id, .unfinished)
      try await kit.store.apply(.reopenItem("d"))
      let results = try await kit.results()
      for name in ["d", "e"] { try kit.expectEqual(results[name], .skipped(because: "x"), "the result of \(name)") }
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
  ]
}
