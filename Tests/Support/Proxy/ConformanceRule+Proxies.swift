import CurlewCore
package import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// All rules, including those that need a proxy.
  package static let rulesWithProxies: [ConformanceRule] = rules + proxyRules

  /// The rules about the credentials of proxies.
  package static let proxyRules: [ConformanceRule] = [.proxyAccountsKeptApart, .socksAccountsKeptApart]
}

extension ConformanceRule {
  /// A proxy checks the credentials when it opens a tunnel, and not again for requests through it.
  package static let proxyAccountsKeptApart = ConformanceRule(
    "proxy-accounts-kept-apart", "a connection through an HTTP proxy serves only the credentials that opened it",
    capabilities: .proxy, features: .sockets
  ) { kit in
    let proxy = try await ScriptedProxy.start(credentials: "alice:secret")
    kit.atEnd { Task { await proxy.stop() } }
    let field: @Sendable (String) -> String = { "Basic " + Data($0.utf8).base64EncodedString() }
    try await checkAccounts(
      kit, Proxy(host: "127.0.0.1", port: proxy.port), opened: { proxy.counters.connectionsAccepted }
    ) { proxy, account in proxy.authorization = account.map(field) }
  }

  /// A SOCKS proxy checks the credentials once for each connection (RFC 1929).
  package static let socksAccountsKeptApart = ConformanceRule(
    "socks-accounts-kept-apart", "a connection through a SOCKS proxy serves only the credentials that opened it",
    capabilities: .proxy, features: .sockets
  ) { kit in
    let proxy = try await ScriptedSOCKSProxy.start(credentials: "alice:secret")
    kit.atEnd { Task { await proxy.stop() } }
    try await checkAccounts(
      kit, Proxy(.socks5, host: "127.0.0.1", port: proxy.port), opened: { proxy.counters.connectionsAccepted }
    ) { proxy, account in
      let words = account?.split(separator: ":").map { String($0) }
      proxy.credential = words.map { .password(user: $0[0], password: $0[1]) }
    }
  }

  /// Sends with the right credentials, and then with others, with a wrong password and without any.
  private static func checkAccounts(
    _ kit: ConformanceKit, _ proxy: Proxy, opened: () -> Int, use: (inout Proxy, String?) -> Void
  ) async throws {
    let place = kit.serve()
    func status(_ account: String?) async throws -> Int {
      var proxy = proxy
      use(&proxy, account)
      var request = Request(.get, place.url())
      request.options.delivery = .collected
      return try await kit.fetch(request, in: kit.exchange { [proxy] in $0.proxy = proxy }).head.status.code
    }
    for _ in 0..<3 { try kit.expectEqual(try await status("alice:secret"), 200, "the status with the right password") }
    try kit.expectEqual(opened(), 1, "the connections of one account")
    for account in ["alice:wrong", nil, "bob:secret", "Alice:secret", "alice:Secret"] {
      let code: Int?
      // A proxy that opens no tunnel ends the request with an error.
      do { code = try await status(account) } catch is NetworkError { code = nil }
      try kit.expect(code == nil || code == 407, "\(account ?? "no account") got \(code ?? 0)")
    }
    try kit.expectEqual(place.requests.count, 3, "the requests that reached the server")
    try kit.expectEqual(try await status("alice:secret"), 200, "the status with the right password again")
  }
}
