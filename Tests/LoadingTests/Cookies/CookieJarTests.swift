import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A jar at a place and a time.
struct JarAt {
  let jar: MemoryCookieJar
  var date = Date(timeIntervalSince1970: 1_700_000_000)

  init(_ limits: CookieLimits = CookieLimits(), publicSuffixes: any PublicSuffixes = .topLevel) {
    jar = MemoryCookieJar(publicSuffixes: publicSuffixes, limits: limits)
  }

  func set(_ text: String, from url: String = "https://www.a.test/dir/page") throws {
    jar.store([text], from: CookieContext(url: try #require(URL(string: url)), date: date))
  }

  func sent(
    to url: String = "https://www.a.test/dir/page", _ method: HTTPRequest.Method = .get, from: [String] = []
  ) throws -> String {
    let origins = try from.map { try Origin(#require(URL(string: $0))) }
    let context = CookieContext(
      url: try #require(URL(string: url)), method: method, date: date, redirectedFrom: origins)
    return jar.cookies(for: context).map(\.pair).joined(separator: "; ")
  }
}

@Suite(.timeLimit(.minutes(10))) struct CookieJarTests {
  @Test(arguments: [
    ("a=b", "https://www.a.test/", true), ("a=b", "https://a.test/", false), ("a=b", "https://x.www.a.test/", false),
    ("a=b; Domain=a.test", "https://a.test/", true), ("a=b; Domain=.A.Test", "https://x.a.test/", true),
    ("a=b; Domain=a.test", "https://ba.test/", false), ("a=b; Domain=b.test", "https://b.test/", false),
    ("a=b; Domain=x.www.a.test", "https://x.www.a.test/", false), ("a=b; Domain=test", "https://www.a.test/", false),
    ("a=b; Domain=b.test; Domain=", "https://www.a.test/", false), ("a=b; Domain=", "https://www.a.test/", true),
    ("a=b; Domain=a.test; Domain", "https://a.test/", true),
    ("a=b; Domain=; Domain=b.test", "https://www.a.test/", false),
    ("a=b; Domain=ä.test", "https://www.a.test/", false),
    ("a=b; Domain=" + String(repeating: "x", count: 1025), "https://www.a.test/", true),
  ])
  func `a cookie goes to its domain`(text: String, url: String, goes: Bool) throws {
    let at = JarAt()
    try at.set(text + "; Path=/")
    #expect(try at.sent(to: url) == (goes ? "a=b" : ""))
  }

  @Test func `the root's dot makes no public suffix a domain that anyone may set`() throws {
    let list = PublicSuffixList("uk\nco.uk\n*.ck\n!www.ck")
    for (suffixes, suffix) in [
      (list as any PublicSuffixes, "co.uk."), (list, "uk."), (list, "a.ck."), (.topLevel, "test."),
    ] {
      let at = JarAt(publicSuffixes: suffixes)
      try at.set("a=b; Domain=\(suffix); Path=/", from: "https://evil.\(suffix)/")
      #expect(at.jar.all == [])
      try at.set("a=b; Domain=evil.\(suffix); Path=/", from: "https://x.evil.\(suffix)/")
      #expect(try at.sent(to: "https://y.evil.\(suffix)/") == "a=b")
      #expect(try at.sent(to: "https://good.\(suffix)/") == "")
      #expect(suffixes.registrableDomain(of: "x.evil.\(suffix)") == "evil.\(suffix)")
    }
  }

  @Test func `an address is a domain by itself`() throws {
    let at = JarAt()
    try at.set("a=b; Domain=127.0.0.1; Path=/", from: "http://127.0.0.1/")
    try at.set("c=d; Domain=0.1; Path=/", from: "http://127.0.0.1/")
    try at.set("e=f; Path=/", from: "http://[::1]/")
    #expect(try at.sent(to: "http://127.0.0.1:8080/") == "a=b")
    #expect(try at.sent(to: "http://9.127.0.0.1/") == "")
    #expect(try at.sent(to: "http://[0:0::1]/") == "e=f")
  }

  @Test(arguments: [
    ("/", "/any", true), ("/dir", "/dir", true), ("/dir", "/dir/x", true), ("/dir", "/dirx", false),
    ("/dir/", "/dir", false), ("/dir/", "/dir/", true), ("/DIR", "/dir", false), ("dir", "/dir/x", true),
    ("", "/dir/x", true), ("/d%69r", "/dir", false),
  ])
  func `a cookie goes to its path`(path: String, target: String, goes: Bool) throws {
    let at = JarAt()
    try at.set("a=b; Path=\(path)")
    #expect(try at.sent(to: "https://www.a.test\(target)?q=/dir/") == (goes ? "a=b" : ""))
  }

  @Test(arguments: [
    ("https://www.a.test", "/"), ("https://www.a.test/", "/"), ("https://www.a.test/x", "/"),
    ("https://www.a.test/x/", "/x"), ("https://www.a.test/x/y?/z/", "/x"), ("https://www.a.test?/x/", "/"),
  ])
  func `without a path it is for the directory`(url: String, path: String) throws {
    let at = JarAt()
    try at.set("a=b", from: url)
    #expect(at.jar.all.map(\.path) == [path])
  }

  @Test func `longer paths come first, then older cookies, and a new value keeps its place`() throws {
    let at = JarAt()
    try at.set("one=1; Path=/")
    try at.set("two=2; Path=/dir")
    try at.set("three=3; Path=/")
    try at.set("one=4; Path=/")
    #expect(try at.sent() == "two=2; one=4; three=3")
  }

  @Test(arguments: [
    ("Max-Age=10", 9, true), ("Max-Age=10", 10, false), ("Max-Age=0", 0, false), ("Max-Age=-1", 0, false),
    ("Max-Age=x", 10_000_000, true), ("Max-Age=", 10_000_000, true), ("Max-Age=99999999999999999999", 34_559_999, true),
    ("Max-Age=99999999999999999999", 34_560_000, false),
    ("Expires=Tue, 14 Nov 2023 22:13:30 GMT", 9, true), ("Expires=Tue, 14 Nov 2023 22:13:30 GMT", 10, false),
    ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0, false), ("Expires=never", 10_000_000, true),
    ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=10", 9, true), ("Expires=2030 1 jan 1:1:1", 34_560_000, false),
  ])
  func `a cookie ends by Max-Age, else by Expires, and after 400 days at last`(
    attributes: String, seconds: Int, isThere: Bool
  ) throws {
    var at = JarAt()
    try at.set("a=b; \(attributes)")
    at.date += Double(seconds)
    #expect(try at.sent() == (isThere ? "a=b" : ""))
  }

  @Test func `a cookie that is over takes the one before it out`() throws {
    let at = JarAt()
    try at.set("a=b")
    try at.set("a=; Max-Age=0")
    #expect(at.jar.all.isEmpty)
  }

  @Test func `a secure cookie is neither sent nor set nor covered over http`() throws {
    let at = JarAt()
    try at.set("a=b; Secure; Path=/dir")
    #expect(try at.sent(to: "http://www.a.test/dir/x") == "")
    #expect(try at.sent(to: "https://www.a.test/dir/x") == "a=b")
    try at.set("s=1; Secure", from: "http://www.a.test/dir/x")
    // RFC 6265bis §5.7 step 16: the same name, a domain around or below it, a path at or below its path.
    try at.set("a=evil; Path=/dir", from: "http://www.a.test/dir/x")
    try at.set("a=evil; Domain=a.test; Path=/dir/sub", from: "http://www.a.test/dir/x")
    #expect(at.jar.all.map(\.pair) == ["a=b"])
    try at.set("a=above; Path=/", from: "http://www.a.test/dir/x")
    try at.set("other=1", from: "http://www.a.test/dir/x")
    #expect(at.jar.all.map(\.pair) == ["a=b", "a=above", "other=1"])
  }

  @Test(arguments: [
    ("__Secure-a=b; Secure", "https://a.test/", true), ("__Secure-a=b", "https://a.test/", false),
    ("__secure-a=b", "https://a.test/", false), ("__Host-a=b; Secure; Path=/", "https://a.test/", true),
    ("__Host-a=b; Secure", "https://a.test/", false), ("__Host-a=b; Secure; Path=/x", "https://a.test/", false),
    ("__Host-a=b; Secure; Path=/; Domain=a.test", "https://a.test/", false),
    ("__Host-\u{301}a=b; Path=/", "https://a.test/", false), ("__Secure-\u{301}=b", "https://a.test/", false),
    ("__hOST-a=b; Path=/", "https://a.test/", false), ("=__Host-a=b; Secure; Path=/", "https://a.test/", false),
    ("__Secure-", "https://a.test/", false), ("a=b; SameSite=None", "https://a.test/", false),
    ("a=b; SameSite=None; Secure", "https://a.test/", true), ("a=b; SameSite=Odd", "https://a.test/", true),
    ("a=b\u{1}", "https://a.test/", false), ("a\u{7F}=b", "https://a.test/", false),
    ("a=b\tc", "https://a.test/", true),
    ("a=" + String(repeating: "x", count: 4095), "https://a.test/", true),
    ("a=" + String(repeating: "x", count: 4096), "https://a.test/", false), ("", "https://a.test/", false),
    ("=", "https://a.test/", false), (";Secure", "https://a.test/", false), ("=b", "https://a.test/", false),
    ("a", "https://a.test/", false), ("a=", "https://a.test/", true),
  ])
  func `what a name, a size or an attribute forbids is refused`(text: String, url: String, isStored: Bool) throws {
    let at = JarAt()
    try at.set(text, from: url)
    #expect(at.jar.all.isEmpty == !isStored)
  }

  @Test func `requests that another site's redirects cause are kept from some cookies`() throws {
    let at = JarAt()
    for (name, rest) in [
      ("strict", "; SameSite=Strict"), ("lax", "; SameSite=lax"), ("unset", ""), ("none", "; Secure; SameSite=None"),
    ] {
      try at.set("\(name)=1; Path=/\(rest)")
    }
    #expect(try at.sent() == "strict=1; lax=1; unset=1; none=1")
    #expect(try at.sent(.post) == "strict=1; lax=1; unset=1; none=1")
    #expect(try at.sent(.post, from: ["http://a.test/", "https://x.a.test"]) == "strict=1; lax=1; unset=1; none=1")
    #expect(try at.sent(from: ["https://www.a.test", "https://other.test"]) == "lax=1; unset=1; none=1")
    #expect(try at.sent(.post, from: ["https://other.test"]) == "none=1")
  }

  @Test func `a limit takes what is over, then what is in the clear, then what was not used for longest`() throws {
    var at = JarAt(CookieLimits(perDomain: 3, total: 5))
    try at.set("over=1; Max-Age=1; Path=/")
    try at.set("safe=1; Secure; Path=/")
    try at.set("old=1; Path=/dir")
    at.date += 2
    try at.set("young=1; Path=/")
    #expect(at.jar.all.map(\.name) == ["safe", "old", "young"])
    _ = try at.sent(to: "https://www.a.test/dir/x")
    _ = try at.sent(to: "https://www.a.test/")
    try at.set("next=1; Path=/")
    #expect(at.jar.all.map(\.name) == ["safe", "young", "next"])
    for host in ["b", "c", "d"] { try at.set("x=1", from: "https://\(host).test/") }
    #expect(at.jar.all.count == 5)
    #expect(at.jar.all.map(\.domain).suffix(3) == ["b.test", "c.test", "d.test"])
  }

  @Test func `a flood of cookies stays within the limits`() throws {
    let at = JarAt()
    for host in 0..<70 {
      for number in 0..<60 { try at.set("n\(number)=1", from: "https://h\(host).test/") }
    }
    #expect(at.jar.all.count == 3000)
    #expect(at.jar.all.count { $0.domain == "h69.test" } == 50)
  }

  @Test func `the app puts cookies in and takes them out`() {
    let jar = MemoryCookieJar()
    let now = HTTPDate(secondsSince1970: 1_700_000_000)
    #expect(jar.put(Cookie(name: "a", value: "b", domain: "A.test"), at: now))
    #expect(!jar.put(Cookie(name: "a", value: "b\n", domain: "a.test"), at: now))
    #expect(!jar.put(Cookie(name: "a", value: "b", domain: "a b"), at: now))
    #expect(!jar.put(Cookie(name: "a", value: "b", domain: "a.test", path: "x"), at: now))
    #expect(jar.all.map(\.domain) == ["a.test"])
    #expect(!"\(jar.all)".contains("value: \"b\""))
    jar.remove { $0.name == "a" }
    #expect(jar.all.isEmpty)
  }
}
