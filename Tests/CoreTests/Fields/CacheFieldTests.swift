import CurlewCore
import HTTPTypes
import Testing

struct CacheFieldTests {
  @Test func `every directive is read and written`() {
    let text =
      "public, private, max-age=1, s-maxage=2, max-stale=3, min-fresh=4, no-cache, no-store, no-transform, "
      + "only-if-cached, must-revalidate, proxy-revalidate, must-understand, immutable, stale-while-revalidate=5, "
      + "stale-if-error=6, x, y=\"a b\""
    let value = CacheControl(text)
    #expect(value.description == text)
    #expect(value.maxAge == 1)
    #expect(value.sharedMaxAge == 2)
    #expect(value.maxStale == .seconds(3))
    #expect(value.minFresh == 4)
    #expect(value.staleWhileRevalidate == 5)
    #expect(value.staleIfError == 6)
    #expect(value.noStore && value.noTransform && value.onlyIfCached && value.mustRevalidate)
    #expect(value.proxyRevalidate && value.mustUnderstand && value.immutable && value.isPublic)
    #expect(value.extensions["Y"] == "a b")
    #expect(CacheControl("").description == "")
  }

  @Test(
    arguments: [
      ("max-age=3600", 3600), ("MAX-AGE=\"3600\"", 3600), ("max-age=003600", 3600),
      ("max-age=2147483648", 2_147_483_648),
      ("max-age=99999999999", 2_147_483_648), ("max-age=99999999999999999999999", 2_147_483_648),
      ("max-age=1, max-age=1800", 1), ("max-age=1, extension=\"max-age=3600\"", 1), ("foobar, max-age=3600", 3600),
      ("extension=\"max-age=1\", max-age=3600", 3600), ("max-age=-3600", 0), ("max-age=3600.0", 0),
      ("max-age=3600a", 0),
      ("max-age=a3600", 0), ("max-age='3600'", 0), ("max-age", 0), ("max-age=", 0), ("max-age=\"", 0),
      ("max-age= 5", 0),
      ("max-age =5", 0), ("max-age=x, max-age=5", 0), ("max-age=\"5\"x", 0), ("no-store", nil), ("", nil),
    ] as [(String, Int64?)])
  func `a span is the first one or zero when it cannot be read`(text: String, seconds: Int64?) {
    #expect(CacheControl(text).maxAge == seconds)
  }

  @Test func `what cannot be read never makes a response fresher`() {
    let value = CacheControl(
      "s-maxage=x, stale-if-error=x, stale-while-revalidate, immutable=1, public x, must-understand=1, min-fresh=x, "
        + "max-stale=x, no-store=1, must-revalidate=\"")
    #expect(value.sharedMaxAge == 0)
    #expect(value.staleIfError == nil && value.staleWhileRevalidate == nil && value.maxStale == nil)
    #expect(!value.immutable && !value.isPublic && !value.mustUnderstand)
    #expect(value.minFresh == 2_147_483_648)
    #expect(value.noStore && value.mustRevalidate)
  }

  @Test func `the reach of no-cache is a list of fields or all`() throws {
    let name = try #require(HTTPField.Name("X-A"))
    #expect(CacheControl("no-cache").noCache == .response)
    #expect(CacheControl("no-cache=\"X-A, Set-Cookie\"").noCache == .fields([name, .setCookie]))
    #expect(CacheControl("no-cache=X-A").noCache == .fields([name]))
    #expect(CacheControl("no-cache=\"a b\"").noCache == .response)
    #expect(CacheControl("no-cache=\"\"").noCache == .response)
    #expect(CacheControl("no-cache=\"X-A\", no-cache").noCache == .response)
    #expect(CacheControl("no-cache, no-cache=\"X-A\"").noCache == .response)
    #expect(CacheControl("private=\"X-A\", private=\"x-a,Set-Cookie\"").onlyPrivate == .fields([name, .setCookie]))
    let many = (0..<100).map { "private=\"a\($0), b\($0)\"" }.joined(separator: ",")
    #expect(CacheControl(many).onlyPrivate == .response)
    #expect(CacheControl("private=\"X-A\"").description == "private=\"X-A\"")
  }

  @Test func `several lines are one list`() {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .cacheControl, value: "s-maxage=3600"))
    fields.append(HTTPField(name: .cacheControl, value: "max-age=1"))
    #expect(CacheControl(of: fields).maxAge == 1)
    #expect(CacheControl(of: fields).sharedMaxAge == 3600)
    #expect(CacheControl(of: HTTPFields()) == CacheControl())
  }

  @Test func `a request's directives can be made`() {
    var value = CacheControl()
    value.maxAge = -1
    value.maxStale = .any
    value.extensions = [FieldParameter(name: "a b", value: ""), FieldParameter(name: "c", value: "\r\n")]
    #expect(value.description == "max-age=0, max-stale")
  }

  @Test func `directives beyond the limit are ignored`() {
    let text = (0..<1000).map { "d\($0)" }.joined(separator: ",")
    #expect(CacheControl(text).extensions.count == CacheControl.maximumDirectives)
  }

  @Test func `Vary is a set of names or anything`() throws {
    let name = try #require(HTTPField.Name("Foo"))
    #expect(VaryField("Foo, accept-encoding, FOO") == .fields([.acceptEncoding, name]))
    #expect(VaryField("") == .fields([]))
    #expect(VaryField("*") == .any)
    #expect(VaryField("Foo, *") == .any)
    #expect(VaryField("a b") == .any)
    #expect(VaryField((0..<300).map { "n\($0)" }.joined(separator: ",")) == .any)
    #expect(VaryField("Foo, Bar").description == "Bar, Foo")
    #expect(VaryField(of: [.vary: "*"]) == .any)
    #expect(VaryField(of: [:]) == .fields([]))
  }

  @Test func `Retry-After is seconds or a date`() {
    let now = HTTPDate(secondsSince1970: 784_111_770)
    #expect(RetryAfter("120", now: now) == .seconds(120))
    #expect(RetryAfter("99999999999999999999", now: now)?.delay(from: now) == 2_147_483_648)
    #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.delay(from: now) == 7)
    #expect(RetryAfter("Sun, 06 Nov 1994 08:49:00 GMT", now: now)?.delay(from: now) == 0)
    #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.description == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(RetryAfter.seconds(-5).delay(from: now) == 0)
    #expect(RetryAfter.date(.latest).delay(from: .earliest) > 0)
    for text in ["", "-1", "1.5", "soon", " 1", "1 "] { #expect(RetryAfter(text, now: now) == nil) }
  }

  @Test func `random text never traps and is written to the same value`() {
    var fuzz = FieldFuzz(
      seed: 9, near: ["max-age=60, no-cache=\"a, b\", private", "x=\"y\\\"z\", stale-if-error=5", "*, Foo"])
    let now = HTTPDate(secondsSince1970: 0)
    for _ in 0..<100_000 {
      let text = fuzz.text()
      let value = CacheControl(text)
      let again = CacheControl(value.description)
      // Extensions that no field can carry are not written.
      #expect(again.maxAge == value.maxAge && again.noCache == value.noCache && again.noStore == value.noStore)
      #expect(VaryField(VaryField(text).description) == VaryField(text))
      _ = RetryAfter(text, now: now)
    }
  }
}
