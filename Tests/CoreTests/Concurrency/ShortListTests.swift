import Testing

@testable import CurlewCore

@Suite struct ShortListTests {
  @Test func `a literal has its elements in order`() {
    let three: ShortList = [1, 2, 3]
    #expect(Array(three) == [1, 2, 3])
    let none: ShortList<Int> = []
    #expect(none.isEmpty)
  }

  private func list(_ numbers: Int...) -> ShortList<Int> {
    var list = ShortList<Int>()
    for number in numbers { list.append(number) }
    return list
  }

  @Test func `it keeps the order in which elements are appended, also after some were popped`() {
    var list = list(1, 2, 3)
    #expect(Array(list) == [1, 2, 3])
    #expect(list.popFirst() == 1)
    list.append(4)
    #expect(Array(list) == [2, 3, 4])
    #expect(list.popFirst() == 2)
    #expect(list.popFirst() == 3)
    #expect(list.popFirst() == 4)
    #expect(list.popFirst() == nil)
    list.append(5)
    #expect(Array(list) == [5])
  }

  @Test func `it is empty until something is appended, and once all is popped`() {
    var list = list()
    #expect(list.isEmpty)
    #expect(Array(list).isEmpty)
    list.append(1)
    #expect(!list.isEmpty)
    _ = list.popFirst()
    #expect(list.isEmpty)
  }

  @Test(arguments: [(1, [2, 3]), (2, [1, 3]), (3, [1, 2]), (4, [1, 2, 3])])
  func `only the first match is removed, wherever it is`(number: Int, rest: [Int]) {
    var list = list(1, 2, 3)
    let removed = list.removeFirst { $0 == number }
    #expect(removed == (number < 4 ? number : nil))
    #expect(Array(list) == rest)
    var twice = self.list(1, 2, 2)
    #expect(twice.removeFirst { $0 == 2 } == 2)
    #expect(Array(twice) == [1, 2])
  }
}
