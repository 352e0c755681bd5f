import CurlewBatch
import CurlewCore
import CurlewTestSupport

extension BatchStoreConformance {
  static let commandRules: [BatchStoreRule] = [
    BatchStoreRule(
      "pause-all", "a paused batch begins nothing, and has what runs give back its place",
      because: "A pause must free the network at once."
    ) { kit in
      try await kit.add("a", "b")
      let lease = try await kit.lease("a")
      try kit.expect(try await kit.store.apply(.pause), "the batch was not paused")
      try kit.expect(!(try await kit.store.apply(.pause)), "pausing twice counts as a change")
      try kit.expectEqual(try await kit.order(for: lease), .pause, "the order for what runs")
      try await kit.expectLeases([])
      try await kit.store.release(lease.id, .unfinished)
      let summary = try await kit.store.summary()
      try kit.expect(summary.isPaused && summary.ready == 2 && summary.running == 0, "the summary is \(summary)")
      try kit.expect(try await kit.store.apply(.resume), "the batch was not resumed")
      try await kit.expectLeases(["a", "b"])
    },
    BatchStoreRule(
      "pause-item", "a paused item gives back its place, and takes one again when it is resumed",
      because: "A paused item must not hold the place of one that could run."
    ) { kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 1)))
      try await kit.add("a", "b")
      let lease = try await kit.lease("a")
      try await kit.store.apply(.pauseItem("a"))
      try kit.expectEqual(try await kit.order(for: lease), .pause, "the order")
      try await kit.store.release(lease.id, .unfinished)
      try kit.expectEqual(try await kit.store.summary().paused, 1, "paused items")
      let other = try await kit.lease("b")
      try kit.expect(try await kit.store.apply(.resumeItem("a")), "a was not resumed")
      try await kit.expectLeases([], "what begins without a place")
      try await kit.succeed(other)
      try await kit.expectLeases(["a"])
    },
    BatchStoreRule(
      "pause-early", "an item may be paused while it waits, and does not begin when it could",
      because: "A person may pause what has not begun."
    ) { kit in
      try await kit.store.add([BatchStoreKit.item("a"), BatchStoreKit.item("b", after: ["a"])])
      try await kit.store.apply(.pauseItem("b"))
      try await kit.succeed(try await kit.lease("a"))
      try await kit.expectLeases([])
      try await kit.store.apply(.resumeItem("b"))
      try await kit.expectLeases(["b"])
    },
    BatchStoreRule(
      "pause-lost", "an item that was paused stays so when its lease runs out, and may end while it runs",
      because: "A worker that dies must not resume what a person has paused."
    ) { kit in
      try await kit.add("a", "b")
      let leases = try await kit.expectLeases(["a", "b"])
      for name in ["a", "b"] { try await kit.store.apply(.pauseItem(name)) }
      try await kit.succeed(leases[1])
      try await kit.pass(BatchStoreKit.longer)
      try await kit.expectLeases([])
      let summary = try await kit.store.summary()
      try kit.expect(summary.paused == 1 && summary.succeeded == 1, "the summary is \(summary)")
    },
    BatchStoreRule(
      "pause-both", "an item that was paused alone stays paused when the batch is resumed",
      because: "Two pauses are two decisions."
    ) { kit in
      try await kit.add("a", "b")
      try await kit.store.apply(.pauseItem("a"))
      try await kit.store.apply(.pause)
      try await kit.store.apply(.resume)
      try await kit.expectLeases(["b"])
    },
    BatchStoreRule(
      "cancel-all", "a cancelled batch ends what waits at once, and what runs when its worker says so",
      because: "Nothing may begin after a person has cancelled."
    ) {
      kit in
      try await kit.store.apply(.setRules(BatchRules(limit: 2)))
      try await kit.add("a", "b", "c", "paused")
      try await kit.store.add([BatchStoreKit.item("d", after: ["a"])])
      try await kit.store.apply(.pauseItem("paused"))
      let leases = try await kit.expectLeases(["a", "b"])
      try kit.expect(try await kit.store.apply(.cancel), "nothing was cancelled")
      try kit.expect(!(try await kit.store.apply(.cancel)), "cancelling twice counts as a change")
      for lease in leases { try kit.expectEqual(try await kit.order(for: lease), .cancel, "the order for what runs") }
      try kit.expect(!(try await kit.store.summary().isComplete), "the batch is complete while items run")
      try await kit.succeed(leases[0])
      try await kit.store.release(leases[1].id, .unfinished)
      let results = try await kit.results()
      try kit.expectEqual(results["a"], .succeeded(BatchProduct()), "the result of what was done already")
      for name in ["b", "c", "d", "paused"] { try kit.expectEqual(results[name], .cancelled, "the result of \(name)") }
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "cancel-item", "a cancelled item ends at once where it does not run, and its dependents are skipped",
      because: "One item can be unwanted, and what needs it with it."
    ) { kit in
      try await kit.store.add([BatchStoreKit.item("a"), BatchStoreKit.item("b", after: ["a"]), BatchStoreKit.item("c")])
      try kit.expect(try await kit.store.apply(.cancelItem("a")), "nothing was cancelled")
      let results = try await kit.results()
      try kit.expectEqual(results, ["a": .cancelled, "b": .skipped(because: "a")], "the results")
      try await kit.expectLeases(["c"])
    },
    BatchStoreRule(
      "cancel-running", "a running item that was cancelled ends with its worker, its retry or its lease",
      because: "Only its worker can stop it, or its lease."
    ) {
      kit in
      try await kit.store.add(
        ["a", "b", "c"].flatMap { [BatchStoreKit.item($0), BatchStoreKit.item("\($0)1", after: [$0])] })
      let leases = try await kit.expectLeases(["a", "b", "c"])
      for name in ["a", "b", "c"] { try await kit.store.apply(.cancelItem(name)) }
      try await kit.store.finish(leases[0].id, with: .cancelled)
      try await kit.store.release(leases[1].id, .retry(after: .seconds(60)))
      try await kit.pass(BatchStoreKit.longer)
      try await kit.expectLeases([])
      let results = try await kit.results()
      for name in ["a", "b", "c"] {
        try kit.expectEqual(results[name], .cancelled, "the result of \(name)")
        try kit.expectEqual(results["\(name)1"], .skipped(because: name), "the result of its dependent")
      }
    },
    BatchStoreRule(
      "cancel-paused", "an item that is paused and cancelled while it runs is told to cancel",
      because: "A worker must learn the last of two commands."
    ) { kit in
      try await kit.add("a", "b")
      let leases = try await kit.expectLeases(["a", "b"])
      for name in ["a", "b"] { try await kit.store.apply(.pauseItem(name)) }
      for name in ["a", "b"] { try await kit.store.apply(.cancelItem(name)) }
      try await kit.store.apply(.pause)
      for lease in leases { try kit.expectEqual(try await kit.order(for: lease), .cancel, "the order") }
      try await kit.store.release(leases[0].id, .unfinished)
      try await kit.pass(BatchStoreKit.longer)
      try kit.expectEqual(try await kit.results(), ["a": .cancelled, "b": .cancelled], "the results")
    },
    BatchStoreRule(
      "command-ended", "an item that has its result is not changed any more",
      because: "A result is final until an item is reopened."
    ) { kit in
      try await kit.add("a")
      try await kit.succeed(try await kit.lease("a"))
      for command in [
        BatchCommand.pauseItem("a"), .resumeItem("a"), .cancelItem("a"), .prioritize("a", .high), .cancel,
      ] {
        try kit.expect(!(try await kit.store.apply(command)), "\(command) changed something")
      }
      try kit.expectEqual(try await kit.results(), ["a": .succeeded(BatchProduct())], "the results")
    },
    BatchStoreRule(
      "command-unknown", "a command for an item that is not there is refused",
      because: "A misspelt name must not look like success."
    ) { kit in
      for command in [
        BatchCommand.pauseItem("x"), .resumeItem("x"), .cancelItem("x"), .prioritize("x", .high), .reopenItem("x"),
      ] {
        let error = try await kit.expectError(.unknownItem, "\(command)") { try await kit.store.apply(command) }
        try kit.expectEqual(error.item, "x", "the item of the error")
      }
    },
    BatchStoreRule(
      "change-calls", "whoever waits for a change learns of every call that makes one",
      because: "A view that misses a change shows what is no longer true."
    ) { kit in
      try await kit.add("a", "b", "c")
      let store = kit.store
      let leases = try await kit.expectLeases(["a", "b", "c"])
      let calls: [@Sendable () async throws -> Void] = [
        { try await store.add([BatchStoreKit.item("d")]) },
        { try await store.apply(.pauseItem("a")) },
        { try await kit.succeed(leases[0]) },
        { try await store.release(leases[1].id, .unfinished) },
        { try await store.release(leases[2].id, .retry(after: .zero)) },
      ]
      for call in calls {
        let revision = try await store.summary().revision
        async let change: Void = store.change(since: revision)
        try await call()
        try await change
        try kit.expect(try await store.summary().revision > revision, "the revision did not grow")
        try await store.change(since: revision)
      }
    },
    BatchStoreRule(
      "change-cancel", "whoever waits for a change can stop waiting",
      because: "A view that is closed must not hold a task."
    ) { kit in
      let store = kit.store
      let revision = try await store.summary().revision
      let waiting = Task {
        while try await store.summary().revision == revision { try await store.change(since: revision) }
      }
      waiting.cancel()
      do {
        try await waiting.value
        throw ConformanceFailure("a cancelled wait ended without an error")
      } catch is CancellationError {}
    },
  ]
}
