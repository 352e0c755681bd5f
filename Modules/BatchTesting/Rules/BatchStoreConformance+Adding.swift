import CurlewBatch
import CurlewRequests

extension BatchStoreConformance {
  static let addingRules: [BatchStoreRule] = [
    BatchStoreRule("add-again", "an equal item may be added again and is left as it is") { kit in
      let items = [BatchItem("a", job: .sample), BatchItem("b", job: .sample, dependencies: ["a"])]
      try kit.expectEqual(try await kit.store.add(items), 2, "new items")
      try kit.expectEqual(try await kit.store.add(items), 0, "new items of the second call")
      try kit.expectEqual(try await kit.store.summary().total, 2, "all items")
    },
    BatchStoreRule("add-conflict", "an item that differs from one with its name is refused, and all added with it") {
      kit in
      try await kit.store.add([BatchItem("a", job: .sample)])
      let error = try await kit.expectError(.conflictingItem, "adding another a") {
        try await kit.store.add([BatchItem("b", job: .sample), BatchItem("a", job: .sample, host: "example.com")])
      }
      try kit.expectEqual(error.item, "a", "the item of the error")
      try kit.expectEqual(try await kit.store.summary().total, 1, "all items")
    },
  ]
}

extension ComponentName<BatchJob> {
  /// The job of a rule's items, which nobody runs.
  static let sample = Self("sample")
}
