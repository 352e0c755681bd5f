import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectLocationTests {
  private static let base = "http://a.test/b/c/d;p?q#f"

  /// RFC 3986 §5.4 for http, what the RFC inherits of the fragment (RFC 9110 §10.2.2), and what servers get wrong.
  @Test(arguments: [
    ("g", "http://a.test/b/c/g#f"), ("./g", "http://a.test/b/c/g#f"), ("g/", "http://a.test/b/c/g/#f"),
    ("/g", "http://a.test/g#f"), ("//g", "http://g/#f"), ("?y", "http://a.test/b/c/d;p?y#f"),
    ("g?y", "http://a.test/b/c/g?y#f"), ("g#s", "http://a.test/b/c/g#s"),
    ("g?y#s", "http://a.test/b/c/g?y#s"), (";x", "http://a.test/b/c/;x#f"), ("g;x", "http://a.test/b/c/g;x#f"),
    (".", "http://a.test/b/c/#f"), ("./", "http://a.test/b/c/#f"), ("..", "http://a.test/b/#f"),
    ("../", "http://a.test/b/#f"), ("../g", "http://a.test/b/g#f"), ("../..", "http://a.test/#f"),
    ("../../g", "http://a.test/g#f"), ("../../../g", "http://a.test/g#f"), ("../../../../g", "http://a.test/g#f"),
    ("/./g", "http://a.test/g#f"), ("/../g", "http://a.test/g#f"), ("g.", "http://a.test/b/c/g.#f"),
    (".g", "http://a.test/b/c/.g#f"), ("g..", "http://a.test/b/c/g..#f"), ("./../g", "http://a.test/b/g#f"),
    ("./g/.", "http://a.test/b/c/g/#f"), ("g/./h", "http://a.test/b/c/g/h#f"), ("g/../h", "http://a.test/b/c/h#f"),
    ("g;x=1/../y", "http://a.test/b/c/y#f"), ("g?y/../x", "http://a.test/b/c/g?y/../x#f"),
    ("https://g.test", "https://g.test/#f"), ("HTTP://G.Test:80/x", "http://g.test/x#f"),
    ("http://g.test?x", "http://g.test/?x#f"), ("http://g.test:81/", "http://g.test:81/#f"),
    ("/a b", "http://a.test/a%20b#f"), ("/ü|{}", "http://a.test/%C3%BC%7C%7B%7D#f"),
    ("/%zz%2f", "http://a.test/%25zz%2f#f"),
    ("/a[1]?b[]=2", "http://a.test/a%5B1%5D?b%5B%5D=2#f"), ("/x?a\\b", "http://a.test/x?a%5Cb#f"),
    ("  /g  ", "http://a.test/g#f"), ("http://bücher.test/", "http://xn--bcher-kva.test/#f"),
    ("http://[::1]:8080/x", "http://[::1]:8080/x#f"), ("http://0x7f.1/", "http://127.0.0.1/#f"),
    ("/g#", "http://a.test/g#"),
    ("1:2/x", "http://a.test/b/c/1:2/x#f"),
  ])
  func `a Location is resolved as RFC 3986 says`(location: String, expected: String) async throws {
    let stub = Redirecting(["http://a.test/b/c/d;p?q": .redirect(to: location)])
    let response = try await stub.load(Self.base) { $0.options.redirectLimit = 1 }
    #expect(stub.urls.last == expected)
    #expect(response.head.url.absoluteString == expected)
  }

  private func found(_ locations: [UInt8]...) -> StubAnswer {
    StubAnswer(.found, headerFields: HTTPFields(locations.map { HTTPField(name: .location, lenientValue: $0) }))
  }

  @Test(arguments: [
    ("/caf", [0xe9], "/caf%E9"), ("/", [0xc3, 0xa9], "/%C3%A9"), ("/x?q=", [0xff, 0xfe, 0x20], "/x?q=%FF%FE"),
    ("/x#", [0xe9], "/x#%E9"), ("/", [0xef, 0xbf, 0xbd], "/%EF%BF%BD"),
  ])
  func `bytes of a Location that are not ASCII are escaped as they are`(
    start: String, bytes: [UInt8], expected: String
  ) async throws {
    let stub = Redirecting(["http://a.test/": found(Array(start.utf8) + bytes)])
    try await stub.load("http://a.test/")
    #expect(stub.urls.last == "http://a.test" + expected)
  }

  @Test func `Locations that differ only in bytes that are not UTF-8 are two`() async throws {
    let stub = Redirecting(["http://a.test/": found([0x2f, 0xe9], [0x2f, 0xe8])])
    let error = await #expect(throws: NetworkError.self) { try await stub.load("http://a.test/") }
    #expect(error?.kind == .invalidRedirect)
    let equal = Redirecting(["http://a.test/": found([0x2f, 0xe9], [0x2f, 0xe9])])
    try await equal.load("http://a.test/")
    #expect(equal.urls.last == "http://a.test/%E9")
  }

  @Test(arguments: [
    "ftp://a.test/", "javascript:alert(1)", "data:text/plain,x", "file:///etc/passwd", "mailto:x@a.test", "g:h",
    "http:", "http:g", "https:/g", "http:///g", "//", "http://user@a.test/", "http://user:secret@a.test/",
    "//evil.test\\@a.test/", "/\\evil.test", "http://a.test:0/", "http://a.test:65536/", "http://a.test:x/",
    "http://a b/",
    "http://[::1/", "http://a..test/", "http://%00/", "/g\u{7}", "/a\tb", "http://256.256.256.256/",
    "http://a.test/" + String(repeating: "x", count: 70_000),
  ])
  func `a Location that cannot be followed is an error`(location: String) async throws {
    let stub = Redirecting(["http://a.test/": .redirect(to: location)])
    do {
      try await stub.load("http://a.test/")
      Issue.record("It was followed to \(stub.urls.last ?? "").")
    } catch let error as NetworkError {
      #expect(error.kind == .invalidRedirect)
      #expect(error.details.response?.status == .found)
      #expect(!error.description.contains("secret"))
    }
    #expect(stub.recording.requests.count == 1)
  }

  @Test func `without a Location, or with an empty one, the 3xx is the response`() async throws {
    let stub = Redirecting([
      "http://a.test/none": StubAnswer(.found), "http://a.test/empty": .redirect(to: ""),
    ])
    #expect(try await stub.load("http://a.test/none").head.status == .found)
    #expect(try await stub.load("http://a.test/empty").head.status == .found)
  }

  @Test func `several Locations must agree`() async throws {
    let stub = Redirecting([
      "http://a.test/same": .redirect(to: "/x", [.location: "/x"]),
      "http://a.test/other": .redirect(to: "/x", [.location: "/y"]),
    ])
    #expect(try await stub.load("http://a.test/same").head.url.path == "/x")
    #expect(await Fixture.kind { try await stub.load("http://a.test/other") } == .invalidRedirect)
  }

  @Test func `a fragment goes along until a Location has one`() async throws {
    let stub = Redirecting(["http://a.test/1": .redirect(to: "/2"), "http://a.test/2": .redirect(to: "/3#new")])
    let response = try await stub.load("http://a.test/1#old")
    #expect(stub.urls == ["http://a.test/1#old", "http://a.test/2#old", "http://a.test/3#new"])
    #expect(response.head.url.fragment == "new")
  }
}
