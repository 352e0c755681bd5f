import Testing

@testable import CurlewCurlTransport

@Suite struct SessionShelfTests {
  private static func shelf() -> SessionShelf<String, Int> { SessionShelf(mostInAll: 6, mostPerKey: 3) }

  @Test func `a key gets only its own sessions, newest first, each once`() {
    var shelf = Self.shelf()
    for (session, key) in [(1, "a"), (2, "b"), (3, "a")] {
      shelf.keep(session, for: key, until: 100, isSingleUse: true, now: 0)
    }
    #expect(shelf.take("c", now: 1) == nil)
    #expect(shelf.take("a", now: 1)! == (3, true))
    #expect(shelf.take("a", now: 1)! == (1, true))
    #expect(shelf.take("a", now: 1) == nil)
    #expect(shelf.take("b", now: 1)! == (2, true))
    #expect(shelf.count == 0)
  }

  @Test func `a session that may be used again stays, and replaces the earlier one`() {
    var shelf = Self.shelf()
    for session in [1, 2] { shelf.keep(session, for: "a", until: 100, isSingleUse: false, now: 0) }
    #expect(shelf.count == 1)
    for _ in 0..<3 { #expect(shelf.take("a", now: 1)! == (2, false)) }
  }

  @Test func `a session is not used at its end or later, nor kept`() {
    var shelf = Self.shelf()
    shelf.keep(1, for: "a", until: 10, isSingleUse: true, now: 0)
    #expect(shelf.take("a", now: 10) == nil)
    shelf.keep(2, for: "b", until: 100, isSingleUse: true, now: 10)
    #expect(shelf.count == 1)
    shelf.keep(3, for: "b", until: 10, isSingleUse: true, now: 10)
    #expect(shelf.count == 1)
  }

  @Test func `beyond the limits the oldest sessions are dropped`() {
    var shelf = Self.shelf()
    for session in 0..<5 { shelf.keep(session, for: "a", until: 100, isSingleUse: true, now: 0) }
    #expect(shelf.count == 3)
    for session in 5..<9 { shelf.keep(session, for: "\(session)", until: 100, isSingleUse: true, now: 0) }
    #expect(shelf.count == 6)
    #expect(shelf.take("a", now: 1)! == (4, true))
    #expect(shelf.take("a", now: 1)! == (3, true))
    #expect(shelf.take("a", now: 1) == nil)
  }

  @Test func `a forgotten key may be kept again, a refused one only after a time`() {
    var shelf = Self.shelf()
    shelf.keep(1, for: "a", until: 100, isSingleUse: true, now: 0)
    shelf.forget("a")
    #expect(shelf.count == 0)
    shelf.keep(2, for: "a", until: 100, isSingleUse: true, now: 0)
    shelf.refuse("a", until: 50)
    shelf.keep(3, for: "a", until: 100, isSingleUse: true, now: 0)
    shelf.keep(4, for: "b", until: 100, isSingleUse: true, now: 0)
    #expect(shelf.take("a", now: 1) == nil)
    #expect(shelf.take("b", now: 1)! == (4, true))
    shelf.keep(5, for: "a", until: 100, isSingleUse: true, now: 50)
    #expect(shelf.take("a", now: 50)! == (5, true))
  }

  @Test func `only a limited number of refused keys is remembered`() {
    var shelf = Self.shelf()
    for key in 0..<65 { shelf.refuse("\(key)", until: 100) }
    for key in 0..<65 { shelf.keep(key, for: "\(key)", until: 100, isSingleUse: true, now: 0) }
    #expect(shelf.count == 1)
    #expect(shelf.take("0", now: 1)! == (0, true))
  }
}
