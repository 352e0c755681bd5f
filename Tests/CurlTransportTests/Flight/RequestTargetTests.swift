import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct RequestTargetTests {
  private func target(_ text: String) throws -> String {
    let url = try #require(URL(string: text))
    let request = Request(.get, url)
    return try RequestTarget.text(of: request, request.parsedURL.reading, request.origin)
  }

  @Test(arguments: [
    ("http://example.com", "http://example.com/"), ("HTTP://Example.COM:80/a", "http://example.com/a"),
    ("https://example.com:8443/a/../b?x=1#f", "https://example.com:8443/a/../b?x=1"),
    ("http://127.1/", "http://127.0.0.1/"), ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"), ("http://[0:0::1]:81/x", "http://[::1]:81/x"),
    ("http://a.test?q", "http://a.test/?q"), ("http://a.test/%2e%2e/x%00", "http://a.test/%2e%2e/x%00"),
  ])
  func `scheme and authority are canonical, path and query as written`(text: String, expected: String) throws {
    #expect(try target(text) == expected)
  }

  @Test(arguments: [
    "http:///h/", "http://user:secret@host/", "ftp://host/", "http://host:0/", "http://host:99999/", "http://ho%00st/",
    "http://127.0.0.1%09/", "http://a%20b/", "http://[::1%25eth0]/", "http://1.2.3.4.5/", "file:///etc/passwd",
    "/relative",
  ])
  func `a URL that names no one host is refused`(text: String) {
    #expect(throws: (any Error).self) { try target(text) }
  }
}
