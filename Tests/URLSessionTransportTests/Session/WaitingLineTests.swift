import Testing

@testable import CurlewURLSessionTransport

@Suite struct WaitingLineTests {
  private final class Person {
    let name: String
    init(_ name: String) { self.name = name }
  }

  @Test func `higher priority goes first, and equal ones in order of arrival`() {
    var line = WaitingLine<Person>()
    for (name, priority) in [("a", 0), ("b", 10), ("c", -5), ("d", 10), ("e", 0)] as [(String, Int8)] {
      line.append(Person(name), priority: priority)
    }
    var order: [String] = []
    while let next = line.next() { order.append(next.name) }
    #expect(order == ["b", "d", "a", "e", "c"])
    #expect(line.isEmpty)
  }

  @Test func `one who leaves is gone once`() {
    var line = WaitingLine<Person>()
    let people = ["a", "b", "c"].map { Person($0) }
    for person in people { line.append(person, priority: 0) }
    let removals = [line.remove(people[1]), line.remove(people[1])]
    #expect(removals == [true, false])
    let rest = line.removeAll()
    #expect(rest.map(\.name) == ["a", "c"])
  }
}
