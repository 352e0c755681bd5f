import Testing

@testable import CurlewCurlTransport

@Suite struct AddressTextTests {
  @Test func `an address is written with its port, IPv6 in brackets`() {
    var text = AddressText()
    let places: [(String, Int32, String)] = [
      ("127.0.0.1", 80, "127.0.0.1:80"), ("127.0.0.1", 80, "127.0.0.1:80"), ("127.0.0.1", 81, "127.0.0.1:81"),
      ("127.0.0.2", 81, "127.0.0.2:81"), ("::1", 81, "[::1]:81"), ("::1", 81, "[::1]:81"), ("", 0, ":0"),
    ]
    for (host, port, expected) in places { #expect(text(host, port) == expected) }
  }
}
