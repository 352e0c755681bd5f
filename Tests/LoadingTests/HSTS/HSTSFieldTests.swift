import Testing

@testable import CurlewLoading

@Suite struct HSTSFieldTests {
  /// The examples of RFC 6797 §6.2, and others that follow the grammar of §6.1.
  @Test(arguments: [
    ("max-age=31536000", 31_536_000, false), ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
    ("max-age=\"31536000\"", 31_536_000, false), ("max-age=0", 0, false), ("max-age=0; includeSubDomains", 0, true),
    (" ;; MAX-AGE = 1 ; ; IncludeSubDomains ;", 1, true), ("preload; max-age=5; x=\"a;\\\"b\"", 5, false),
    ("includesubdomains;max-age=\"1\\2\"", 12, true), ("max-age=99999999999999999999", Int(Int64.max), false),
  ])
  func `a field that follows the grammar is read`(text: String, maxAge: Int, includesSubdomains: Bool) throws {
    let field = try #require(HSTSField(text))
    #expect(field.maxAge == Int64(maxAge))
    #expect(field.includesSubdomains == includesSubdomains)
  }

  @Test(arguments: [
    "", ";", "includeSubDomains", "max-age", "max-age=", "max-age=\"\"", "max-age=-1", "max-age=1.5", "max-age=1 2",
    "max-age=1,includeSubDomains", "max-age=1; max-age=1", "max-age=1; MAX-AGE=2", "max-age=1; x; X",
    "max-age=1; includeSubDomains=1", "max-age=1; includeSubDomains=\"\"", "max-age=\"1", "max-age=1; x=\"a\\",
    "max-age=1 includeSubDomains", "max-age=１", "=1; max-age=1", "max-age=1; é",
  ])
  func `a field that does not is ignored as a whole`(text: String) { #expect(HSTSField(text) == nil) }
}
