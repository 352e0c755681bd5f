import CurlewCore
import Testing

@testable import CurlewCurlTransport

@Suite struct OriginTableTests {
  private final class Entry {}

  @Test func `each origin has one entry, whichever was asked for last`() throws {
    var table = OriginTable<Entry>()
    let (a, b) = (try Origin(scheme: .http, host: "a.test"), try Origin(scheme: .https, host: "a.test"))
    #expect(isNil(table[a]))
    let first = table.entry(a) { Entry() }
    let second = table.entry(b) { Entry() }
    #expect(first !== second && table.count == 2 && Array(table.all).count == 2)
    for _ in 0..<2 {
      let found = [table[a], table.entry(a) { Entry() }, table[b], table[b], table[a]]
      #expect(zip(found, [first, first, second, second, first]).allSatisfy { $0 === $1 })
    }
  }

  @Test func `an entry that was removed is not found, and another one takes its place`() throws {
    var table = OriginTable<Entry>()
    let a = try Origin(scheme: .http, host: "a.test")
    let first = table.entry(a) { Entry() }
    table.remove(a)
    #expect(isNil(table[a]) && table.count == 0)
    let second = table.entry(a) { Entry() }
    #expect(second !== first && table.count == 1)
  }

  private func isNil(_ entry: Entry?) -> Bool { entry == nil }
}
