import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewURLSessionTransport

@Suite struct RequestTargetTests {
  private func target(_ text: String) throws -> String {
    let url = try #require(URL(string: text))
    return try RequestTarget.url(of: Request(.get, url), try Origin(url)).absoluteString
  }

  @Test(arguments: [
    ("http://example.test", "http://example.test/"),
    ("HTTP://EXAMPLE.test:80/a%2Fb?c#d", "http://example.test/a%2Fb?c"),
    ("https://example.test:8443?x=%7e&&", "https://example.test:8443/?x=%7e&&"),
    ("http://127.0.0.1:8080//a//b/;c=d/@", "http://127.0.0.1:8080//a//b/;c=d/@"),
    ("http://example.test/p?", "http://example.test/p?"), ("http://example.test:/p", "http://example.test/p"),
    ("http://2130706433/", "http://127.0.0.1/"), ("http://example.test/...", "http://example.test/..."),
  ])
  func `a URL is sent in its canonical form`(written: String, sent: String) throws {
    #expect(try target(written) == sent)
  }

  @Test(arguments: [
    "http://example.test/a/../b", "http://example.test/./a", "http://example.test/a/%2e%2E/b",
    "http://example.test/a/.%2e",
  ])
  func `dot segments, which would be resolved, are refused`(text: String) throws {
    #expect(try #require(throws: NetworkError.self) { try target(text) }.kind == .invalidURL)
  }

  @Test func `an IPv6 address, which Foundation cannot ask, is refused`() throws {
    #expect(try #require(throws: NetworkError.self) { try target("http://[::1]/") }.kind == .unsupported)
  }

  @Test(arguments: [
    "http://a@b/", "http://example.test\\@evil.test/", "http://a%00b/", "http://a%20b/", "http:///h/",
    "http://h:99999/",
    "http://h:0/", "ftp://h/", "http://h:8o/", "http://%31%32%37.0.0.1%2F/",
  ])
  func `a URL that two parsers read differently is refused`(text: String) {
    guard let url = URL(string: text) else { return }
    #expect(throws: (any Error).self) { _ = try RequestTarget.url(of: Request(.get, url), try Origin(url)) }
  }
}
