import CurlewTestHarness
import FoundationEssentials
import Testing

@testable import CurlewTestSupport

/// Both proxies, with curl as their client.
@Suite(.timeLimit(.minutes(10))) struct ScriptedProxyTests {
  @Test func `absolute-form requests are forwarded, several on a connection, to several origins`() async throws {
    let first = try await ScriptedOrigin.start { .ok("first \($0.target) \(await $0.body().count)\n") }
    let second = try await ScriptedOrigin.start { .ok("second \($0.target)\n") }
    let proxy = try await ScriptedProxy.start(routes: ["one.test:80": first.port, "two.test:8000": second.port])
    let curl = try await Command.curl(
      "-x", proxy.url.absoluteString, "http://one.test/a?b", "http://two.test:8000/c", "http://one.test", "--data",
      "xyz")
    #expect(curl.output == "first /a?b 3\nsecond /c\nfirst / 3\n")
    #expect(proxy.requests.map(\.target) == ["http://one.test/a?b", "http://two.test:8000/c", "http://one.test/"])
    #expect(proxy.counters.connectionsAccepted == 1)
    #expect(first.requests.allSatisfy { $0["Proxy-Connection"] == nil && $0["Host"] == "one.test" })
    await proxy.stop()
    await first.stop()
    await second.stop()
  }

  @Test func `a tunnel carries TLS`() async throws {
    let identity = try TestIdentity.authority().issue(CertificateProfile(names: ["secure.test"]))
    let files = try identity.writeFiles()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok(.repeating(0x61), count: 2_000_000)
    }
    let proxy = try await ScriptedProxy.start(routes: ["secure.test:443": origin.port])
    let curl = try await Command.curl("-x", proxy.url.absoluteString, "--cacert", files.root, "https://secure.test/")
    #expect(curl.output.utf8.count == 2_000_000)
    #expect(proxy.requests.map(\.target) == ["secure.test:443"])
    #expect(proxy.requests.first?.isTunnel == true)
    #expect(await proxy.until { $0.connectionsOpen == 0 })
    await proxy.stop()
    await origin.stop()
    files.remove()
  }

  @Test(arguments: [false, true]) func `credentials are demanded`(tunnel: Bool) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("in") }
    let proxy = try await ScriptedProxy.start(credentials: "user:secret")
    let mode = tunnel ? "--proxytunnel" : "--no-proxytunnel"
    func curl(_ user: String...) async throws -> String {
      try await Command.run(
        ["curl", "-sS", "--noproxy", "", "-x", proxy.url.absoluteString, mode, "-w", " %{http_code} %{http_connect}"]
          + user
          + [origin.address()]
      ).output
    }
    #expect(try await curl("-U", "user:secret").contains("in 200"))
    #expect(try await curl("-U", "user:wrong").contains("407"))
    #expect(try await curl().contains("407"))
    #expect(proxy.requests.compactMap(\.basicCredentials) == ["user:secret", "user:wrong"])
    #expect(origin.requests.count == 1)
    #expect(origin.requests.first?["Proxy-Authorization"] == nil)
    await proxy.stop()
    await origin.stop()
  }

  @Test func `a target that cannot be reached is 502`() async throws {
    let gone = try await ScriptedOrigin.start { _ in .ok() }
    await gone.stop()
    let proxy = try await ScriptedProxy.start()
    let plain = try await Command.curl("-x", proxy.url.absoluteString, "-w", "%{http_code}", gone.address())
    #expect(plain.output == "502")
    let tunnel = try await Command.curl("-p", "-x", proxy.url.absoluteString, "-w", "%{http_connect}", gone.address())
    #expect(tunnel.output.contains("502") && tunnel.exit == 56)
    await proxy.stop()
  }

  @Test func `a proxy refuses, hangs up or stays silent when told to`() async throws {
    let proxy = try await ScriptedProxy.start { request in
      switch request.host {
      case "refuse.test": .status(403)
      case "hangup.test": .hangUp
      default: .stall
      }
    }
    let address = proxy.url.absoluteString
    #expect(try await Command.curl("-x", address, "-w", "%{http_code}", "http://refuse.test/").output == "403")
    #expect(try await Command.curl("-x", address, "http://hangup.test/").exit == 52)
    #expect(try await Command.curl("-x", address, "--max-time", "0.2", "http://stall.test/").exit == 28)
    #expect(await proxy.until { $0.connectionsAccepted == 3 && $0.connectionsOpen == 0 })
    await proxy.stop()
  }

  @Test func `a SOCKS proxy gets names or addresses`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("x") }
    let proxy = try await ScriptedSOCKSProxy.start(routes: ["name.test:80": origin.port])
    let named = try await Command.curl("-x", proxy.url.absoluteString, "http://name.test/")
    #expect(named.output == "x")
    let numbered = try await Command.curl("-x", "socks5://127.0.0.1:\(proxy.port)", origin.address())
    #expect(numbered.output == "x")
    #expect(
      proxy.requests == [
        SOCKSRequest(host: "name.test", port: 80, isName: true),
        SOCKSRequest(host: "127.0.0.1", port: origin.port, isName: false),
      ])
    await proxy.stop()
    await origin.stop()
  }

  @Test func `a SOCKS proxy demands user and password`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("x") }
    let proxy = try await ScriptedSOCKSProxy.start(credentials: "user:secret")
    let right = try await Command.curl("-x", "socks5h://user:secret@127.0.0.1:\(proxy.port)", origin.address())
    #expect(right.output == "x")
    let wrong = try await Command.curl("-x", "socks5h://user:wrong@127.0.0.1:\(proxy.port)", origin.address())
    #expect(wrong.exit == 97)
    let none = try await Command.curl("-x", "socks5h://127.0.0.1:\(proxy.port)", origin.address())
    #expect(none.exit == 97)
    #expect(proxy.requests.map(\.user) == ["user"])
    await proxy.stop()
    await origin.stop()
  }

  @Test func `a SOCKS proxy refuses, and says when a target is gone`() async throws {
    // Nobody listens on its port, and nobody else gets it.
    let gone = try LoopbackSocket()
    let proxy = try await ScriptedSOCKSProxy.start { $0.host == "refuse.test" ? .refuse(2) : .forward }
    let refused = try await Command.curl("-x", proxy.url.absoluteString, "http://refuse.test/")
    #expect(refused.exit == 97 && refused.output.contains("(2)"))
    let unreachable = try await Command.curl("-x", proxy.url.absoluteString, "http://127.0.0.1:\(gone.port)/")
    #expect(unreachable.exit == 97 && unreachable.output.contains("(5)"))
    await proxy.stop()
  }

  @Test func `nonsense from a client ends its connection`() async throws {
    let socks = try await ScriptedSOCKSProxy.start()
    let http = try await ScriptedProxy.start()
    for port in [socks.port, http.port] {
      try await RawClient.run {
        let client = try RawClient(port: port)
        try client.send([9, 9, 9, 13, 10, 13, 10])
        _ = try? client.readToEnd()
      }
    }
    #expect(await socks.until { $0.connectionsAccepted == 1 && $0.connectionsOpen == 0 })
    #expect(await http.until { $0.connectionsAccepted == 1 && $0.connectionsOpen == 0 })
    await socks.stop()
    await http.stop()
  }
}
