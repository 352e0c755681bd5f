import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct RequestCheckTests {
  private static let capable = TransportCapabilities(rawValue: .max)

  private func kind(_ change: (inout Request) -> Void) throws -> NetworkError.Kind? {
    var request = try Request(.get, "http://a.test/")
    change(&request)
    do {
      try RequestCheck.validate(request, in: Exchange(), for: Self.capable)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test(arguments: [
    (Proxy(host: "", port: 80), false), (Proxy(host: "a b", port: 80), false), (Proxy(host: "a.test", port: 0), false),
    (Proxy(host: "a.test", port: 65_536), false), (Proxy(host: "socks5://a.test", port: 80), false),
    (Proxy(host: "user:secret@a.test", port: 80), false),
    (Proxy(host: "a.test", port: 80, credential: .bearer(token: "x")), false),
    (Proxy(.socks5, host: "a.test", port: 80, credential: .password(user: "u", password: "secret\0x")), false),
    (Proxy(.socks5, host: "a.test", port: 80, credential: .password(user: "u\0", password: "secret")), false),
    (Proxy(host: "A.test", port: 80), true),
    (Proxy(.socks5, host: "::1", port: 65_535, credential: .password(user: "u", password: "p")), true),
    (Proxy(host: "[::1]", port: 1), true),
  ])
  func `a proxy that names no place, or cannot be answered, is refused`(proxy: Proxy, isTaken: Bool) throws {
    var settings = ExchangeSettings()
    settings.proxy = proxy
    if isTaken {
      let taken = try RequestCheck.proxy(of: Exchange(settings))
      #expect(taken?.host == (proxy.host == "A.test" ? "a.test" : "::1") && taken?.port == proxy.port)
    } else {
      let error = #expect(throws: NetworkError.self) { try RequestCheck.proxy(of: Exchange(settings)) }
      #expect(error?.kind == .invalidRequest)
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
  }

  @Test(arguments: [
    ("4", Body.text("body"), true), ("3", .text("body"), false), ("5", .text("body"), false),
    ("04", .text("body"), false),
    ("4, 4", .text("body"), false), ("0", .empty, true), ("1", .empty, false),
    ("4", Body.stream(replayable: false) { throw CancellationError() }, false),
    ("4", Body.stream(length: 4, replayable: false) { throw CancellationError() }, true),
    ("5", Body.stream(length: 4, replayable: false) { throw CancellationError() }, false),
  ])
  func `a Content-Length is the body's, or is refused`(value: String, body: Body, isTaken: Bool) throws {
    let kind = try kind { request in
      request.method = .post
      request.body = body
      request.headerFields[.contentLength] = value
    }
    #expect(kind == (isTaken ? nil : .invalidRequest))
  }

  @Test func `a Transfer-Encoding of the app is refused`() throws {
    #expect(try kind { $0.headerFields[.transferEncoding] = "chunked" } == .invalidRequest)
  }

  @Test(arguments: [(0, true), (1, false)])
  func `fields of more than 1 MiB are refused`(excess: Int, isTaken: Bool) throws {
    let name = try #require(HTTPField.Name("x"))
    let value = String(repeating: "y", count: (1 << 20) - 1 + excess)
    #expect(try kind { $0.headerFields[name] = value } == (isTaken ? nil : .invalidRequest))
  }

  @Test func `no proxy is none`() throws { #expect(try RequestCheck.proxy(of: Exchange()) == nil) }

  @Test(arguments: [
    (RateLimit(send: 0), false), (RateLimit(receive: -1), false), (RateLimit(send: 1, receive: 1), true),
    (RateLimit(), true),
  ])
  func `a rate of nothing would be no limit to libcurl, and is refused`(rate: RateLimit, isTaken: Bool) throws {
    #expect(try kind { $0.options.rateLimit = rate } == (isTaken ? nil : .invalidRequest))
  }

  @Test(arguments: [
    ("", false), (String(repeating: "x", count: 108), false), ("/run/a\0b", false), ("/run/a.sock", true),
    (String(repeating: "x", count: 107), true),
  ])
  func `a path that no Unix socket has is refused`(path: String, isTaken: Bool) throws {
    #expect(try kind { $0.options.unixSocketPath = path } == (isTaken ? nil : .invalidRequest))
  }

  @Test(arguments: [
    (AddressOverride(address: ""), false), (AddressOverride(address: "a b"), false),
    (AddressOverride(address: "::1", addressPort: 0), false),
    (AddressOverride(address: "::1", addressPort: 70_000), false),
    (AddressOverride(address: "fe80::1%eth0"), true), (AddressOverride(address: "b.test", addressPort: 1), true),
  ])
  func `an override that leads nowhere would lead to the host itself, and is refused`(
    override: AddressOverride, isTaken: Bool
  ) throws {
    #expect(try kind { $0.options.addressOverrides = [override] } == (isTaken ? nil : .invalidRequest))
  }
}
