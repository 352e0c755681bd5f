import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct ProxyAccountTests {
  private static func proxy(
    _ kind: Proxy.Kind = .http, _ authorization: String? = nil, user: String? = nil, password: String = "secret",
    port: Int = 3128
  ) -> Proxy {
    var proxy = Proxy(kind, host: "proxy.example", port: port)
    proxy.authorization = authorization
    proxy.credential = user.map { .password(user: $0, password: password) }
    return proxy
  }

  private static func digest(_ user: String, count: Int, realm: String = "r") -> String {
    #"Digest username="\#(user)", realm="\#(realm)", nonce="n", uri="a:443", nc=0000000\#(count), response="\#(count)""#
  }

  @Test func `accounts differ by proxy, user, password and field`() {
    let accounts = [
      Self.proxy(), Self.proxy(port: 3129), Self.proxy(.socks5), Self.proxy(user: "alice"), Self.proxy(user: "bob"),
      Self.proxy(user: "alice", password: "wrong"), Self.proxy(user: "alice", password: ""),
      Self.proxy(.socks5, user: "alice"), Self.proxy(.socks5, user: "alice", password: "wrong"),
      Self.proxy(.http, "Basic YTpi"), Self.proxy(.http, "Basic YTpj"), Self.proxy(.http, "Basic YTpi", user: "alice"),
      Self.proxy(.http, Self.digest("alice", count: 1), user: "alice"),
      Self.proxy(.http, Self.digest("bob", count: 1), user: "alice"),
      Self.proxy(.http, Self.digest("alice", count: 1, realm: "other"), user: "alice"),
      Self.proxy(.http, Self.digest("alice", count: 1), user: "alice", password: "wrong"),
      Self.proxy(.http, Self.digest("alice", count: 1)), Self.proxy(.http, Self.digest("alice", count: 2)),
      Self.proxy(.http, "Digest", user: "alice"), Self.proxy(.http, #"Digest ", username="alice""#, user: "alice"),
    ]
    #expect(Set(accounts.map(ProxyAccount.parts)).count == accounts.count)
    #expect(Set(accounts.map { ConnectionTag.of(ConnectionKey("k"), .init(), nil, $0) }).count == accounts.count)
  }

  @Test func `all Digest responses of one account with its password are one account`() {
    let fields = [1, 2, 3].map { Self.proxy(.http, Self.digest("alice", count: $0), user: "alice") }
    #expect(Set(fields.map(ProxyAccount.parts)).count == 1)
  }

  @Test(arguments: [
    ("Basic YTpi", false), ("digest username=a", false), ("Bearer x", false), ("Negotiate YII", true),
    ("NTLM TlRM", true),
    (" \tBASIC YTpi", false), ("Hawk id=1", true), ("", true),
  ])
  func `only schemes that authenticate each request let forwarded requests share a connection`(
    field: String, binds: Bool
  ) {
    #expect(ProxyAccount.bindsConnection(Self.proxy(.http, field)) == binds)
  }

  @Test func `a forwarded request with a scheme that authenticates the connection has a connection of its own`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let proxy = try await ScriptedProxy.start()
    let transport = try CurlTransport()
    for (field, connections) in [(nil, 1), ("Negotiate YII", 2), (nil, 2), ("Negotiate YII", 3), ("Basic YTpi", 3)] {
      var settings = ExchangeSettings()
      settings.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
      settings.proxy?.authorization = field
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      #expect(try await response.body.collect(upTo: 100).count == 5)
      #expect(proxy.counters.connectionsAccepted == connections, "\(field ?? "no field")")
    }
    await transport.shutdown()
    await origin.stop()
    await proxy.stop()
  }
}
