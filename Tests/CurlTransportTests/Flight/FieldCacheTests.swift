import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct FieldCacheTests {
  private func bytes<Result>(_ text: String, _ use: (UnsafeRawBufferPointer) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes(use)
  }

  private func keep(_ name: HTTPField.Name, _ value: String, in cache: inout FieldCache) {
    let field = HTTPField(name: name, value: value)
    bytes("\(name.rawName): \(value)") { cache.keep(field, of: $0) }
  }

  @Test func `a line is found again by all of its bytes`() {
    var cache = FieldCache()
    keep(.server, "a", in: &cache)
    let found = ["Server: a", "Server: b", "server: a", "Server: a ", "Server:"].map { line in
      bytes(line) { cache.field($0)?.value }
    }
    #expect(found == ["a", nil, nil, nil, nil])
  }

  @Test func `lines that share a place never stand for each other`() {
    var cache = FieldCache()
    for number in 0..<5_000 {
      keep(.eTag, "\(number)", in: &cache)
      let other = Int.random(in: 0...number)
      let found = bytes("ETag: \(other)") { cache.field($0)?.value }
      #expect(found == nil || found == "\(other)")
    }
  }

  @Test func `secrets and long lines are not kept`() {
    var cache = FieldCache()
    for (name, value) in [
      (HTTPField.Name.setCookie, "a=b"), (.wwwAuthenticate, "Digest nonce=x"), (.location, "/a"),
      (.server, String(repeating: "x", count: 100)),
    ] {
      keep(name, value, in: &cache)
      #expect(bytes("\(name.rawName): \(value)") { cache.field($0) } == nil)
    }
  }

  @Test func `a name is a token, known or not`() {
    var cache = FieldCache()
    for _ in 0..<2 {
      #expect(bytes("X-A") { cache.name($0)?.rawName } == "X-A")
      for wrong in ["", "a b", "a:", "\u{e9}"] { #expect(bytes(wrong) { cache.name($0) } == nil) }
    }
  }
}
