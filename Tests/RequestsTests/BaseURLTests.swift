import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CurlewRequests

@Suite(.timeLimit(.minutes(10))) struct BaseURLTests {
  /// AFNetworking's own examples; its documentation leaves the slash of `foo/` out, its code does not.
  private static let documented: [(path: String, url: String)] = [
    ("foo", "http://example.com/v1/foo"), ("foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
    ("/foo", "http://example.com/foo"), ("foo/", "http://example.com/v1/foo/"),
    ("/foo/", "http://example.com/foo/"), ("http://example2.com/", "http://example2.com/"),
  ]

  @Test(arguments: ["http://example.com/v1/", "http://example.com/v1"])
  func `AFNetworking's examples hold with and without the slash at the end of the base`(_ text: String) throws {
    let base = try BaseURL(text)
    for (path, url) in Self.documented { #expect(try base.url(for: path).absoluteString == url, "\(path)") }
  }

  @Test(
    arguments: [
      // A slash is appended to a path that lacks it, in front of a query; a base without a path gets none of its own.
      ("http://h.test/v1", "http://h.test/v1/"), ("http://h.test/v1/", "http://h.test/v1/"),
      ("http://h.test", "http://h.test/"), ("http://h.test/a/b.c", "http://h.test/a/b.c/"),
      ("http://h.test/v1?key=1", "http://h.test/v1/?key=1"), ("http://h.test?key=/", "http://h.test/?key=/"),
      ("http://h.test/v1#part", "http://h.test/v1/"), ("HTTP://H.Test:80/V1", "http://h.test/V1/"),
      ("https://h.test:8443/a/../b", "https://h.test:8443/b/"), ("http://[::1]:80/x", "http://[::1]/x/"),
      ("http://h.test/a b", "http://h.test/a%20b/"), (" http://h.test/ ", "http://h.test/"),
      ("http://bücher.test/", "http://xn--bcher-kva.test/"),
    ])
  func `a base URL has a path that ends with a slash, and canonical form`(_ text: String, _ url: String) throws {
    #expect(try BaseURL(text).url.absoluteString == url)
  }

  @Test(
    arguments: [
      // RFC 3986 §5.4.1, for the parts that an API's base has.
      ("", "http://h.test/v1/?k=1"), ("?q", "http://h.test/v1/?q"), ("#f", "http://h.test/v1/?k=1#f"),
      ("a", "http://h.test/v1/a"), ("./a", "http://h.test/v1/a"), ("../a", "http://h.test/a"),
      ("../../a", "http://h.test/a"), ("a/./b/../c", "http://h.test/v1/a/c"), (".", "http://h.test/v1/"),
      ("..", "http://h.test/"), ("/", "http://h.test/"),
      ("https://other.test", "https://other.test/"), ("HTTPS://Other.TEST:443/A", "https://other.test/A"),
      ("a?x=1#f", "http://h.test/v1/a?x=1#f"), ("a//b", "http://h.test/v1/a//b"), ("./a:b", "http://h.test/v1/a:b"),
      ("x/a:b", "http://h.test/v1/x/a:b"),
      // What no URL can hold is percent-encoded where it stands; escapes that are there stay.
      ("a b", "http://h.test/v1/a%20b"), ("a%20b", "http://h.test/v1/a%20b"), ("a b%20c", "http://h.test/v1/a%20b%20c"),
      ("50%", "http://h.test/v1/50%25"), ("50%zz", "http://h.test/v1/50%25zz"), ("a%2Fb", "http://h.test/v1/a%2Fb"),
      ("größe", "http://h.test/v1/gr%C3%B6%C3%9Fe"), ("鸟?q=杓鹬", "http://h.test/v1/%E9%B8%9F?q=%E6%9D%93%E9%B9%AC"),
      ("a|b\"<>^`{}", "http://h.test/v1/a%7Cb%22%3C%3E%5E%60%7B%7D"), ("q?a[]=1", "http://h.test/v1/q?a%5B%5D=1"),
      (" a ", "http://h.test/v1/a"), ("q?p=c:\\d", "http://h.test/v1/q?p=c:%5Cd"),
    ])
  func `a path leads where a URL reference leads, repaired where no URL could hold it`(
    _ path: String, _ url: String
  ) throws {
    #expect(try BaseURL("http://h.test/v1?k=1").url(for: path).absoluteString == url)
  }

  @Test(
    arguments: [
      "", "/v1", "h.test/v1", "h.test:80", "ftp://h.test/", "file:///x", "http:", "http://", "http:///x",
      "http:/h.test",
      "http://h.test:0/", "http://h.test:65536/", "http://h.test:x/", "http://u:p@h.test/", "http://u@h.test/",
      "http://h.test\\@x/", "http://a b/", "http://h.test/\n", "http://[::1/", "http://h..test/", "//h.test/v1",
      "http://" + String(repeating: "a", count: 70_000),
    ])
  func `what is no absolute http URL is a typed error as a base`(_ text: String) {
    #expect(Self.kind { _ = try BaseURL(text) } == .invalidURL, "\(text.prefix(50))")
  }

  @Test(arguments: [
    ("api.example.com/v1", "The base URL \"api.example.com/v1\" has no scheme. Write https://api.example.com/v1."),
    ("localhost:8080/v1", "The base URL \"localhost:8080/v1\" has no scheme. Write http://localhost:8080/v1."),
    ("127.0.0.1:8080", "The base URL \"127.0.0.1:8080\" has no scheme. Write http://127.0.0.1:8080."),
    ("[::1]:8080", "The base URL \"[::1]:8080\" has no scheme. Write http://[::1]:8080."),
    ("//h.test/v1", "The base URL \"//h.test/v1\" has no scheme. Write https://h.test/v1."),
    ("", "The base URL is empty. Write the address of the server, such as https://api.example.com."),
    (" ", "The base URL is empty. Write the address of the server, such as https://api.example.com."),
    ("/v1", "The base URL \"/v1\" has no scheme. Write the address of the server, such as https://api.example.com."),
    ("secret:x@h.test/v1", "The base URL \"<redacted>@h.test/v1\" has no scheme, and a user. Write"),
    ("https:/u:secret@h.test/?key=secret", "The base URL \"<redacted>@h.test/\" has no host. Write https://, a host"),
    (
      "https://u:secret@h.test/v1",
      "The base URL \"https://<redacted>@h.test/v1\" leads to no server: The URL contains a user name or password. Give"
    ),
    (
      "ftp://h.test/v1?secret",
      "The base URL \"ftp://h.test/v1\" has a scheme (ftp) that is neither http nor https. Use http"
    ),
    (
      "wss://h.test/v1",
      "The base URL \"wss://h.test/v1\" has a scheme (wss) that is neither http nor https. Use http or https; a Web"
    ),
    ("http://h.test/\nsecret", "The base URL \"http://h.test/�secret\" has control characters."),
  ])
  func `an error about a base URL names it and says what to do`(_ text: String, _ message: String) {
    let error = #expect(throws: NetworkError.self) { try BaseURL(text) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    #expect(error?.message.contains("..") == false && error?.message.contains(";") == false)
  }

  @Test func `an error about a path names it`() throws {
    let error = #expect(throws: NetworkError.self) { try BaseURL.url(for: "birds/7?key=secret", relativeTo: nil) }
    #expect(error?.message == "The path \"birds/7\" is relative and there is no base URL.")
    #expect(error?.advice == "Give a base URL, or a whole URL.")
    let base = try BaseURL("https://h.test/")
    let socket = #expect(throws: NetworkError.self) { try base.url(for: "WSS://h.test/chat") }
    #expect(socket?.advice == "Use http or https; a WebSocket opens with `session.webSocket` (CurlewWebSocket).")
    let odd = #expect(throws: NetworkError.self) { try base.url(for: "birds:a") }
    #expect(odd?.advice == "Put `./` before a path whose first segment has a colon.")
  }

  @Test(
    arguments: [
      "users:1/x", "mailto:a@b.c", "http:", "http:a", "ftp://h.test/", "//", "///a", "//h.test/a", " //h.test",
      "//u@h.test/", "http://u:p@h.test/", "a\\b",
      "\\\\h\\x", "a\r\nHost: x", "a\u{0}", "a\tb", "//h.test:99999/", "http://%00/",
      String(repeating: "a", count: 70_000),
    ])
  func `a path that leads nowhere is a typed error`(_ path: String) throws {
    let base = try BaseURL("http://h.test/v1/")
    #expect(Self.kind { _ = try base.url(for: path) } == .invalidURL, "\(path.prefix(50))")
  }

  @Test func `a path changes the server only with a scheme, and the error says so`() throws {
    let base = try BaseURL("http://h.test/v1/")
    let error = #expect(throws: NetworkError.self) { try base.url(for: "//echo/x?key=secret") }
    #expect(error?.message == "The path \"//echo/x\" begins with two slashes, after which a host is named.")
    #expect(error?.advice == "Leave one slash out; for another server, give a whole URL.")
    #expect(try base.url(for: "https://echo/x").absoluteString == "https://echo/x")
    let host = #expect(throws: NetworkError.self) { try base.url(for: "localhost:8000/x") }
    #expect(host?.advice == "Write http://localhost:8000/x.")
  }

  @Test(arguments: [
    "a/b", "//echo", "?x=1", "#x", "a b", "é", "a\\b", "a:b", "https://echo/", "%2F", "..%2f", "a.b_c~d-e",
  ])
  func `a text is one segment of a path, whatever it contains`(_ text: String) throws {
    let url = try BaseURL("http://h.test/v1/").url(for: "birds/\(segment: text)/song")
    let parts = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
    #expect(parts.count == 7 && parts[2] == "h.test" && parts[6] == "song", "\(url)")
    #expect(URL(string: "http://h.test/?\(parts[5])")?.query(percentEncoded: false) == text)
    #expect(url.query() == nil && url.fragment() == nil)
  }

  @Test(arguments: ["", ".", ".."])
  func `a text that is no segment of a path is an error with advice`(_ text: String) throws {
    let error = #expect(throws: NetworkError.self) { try "birds/\(segment: text)" }
    #expect(error?.kind == .invalidURL && error?.advice != nil)
  }

  @Test func `without a base URL only whole URLs lead anywhere`() throws {
    #expect(try BaseURL.url(for: "http://h.test/a b", relativeTo: nil).absoluteString == "http://h.test/a%20b")
    for path in ["", "a", "/a", "?a", "//h.test/a"] {
      #expect(Self.kind { _ = try BaseURL.url(for: path, relativeTo: nil) } == .invalidURL, "\(path)")
    }
  }

  @Test func `an error quotes neither user information nor a query`() throws {
    do {
      _ = try BaseURL("http://user:secret@h.test/?token=secret")
      Issue.record("user information was accepted")
    } catch {
      #expect(!"\(error)".contains("secret"), "\(error)")
    }
    #expect(!"\(try BaseURL("http://h.test/?token=secret"))".contains("secret"))
  }

  @Test func `a base URL is archived as its text, without a query that holds a secret`() throws {
    for (text, kept) in [
      ("http://h.test/v1", "http://h.test/v1/"), ("http://h.test/v1?version=2", "http://h.test/v1/?version=2"),
      ("http://h.test/v1?token=abc", "http://h.test/v1/"),
    ] {
      let data = try JSONEncoder().encode([try BaseURL(text)])
      #expect(try JSONDecoder().decode([BaseURL].self, from: data).first?.url.absoluteString == kept)
    }
    let open = JSONEncoder()
    open.userInfo[.includesSecrets] = true
    let base = try BaseURL("http://h.test/v1?token=abc")
    #expect(try JSONDecoder().decode([BaseURL].self, from: open.encode([base])) == [base])
    for damaged in [#"["/v1"]"#, "[1]", #"["http://u:p@h/"]"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode([BaseURL].self, from: Data(damaged.utf8)) }
    }
  }

  /// How many paths are joined; `CURLEW_RANDOM_PATHS` sets another number.
  private static let paths = getenv("CURLEW_RANDOM_PATHS").flatMap { Int(String(cString: $0)) } ?? 100_000

  @Test func `any path ends in a URL that reads back to itself, or in a typed error`() async throws {
    var random = SeededRandom(seed: 14)
    let bases = try ["http://h.test", "https://h.test/v1", "http://[::1]:8080/a/b/?q#f"].map { try BaseURL($0) }
    var (joined, refused) = (0, 0)
    for number in 0..<Self.paths {
      if number % 100 == 0 { await Task.yield() }
      let base = bases[number % bases.count]
      let path = Self.path(&random)
      do {
        let url = try base.url(for: path)
        let text = url.absoluteString
        #expect(try base.url(for: text) == url, "\(path.debugDescription) → \(text)")
        #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(path.debugDescription) → \(text)")
        let origin = try Origin(url)
        if !Self.mayNameServer(path) { #expect(origin == base.origin, "\(path.debugDescription)") }
        joined += 1
      } catch {
        #expect((error as? NetworkError)?.kind == .invalidURL, "\(path.debugDescription): \(error)")
        refused += 1
      }
    }
    // Neither outcome may be rare, or the property says little.
    #expect(joined > Self.paths / 4 && refused > Self.paths / 20, "\(joined) joined, \(refused) refused")
  }

  @Test func `a plain path leads where it would lead as any path`() async throws {
    var random = SeededRandom(seed: 18)
    let bases = try [
      "http://h.test", "https://h.test:8443/v1", "http://[::1]:8080/a/b/?q#f", "http://h.test/a/../b",
      "http://h.test//a",
      "http://h.test/a/./", "http://h.test/sp ace/%41",
    ].map { try BaseURL($0) }
    var plain = 0
    for number in 0..<Self.paths {
      if number % 100 == 0 { await Task.yield() }
      let base = bases[number % bases.count]
      let path = number % 2 == 0 ? Self.path(&random) : Self.plainPath(&random)
      guard let url = base.url(forPlain: path) else { continue }
      plain += 1
      let any = try base.url(forAny: path)
      #expect(url == any && url.absoluteString == any.absoluteString, "\(path.debugDescription) below \(base)")
    }
    #expect(plain > Self.paths / 3, "\(plain) were plain")
  }

  /// A path of what is mostly plain.
  private static func plainPath(_ random: inout SeededRandom) -> String {
    func text(_ characters: String) -> String {
      let characters = Array(characters)
      return String(
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
          characters[Int.random(in: 0..<characters.count, using: &random)]
        })
    }
    return text("abcXYZ019-_~/") + (Bool.random(using: &random) ? "?" + text("abcXYZ019-_~/?=&.,+") : "")
  }

  /// By bytes: with a mark behind it a slash is another character, and still begins a server's name.
  private static func mayNameServer(_ path: String) -> Bool {
    path.contains("://")
  }

  private static let pieces = [
    "/", "//", "..", ".", "?", "#", "%", "%2F", "%zz", ":", "@", "\\", " ", "\t", "\n", "\u{0}", "[", "]", "[::1]", "a",
    "b.c", "http", "https://", "http://h", "é", "杓鹬", "\u{301}", "\u{FEFF}", "\u{202E}", "👩‍👩‍👧", "&", "=", "+", ";",
    "xn--", "80",
    "65536", "|", "\"", "<", "{", "\u{7F}", "\u{10FFFF}",
  ]

  private static func path(_ random: inout SeededRandom) -> String {
    var path = ""
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      path +=
        Int.random(in: 0..<4, using: &random) == 0
        ? String(Unicode.Scalar(UInt32.random(in: 0...0xD7FF, using: &random)) ?? "x")
        : pieces[Int.random(in: 0..<pieces.count, using: &random)]
    }
    return path
  }

  private static func kind(_ work: () throws -> Void) -> NetworkError.Kind? {
    do {
      try work()
      return nil
    } catch {
      return (error as? NetworkError)?.kind
    }
  }
}
