import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCore

@Suite struct ParsedURLTests {
  @Test(arguments: [
    ("HTTP://EXAMPLE.com:80?x#f", "http://example.com/?x"), ("http://example.com", "http://example.com/"),
    ("http://example.com#/a", "http://example.com/"),
    ("https://example.com:443/a/../b?c?d#e#f", "https://example.com/a/../b?c?d"),
    ("http://[::0:1]:8080/", "http://[::1]:8080/"), ("http://0x7f.1/a", "http://127.0.0.1/a"),
    ("http://example.com/a://b", "http://example.com/a://b"),
  ]) func `the canonical URL has a canonical origin, path and query as they are, and no fragment`(
    text: String, canonical: String
  ) throws {
    let url = try #require(URL(string: text))
    let parsed = ParsedURL(url)
    // The second time it is remembered.
    for _ in 0..<2 {
      #expect(parsed.canonical == canonical)
      #expect(try parsed.origin == Origin(url))
    }
  }

  @Test(arguments: [
    ("http://a.test/b?c#d", true, "/b?c"), ("http://a.test", true, "/"), ("http://a.test:8080?q", true, "/?q"),
    ("http://a.test:80/", false, "/"), ("HTTP://a.test/", false, "/"), ("http://A.test/x", false, "/x"),
    ("http://127.1/?", false, "/?"), ("https://[::1]:8/a", true, "/a"),
  ]) func `it knows whether the origin was written in its only form, and what the request line has`(
    text: String, isCanonical: Bool, target: String
  ) throws {
    let parsed = ParsedURL(try #require(URL(string: text)))
    #expect(parsed.isCanonicalAsWritten == isCanonical)
    #expect(parsed.target.map { String($0) } == target)
    #expect(try Request(.get, try #require(URL(string: text))).target == target)
  }

  @Test func `a request without an origin has no target`() throws {
    let request = Request(.get, try #require(URL(string: "ftp://example.com/a")))
    #expect(throws: InvalidOriginError.self) { try request.target }
  }

  @Test func `a URL without an origin has neither`() throws {
    for text in ["ftp://example.com/", "/a", "http://user@example.com/", "mailto:a@b"] {
      let parsed = ParsedURL(try #require(URL(string: text)))
      for _ in 0..<2 {
        #expect(parsed.canonical == nil && parsed.target == nil && !parsed.isCanonicalAsWritten)
        #expect(throws: InvalidOriginError.self) { try parsed.origin }
      }
    }
  }

  @Test func `a request whose URL is changed asks another origin, and its copy the one it asked before`() throws {
    var request = try Request(.get, "http://a.test/1")
    #expect(try request.origin.host == "a.test")
    let copy = request
    request.url = try #require(URL(string: "http://b.test/2"))
    #expect(try request.origin.host == "b.test" && copy.origin.host == "a.test")
    #expect(request.parsedURL.canonical == "http://b.test/2")
  }

  @Test func `a field's value is what its subscript gives, however often it is there`() {
    var fields = HTTPFields()
    for _ in 0..<4 {
      for name in [HTTPField.Name.cacheControl, .cookie, .vary] {
        #expect(fields.value(of: name) == fields[name])
        #expect(fields.has(name) == (fields[name] != nil))
      }
      fields.append(HTTPField(name: .cacheControl, value: "a"))
      fields.append(HTTPField(name: .cookie, value: "b=c"))
    }
  }
}
