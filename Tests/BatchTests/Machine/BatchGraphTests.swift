import CurlewBatch
import CurlewRequests
import CurlewTestSupport
import Testing

struct BatchGraphTests {
  private func item(_ name: String, _ dependencies: String...) -> BatchItem {
    BatchItem(name, job: ComponentName("job"), dependencies: dependencies)
  }

  @Test func `each item comes after its dependencies`() throws {
    var random = SeededRandom(seed: 7)
    for _ in 1...200 {
      let count = Int.random(in: 1...40, using: &random)
      var items = (0..<count).map { index in
        let dependencies = (0..<index).filter { _ in Int.random(in: 0...5, using: &random) == 0 }
        return BatchItem("\(index)", job: ComponentName("job"), dependencies: dependencies.map { "\($0)" })
      }
      items.shuffle(using: &random)
      let order = try BatchGraph(items).order
      #expect(order.sorted() == Array(0..<count))
      var seen: Set<String> = []
      for index in order {
        #expect(items[index].dependencies.allSatisfy { seen.contains($0) })
        seen.insert(items[index].name)
      }
    }
  }

  @Test func `dependencies that are not among the items are named once, with the first item that has them`() throws {
    let graph = try BatchGraph([item("a", "x"), item("b", "a", "y", "x")])
    #expect(graph.outside.map(\.name) == ["x", "y"])
    #expect(graph.outside.map(\.item) == ["a", "b"])
    #expect(graph.outside[1].unknown.kind == .unknownDependency)
  }

  @Test func `a circle is named without what only leads to it`() throws {
    let error = try #require(throws: BatchError.self) {
      try BatchGraph([
        item("start"), item("in", "a", "start"), item("a", "c"), item("b", "a"), item("c", "b"), item("out", "in"),
      ])
    }
    #expect(error.kind == .dependencyCycle)
    #expect(error.message.contains("\"a\", \"c\", \"b\"") || error.message.contains("\"c\", \"b\", \"a\""))
    #expect(!error.message.contains("\"in\"") && !error.message.contains("\"out"))
  }

  @Test func `an item that depends on itself says so`() throws {
    let error = try #require(throws: BatchError.self) { try BatchGraph([item("a\n", "a\n")]) }
    #expect(error.kind == .dependencyCycle)
    #expect(error.description == "item \"a\\n\": it depends on itself")
  }

  @Test func `a circle of a hundred items is named in part`() throws {
    let items = (0..<100).map { item("n\($0)", "n\(($0 + 1) % 100)") }
    let error = try #require(throws: BatchError.self) { try BatchGraph(items) }
    #expect(error.message.contains("and 90 more"))
  }

  @Test func `two items of one name are refused`() throws {
    let error = try #require(throws: BatchError.self) { try BatchGraph([item("a"), item("b"), item("a")]) }
    #expect(error.kind == .duplicateItem)
    #expect(error.item == "a")
  }
}
