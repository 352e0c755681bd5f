import CurlewCore
import FoundationEssentials
import Testing

@Suite struct OriginTests {
  @Test(arguments: [
    ("http://Example.COM/", "http://example.com"), ("https://example.com:443/x", "https://example.com"),
    ("http://example.com:8080", "http://example.com:8080"), ("http://[0:0::1]:81/", "http://[::1]:81"),
    ("http://[::1]/", "http://[::1]"), ("http://127.1/", "http://127.0.0.1"), ("http://0x7f.1/", "http://127.0.0.1"),
    ("http://2130706433/", "http://127.0.0.1"),
  ])
  func `an origin has one form`(text: String, expected: String) throws {
    let origin = try Origin(try #require(URL(string: text)))
    #expect(origin.description == expected)
    #expect(try Origin(try #require(URL(string: origin.description + "/other?x#y"))) == origin)
  }

  @Test func `an IPv6 host is given with or without brackets and kept without`() throws {
    let bare = try Origin(scheme: .http, host: "::1", port: 80)
    let bracketed = try Origin(scheme: .http, host: "[::1]")
    #expect(bare == bracketed && bare.host == "::1" && bare.urlHost == "[::1]" && bare.isIPAddress)
  }

  @Test(arguments: [
    ("ftp://host/", InvalidOriginError.Reason.scheme), ("/relative", .scheme), ("http:///h/", .host),
    ("http://user@host/", .userInformation), ("http://user:secret@host/", .userInformation), ("http://host:0/", .port),
    ("http://host:99999/", .port), ("http://1.2.3.4.5/", .host), ("http://a..b/", .host),
  ])
  func `a URL that names no one host has no origin, and the part at fault is named`(
    text: String, reason: InvalidOriginError.Reason
  ) throws {
    guard let url = URL(string: text) else { return }
    let error = #expect(throws: InvalidOriginError.self) { try Origin(url) }
    #expect(error?.reason == reason)
    #expect(error?.description.contains("secret") == false)
  }
}
