import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct OriginQueueTests {
  private final class Item {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private let a: Origin
  private let b: Origin

  init() throws {
    a = try Origin(scheme: .http, host: "a.test")
    b = try Origin(scheme: .http, host: "b.test")
  }

  private func expect(_ found: [Bool], are expected: [Bool], _ place: SourceLocation = #_sourceLocation) {
    #expect(found == expected, sourceLocation: place)
  }

  private func drain(_ queue: inout OriginQueue<Item>) -> [String] {
    var names: [String] = []
    while let item = queue.next() { names.append(item.name) }
    return names
  }

  @Test func `an item need not wait while a place is free and nobody waits for one`() {
    var queue = OriginQueue<Item>(perOrigin: 2, inAll: 3)
    expect([a, a, a].map { queue.admits($0) }, are: [true, true, false])
    // The third of three is the last.
    expect([b, b].map { queue.admits($0) }, are: [true, false])
    queue.finished(b)
    // One that waits goes first.
    queue.enqueue(Item("b1"), for: b, priority: 0)
    expect([b].map { queue.admits($0) }, are: [false])
    expect(drain(&queue), is: ["b1"])
    queue.finished(a)
    queue.finished(a)
    expect([a, a, a].map { queue.admits($0) }, are: [true, true, false])
  }

  @Test func `an item that waits at its origin's limit holds up no other origin`() {
    var queue = OriginQueue<Item>(perOrigin: 1, inAll: nil)
    expect([a].map { queue.admits($0) }, are: [true])
    queue.enqueue(Item("a2"), for: a, priority: 0)
    expect(drain(&queue), is: [])
    expect([b, a].map { queue.admits($0) }, are: [true, false])
    queue.finished(a)
    expect(drain(&queue), is: ["a2"])
  }

  @Test func `the highest priority goes first, and the oldest of those`() {
    var queue = OriginQueue<Item>(perOrigin: 10, inAll: nil)
    for (name, priority) in [("1", 0), ("2", 5), ("3", 0), ("4", 5), ("5", -5)] as [(String, Int8)] {
      queue.enqueue(Item(name), for: a, priority: priority)
    }
    expect(drain(&queue), is: ["2", "4", "1", "3", "5"])
  }

  @Test func `priorities hold across origins, and age decides between equals`() {
    var queue = OriginQueue<Item>(perOrigin: 10, inAll: nil)
    queue.enqueue(Item("a0"), for: a, priority: 0)
    queue.enqueue(Item("b1"), for: b, priority: 1)
    queue.enqueue(Item("b0"), for: b, priority: 0)
    queue.enqueue(Item("a1"), for: a, priority: 1)
    expect(drain(&queue), is: ["b1", "a1", "a0", "b0"])
  }

  @Test func `an origin at its limit holds up no other`() {
    var queue = OriginQueue<Item>(perOrigin: 1, inAll: nil)
    for name in ["a1", "a2"] { queue.enqueue(Item(name), for: a, priority: 9) }
    queue.enqueue(Item("b1"), for: b, priority: 0)
    expect(drain(&queue), is: ["a1", "b1"])
    queue.finished(a)
    expect(drain(&queue), is: ["a2"])
    queue.finished(b)
    expect(drain(&queue), is: [])
  }

  @Test func `the limit in all holds`() {
    var queue = OriginQueue<Item>(perOrigin: 5, inAll: 2)
    for number in 0..<4 { queue.enqueue(Item("\(number)"), for: number % 2 == 0 ? a : b, priority: 0) }
    expect(drain(&queue), is: ["0", "1"])
    queue.finished(a)
    expect(drain(&queue), is: ["2"])
  }

  @Test func `what is taken out does not go on the wire`() {
    var queue = OriginQueue<Item>(perOrigin: 1, inAll: nil)
    let items = (0..<3).map { Item("\($0)") }
    for item in items { queue.enqueue(item, for: a, priority: 0) }
    let first = queue.next()
    let removed = [queue.remove(items[1], for: a), queue.remove(items[0], for: a)]
    #expect(first === items[0])
    #expect(removed == [true, false])
    queue.finished(a)
    expect(drain(&queue), is: ["2"])
  }

  @Test func `random use keeps limits, order and every item`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let limit = Int.random(in: 1...4, using: &random)
      var queue = OriginQueue<Item>(perOrigin: limit, inAll: 6)
      var waiting: Set<String> = []
      var running: [Origin: Int] = [:]
      var owner: [String: Origin] = [:]
      for step in 0..<300 {
        if Bool.random(using: &random) {
          let origin = Bool.random(using: &random) ? a : b
          queue.enqueue(Item("\(step)"), for: origin, priority: Int8.random(in: -1...1, using: &random))
          owner["\(step)"] = origin
          waiting.insert("\(step)")
        } else if let origin = running.filter({ $0.value > 0 }).keys.randomElement(using: &random) {
          running[origin, default: 0] -= 1
          queue.finished(origin)
        }
        while let item = queue.next() {
          #expect(waiting.remove(item.name) != nil)
          guard let origin = owner[item.name] else { continue }
          running[origin, default: 0] += 1
        }
        #expect(running.values.allSatisfy { $0 <= limit } && running.values.reduce(0, +) <= 6)
      }
      let left = Set(queue.removeAll().map(\.name))
      #expect(left == waiting)
    }
  }

  private func expect(_ names: [String], is expected: [String], _ place: SourceLocation = #_sourceLocation) {
    #expect(names == expected, sourceLocation: place)
  }
}
