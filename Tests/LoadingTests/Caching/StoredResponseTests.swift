import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct StoredResponseTests {
  @Test func `fields of one connection are not stored`() throws {
    let own = try #require(HTTPField.Name("X-Own"))
    let alive = try #require(HTTPField.Name("Keep-Alive"))
    let stored = CacheFixture.stored([
      .connection: "close, X-Own", own: "1", alive: "5", .transferEncoding: "chunked", .proxyAuthenticate: "Basic",
      .contentType: "text/plain",
    ])
    #expect(stored.head.headerFields == [.contentType: "text/plain"])
  }

  @Test func `a 304 brings its fields, keeps those that describe the content and ends the old age`() {
    let stored = CacheFixture.stored([
      .eTag: "\"a\"", .age: "9", .contentLength: "10", .contentEncoding: "gzip", .contentType: "text/plain",
      .cacheControl: "max-age=1",
    ])
    let news = ResponseHead(
      url: Fixture.url, status: .notModified,
      headerFields: [
        .eTag: "\"a\"", .contentLength: "0", .contentEncoding: "br", .cacheControl: "max-age=9", .server: "new",
        .connection: "close",
      ])
    let updated = stored.updated(by: news, requestedAt: CacheFixture.now, receivedAt: CacheFixture.now)
    #expect(updated.head.status == .ok)
    let fields = updated.head.headerFields
    #expect(fields[.contentLength] == "10")
    #expect(fields[.contentEncoding] == "gzip")
    #expect(fields[.contentType] == "text/plain")
    #expect(fields[.cacheControl] == "max-age=9")
    #expect(fields[.server] == "new")
    #expect(fields[.age] == nil)
    #expect(fields[.connection] == nil)
    #expect(fields[.date] == CacheFixture.date(0))
  }

  @Test func `a 304 of another representation confirms nothing`() {
    func confirms(_ stored: HTTPFields, _ news: HTTPFields) -> Bool {
      CacheFixture.stored(stored).isConfirmed(
        by: ResponseHead(url: Fixture.url, status: .notModified, headerFields: news))
    }
    #expect(confirms([.eTag: "\"a\""], [:]))
    #expect(confirms([.eTag: "\"a\""], [.eTag: "\"a\""]))
    #expect(confirms([.eTag: "\"a\""], [.eTag: "W/\"a\""]))
    #expect(!confirms([.eTag: "\"a\""], [.eTag: "\"b\""]))
    #expect(confirms([.eTag: "a"], [.eTag: "a"]))
    #expect(!confirms([.eTag: "a"], [.eTag: "\"a\""]))
    #expect(confirms([.lastModified: "x"], [.lastModified: "x"]))
    #expect(!confirms([.lastModified: "x"], [.lastModified: "y"]))
    #expect(confirms([.eTag: "\"a\"", .lastModified: "x"], [.lastModified: "y"]))
  }

  @Test func `a 304 to a condition of the app, or a HEAD, is about a stored response with its validators only`() {
    let (a, b): (HTTPFields, HTTPFields) = ([.eTag: "\"a\""], [.eTag: "\"b\""])
    let (x, y): (HTTPFields, HTTPFields) = ([.lastModified: "x"], [.lastModified: "y"])
    let both: HTTPFields = [.eTag: "\"a\"", .lastModified: "x"]
    let other: HTTPFields = [.eTag: "\"a\"", .lastModified: "y"]
    // Stored, received, and whether it is about that.
    let cases: [(HTTPFields, HTTPFields, Bool)] = [
      (a, a, true), (a, [.eTag: "W/\"a\""], true), (a, b, false), (a, [:], false), (a, x, false), (a, both, false),
      (x, x, true), (x, y, false), (x, [:], false), (x, a, false), (x, both, false), ([:], [:], true), ([:], a, false),
      ([:], x, false), (both, both, true), (both, a, true), (both, x, true), (both, other, false), (both, y, false),
      (both, [:], false),
    ]
    for (stored, news, isDescribed) in cases {
      let head = ResponseHead(url: Fixture.url, status: .notModified, headerFields: news)
      #expect(CacheFixture.stored(stored).isDescribed(by: head) == isDescribed, "\(stored) \(news)")
    }
  }

  @Test(arguments: [Int64.min, -1, .max])
  func `a stored response of an impossible length answers nothing that traps`(length: Int64) {
    let secret = MemoryCacheStore().secret
    for status in [HTTPResponse.Status.ok, .partialContent] {
      var stored = CacheFixture.stored([.contentRange: "bytes 5-14/20", .eTag: "\"a\""], status: status)
      stored.length = length
      for fields in [[:], [.range: "bytes=5-6"], [.range: "bytes=-3"], [.ifNoneMatch: "\"b\""]] as [HTTPFields] {
        let answer = StoredAnswer(
          stored, to: CacheFixture.asked(fields), source: .cache, now: CacheFixture.now, secret: secret)
        #expect(length > 0 || answer == nil)
      }
    }
  }

  @Test func `values that mean the same select the same`() {
    func same(_ name: HTTPField.Name, _ left: [String], _ right: [String]) -> Bool {
      SelectingField.normalized(name, left) == SelectingField.normalized(name, right)
    }
    #expect(same(.userAgent, ["a, b"], ["a", "b"]))
    #expect(same(.userAgent, ["a,b"], ["a ,  b"]))
    #expect(!same(.userAgent, ["a, b"], ["b, a"]))
    #expect(!same(.userAgent, ["a"], ["A"]))
    #expect(!same(.userAgent, ["\"a,b\""], ["\"a, b\""]))
    #expect(same(.acceptLanguage, ["en, DE;q=0.5"], ["de; q=0.5,en"]))
    #expect(!same(.acceptLanguage, ["en, de;q=0.5"], ["en;q=0.5, de"]))
  }

  @Test func `a record is read back as it was, and from no part or change of its bytes`() throws {
    let records: [CacheRecord] = [
      .response(
        CacheFixture.stored(
          [.eTag: "\"ä\"", .setCookie: "a=b"], status: .init(code: 599, reasonPhrase: "Odd"), ago: 1.5, delay: 0.25,
          selecting: [SelectingField(name: .accept, fingerprint: 7), SelectingField(name: .cookie, fingerprint: nil)])),
      .selector(VariantSelector(names: [.accept, .userAgent], nonce: .max)),
    ]
    for record in records {
      let bytes = record.encoded
      #expect(CacheRecord(encoded: bytes) == record)
      for count in 0..<bytes.count { #expect(CacheRecord(encoded: bytes.prefix(count)) == nil) }
      #expect(CacheRecord(encoded: bytes + [0]) == nil)
      for index in bytes.indices {
        // It may be another record, it must not trap.
        var changed = bytes
        changed[index] ^= 0xff
        _ = CacheRecord(encoded: changed)
      }
    }
  }
}
