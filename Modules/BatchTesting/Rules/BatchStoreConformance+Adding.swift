import CurlewBatch
import CurlewCore
import CurlewRequests
import FoundationEssentials

extension BatchStoreConformance {
  static let addingRules: [BatchStoreRule] = [
    BatchStoreRule(
      "add-again", "an equal item may be added again and is left as it is, whatever its priority",
      because: "A program that is started again adds its whole list again."
    ) { kit in
      var items = [BatchStoreKit.item("a"), BatchStoreKit.item("b", after: ["a"])]
      try kit.expectEqual(try await kit.store.add(items), 2, "new items")
      items[1].priority = .high
      items.append(BatchStoreKit.item("c"))
      try kit.expectEqual(try await kit.store.add(items), 1, "new items of the second call")
      try kit.expectEqual(try await kit.store.summary().total, 3, "all items")
    },
    BatchStoreRule(
      "add-conflict", "an item that differs from one with its name is refused, with all added with it",
      because: "A different item under a known name would replace work that may already run."
    ) {
      kit in
      let item = BatchStoreKit.item("a", bytes: 7)
      try await kit.add("dependency")
      try await kit.store.add([item])
      var others: [BatchItem] = []
      others.append(BatchItem("a", job: ComponentName("other"), expectedBytes: 7))
      others.append(BatchItem("a", job: .sample, input: Data([1]), expectedBytes: 7))
      others.append(BatchStoreKit.item("a", after: ["dependency"], bytes: 7))
      others.append(BatchStoreKit.item("a", host: "example.com", bytes: 7))
      others.append(BatchStoreKit.item("a"))
      for other in others {
        let error = try await kit.expectError(.conflictingItem, "adding another a") {
          try await kit.store.add([BatchStoreKit.item("new"), other])
        }
        try kit.expectEqual(error.item, "a", "the item of the error")
      }
      try kit.expectEqual(try await kit.store.summary().total, 2, "all items")
    },
    BatchStoreRule(
      "add-duplicate", "two items of one name in one call are refused, with all added with them",
      because: "Which of both is meant cannot be known."
    ) { kit in
      let error = try await kit.expectError(.duplicateItem, "adding a twice") { try await kit.add("b", "a", "a") }
      try kit.expectEqual(error.item, "a", "the item of the error")
      try kit.expectEqual(try await kit.store.summary().total, 0, "all items")
    },
    BatchStoreRule(
      "add-unknown", "a dependency that nobody knows is refused",
      because: "An item that waits for nobody would wait forever."
    ) { kit in
      let error = try await kit.expectError(.unknownDependency, "adding") {
        try await kit.store.add([BatchStoreKit.item("a"), BatchStoreKit.item("b", after: ["a", "nobody"])])
      }
      try kit.expectEqual(error.item, "b", "the item of the error")
      try kit.expect(error.message.contains("nobody"), "the message does not name the dependency: \(error)")
      try kit.expectEqual(try await kit.store.summary().total, 0, "all items")
    },
    BatchStoreRule(
      "add-circle", "items that depend on each other in a circle are refused",
      because: "Items in a circle would wait for each other forever."
    ) { kit in
      for circle in [["a"], ["a", "b"], ["a", "b", "c"]] {
        let items = circle.indices.map { index in
          BatchStoreKit.item(circle[index], after: [circle[(index + 1) % circle.count]])
        }
        try await kit.expectError(.dependencyCycle, "adding a circle") {
          try await kit.store.add(items + [BatchStoreKit.item("d", after: ["a"])])
        }
      }
      try kit.expectEqual(try await kit.store.summary().total, 0, "all items")
    },
    BatchStoreRule(
      "add-invalid", "an item beyond the limits is refused",
      because: "A list from outside must not exhaust the store."
    ) { kit in
      let long = String(repeating: "n", count: BatchLimits.nameBytes + 1)
      let large = Data(count: BatchLimits.inputBytes + 1)
      let wrong = [
        BatchStoreKit.item(""), BatchStoreKit.item(long), BatchStoreKit.item("a\0b"), BatchStoreKit.item("a", host: ""),
        BatchStoreKit.item("a", bytes: -1), BatchItem("a", job: .sample, input: large),
        BatchItem("a", job: ComponentName("")),
      ]
      for item in wrong {
        try await kit.expectError(.invalidItem, "adding") { try await kit.store.add([item]) }
      }
      try kit.expectEqual(try await kit.store.summary().total, 0, "all items")
    },
    BatchStoreRule(
      "add-nothing", "a store without items is complete, also after adding none",
      because: "An empty list is complete, not waited for."
    ) { kit in
      try kit.expectEqual(try await kit.store.add([]), 0, "new items")
      try kit.expect(try await kit.store.summary().isComplete, "an empty store is not complete")
      try kit.expect(
        try await kit.store.lease(1, for: BatchStoreKit.leaseTime).isComplete, "leasing does not say complete")
    },
    BatchStoreRule(
      "add-unordered", "dependencies may be added before, with and after their dependents",
      because: "A list need not be sorted by whoever writes it."
    ) { kit in
      try await kit.add("first")
      try await kit.store.add([
        BatchStoreKit.item("last", after: ["middle", "first"]), BatchStoreKit.item("middle", after: ["first"]),
      ])
      for name in ["first", "middle", "last"] { try await kit.succeed(try await kit.lease(name)) }
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "add-late", "an item whose dependency has failed before is skipped at once",
      because: "What can never begin must not keep the batch open."
    ) { kit in
      try await kit.add("a")
      try await kit.fail(try await kit.lease("a"))
      try await kit.store.add([BatchStoreKit.item("b", after: ["a"]), BatchStoreKit.item("c", after: ["b"])])
      let results = try await kit.results()
      try kit.expectEqual(results["b"], .skipped(because: "a"), "the result of b")
      try kit.expectEqual(results["c"], .skipped(because: "a"), "the result of c")
      try kit.expect(try await kit.store.summary().isComplete, "the batch is not complete")
    },
    BatchStoreRule(
      "add-values", "an item comes out of the store as it went in",
      because: "What a store drops or changes is lost work."
    ) { kit in
      let input = Data((0...255).map { UInt8($0) })
      let items = [
        BatchItem(
          "'; -- \"ü 鳥 🐦\n\u{1}", job: ComponentName("a/b 'c'"), input: input, host: "bücher.example", priority: .high),
        BatchItem("plain", job: .sample, priority: RequestPriority(rawValue: -128), expectedBytes: 0),
        BatchItem(
          String(repeating: "n", count: BatchLimits.nameBytes), job: .sample,
          input: Data(count: BatchLimits.inputBytes),
          priority: .low, expectedBytes: 1 << 50),
      ]
      try await kit.store.add(items)
      let leased = Dictionary(uniqueKeysWithValues: try await kit.lease().map { ($0.item.name, $0.item) })
      for item in items { try kit.expect(leased[item.name] == item, "\(item.name.prefix(20)) came out changed") }
    },
  ]
}

extension ComponentName<BatchJob> {
  /// The job of the items in the rules; no worker runs it.
  static let sample = Self("sample")
}
