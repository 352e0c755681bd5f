import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct CacheFreshnessTests {
  private func lifetime(_ fields: HTTPFields, status: HTTPResponse.Status = .ok) -> Double {
    CacheFreshness.lifetime(
      of: CacheFixture.stored(fields, status: status), CacheControl(of: fields), CacheHeuristics())
  }

  private func age(_ fields: HTTPFields, ago: Double = 0, delay: Double = 0) -> Double {
    CacheFreshness.age(of: CacheFixture.stored(fields, ago: ago, delay: delay), now: CacheFixture.now)
  }

  @Test func `max-age comes before Expires, and s-maxage is for others`() {
    let expires = CacheFixture.date(60)
    #expect(lifetime([.cacheControl: "max-age=10", .expires: expires]) == 10)
    #expect(lifetime([.cacheControl: "s-maxage=10", .expires: expires]) == 60)
    #expect(lifetime([.cacheControl: "max-age=10, s-maxage=99"]) == 10)
    #expect(lifetime([.cacheControl: "max-age=99999999999999999999"]) == Double(1 << 31))
    #expect(lifetime([.cacheControl: "max-age=-5", .expires: expires]) == 0)
  }

  @Test func `Expires counts from Date, and in any form but a right one it is past`() {
    #expect(lifetime([.expires: CacheFixture.date(60), .date: CacheFixture.date(-40)]) == 100)
    #expect(lifetime([.expires: CacheFixture.date(-60)]) == 0)
    #expect(lifetime([.expires: "0"]) == 0)
    #expect(lifetime([.expires: ""]) == 0)
    #expect(lifetime([.expires: "Thu, 18 Aug 2050 02:01:18 UTC"]) == 0)
    #expect(lifetime([.expires: "Thursday, 18-Aug-50 02:01:18 GMT"]) > 0)
    var twice: HTTPFields = [:]
    twice.append(HTTPField(name: .expires, value: CacheFixture.date(5)))
    twice.append(HTTPField(name: .expires, value: CacheFixture.date(500)))
    #expect(lifetime(twice) == 5)
  }

  @Test func `without a word on it a tenth of the time since the last change is fresh, a week at most`() {
    #expect(lifetime([.lastModified: CacheFixture.date(-1000)]) == 100)
    #expect(lifetime([.lastModified: CacheFixture.date(-1e9)]) == 7 * 86_400)
    #expect(lifetime([.lastModified: CacheFixture.date(1000)]) == 0)
    #expect(lifetime([.lastModified: CacheFixture.date(-1000)], status: .init(code: 599)) == 0)
    #expect(
      lifetime([.lastModified: CacheFixture.date(-1000), .cacheControl: "public"], status: .init(code: 599)) == 100)
    #expect(lifetime([:]) == 0)
  }

  @Test func `the age is the larger of what Date and Age say, with the time on the way and in the store`() {
    #expect(age([:]) == 0)
    #expect(age([:], ago: 30) == 30)
    #expect(age([:], delay: 4) == 4)
    #expect(age([.age: "100"], ago: 30, delay: 4) == 134)
    #expect(age([.date: CacheFixture.date(-50)]) == 50)
    #expect(age([.date: CacheFixture.date(-50), .age: "10"]) == 50)
    #expect(age([.date: CacheFixture.date(-50), .age: "100"]) == 100)
    #expect(age([.date: CacheFixture.date(50)]) == 0)
  }

  @Test func `of a list in Age the first counts, and what is no number does not`() {
    #expect(age([.age: "7, 0"]) == 7)
    #expect(age([.age: "-7"]) == 0)
    #expect(age([.age: "x"]) == 0)
    #expect(age([.age: ""]) == 0)
    #expect(age([.age: "7.5"]) == 0)
    #expect(age([.age: "999999999999999999999999999"]) == Double(1 << 31))
  }

  @Test func `a wall clock that was set back makes a response stale`() {
    let stored = CacheFixture.stored([.cacheControl: "max-age=100"], ago: -3600)
    let freshness = CacheFreshness(
      stored, CacheControl("max-age=100"), now: CacheFixture.now, CacheHeuristics())
    #expect(!freshness.isFresh)
    let near = CacheFixture.stored([.cacheControl: "max-age=100"], ago: -1)
    #expect(CacheFreshness(near, CacheControl("max-age=100"), now: CacheFixture.now, CacheHeuristics()).isFresh)
  }
}
