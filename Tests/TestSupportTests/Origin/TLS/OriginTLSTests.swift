import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(10))) struct OriginTLSTests {
  /// An origin for `localhost`, whose root is in the files.
  private func withOrigin(
    _ identity: TestIdentity? = nil, _ change: (inout OriginTLS) -> Void = { _ in },
    _ body: (ScriptedOrigin, TestIdentity.Files) async throws -> Void
  ) async throws {
    let identity = if let identity { identity } else { try TestIdentity.authority().issue(.authority("M")).issue() }
    let files = try identity.writeFiles()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity).with(change)) { request in
      switch request.path {
      case "/big": .ok(.repeating(0x61), count: 3_000_000)
      case "/cut": .ok(.repeating(0x61), count: 1000).cut(after: 500)
      case "/open": OriginReply(.head(200), .body("open"), .cut)
      case "/closed": OriginReply(.head(200), .body("closed"), .close)
      default: .ok("\(request.method) \(await request.body().count)")
      }
    }
    try await body(origin, files)
    await origin.stop()
    files.remove()
  }

  @Test func `curl trusts the root and reads the reply`() async throws {
    try await withOrigin { origin, files in
      let curl = try await Command.curl("--cacert", files.root, origin.address("/", host: "localhost"))
      #expect(curl.output == "GET 0")
      let tls = try #require(origin.requests.first?.tls)
      #expect(tls.version == "TLSv1.3")
      #expect(tls.serverName == "localhost")
      #expect(tls.applicationProtocol == "http/1.1")
      #expect(tls.clientCertificate == nil)
      #expect(origin.counters.handshakes == 1)
    }
  }

  @Test func `the address is in the certificate too`() async throws {
    try await withOrigin { origin, files in
      let curl = try await Command.curl("--cacert", files.root, origin.url("/").absoluteString)
      #expect(curl.output == "GET 0")
    }
  }

  @Test func `a root that is not given is refused, without a request`() async throws {
    try await withOrigin { origin, _ in
      let curl = try await Command.curl(origin.address("/", host: "localhost"))
      #expect(curl.exit == 60)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `large bodies go both ways`() async throws {
    try await withOrigin { origin, files in
      let down = try await Command.curl("--cacert", files.root, origin.address("/big", host: "localhost"))
      #expect(down.output == String(repeating: "a", count: 3_000_000))
      let up = try await Command.curl(
        "--cacert", files.root, "--data-binary", "@\(files.chain)", origin.address("/", host: "localhost"))
      #expect(up.output.hasPrefix("POST ") && up.output != "POST 0")
    }
  }

  @Test func `versions are those asked for`() async throws {
    try await withOrigin(nil, { $0.versions = .tls12 ... .tls12 }) { origin, files in
      let address = origin.address("/", host: "localhost")
      let fitting = try await Command.curl("--cacert", files.root, address)
      #expect(fitting.exit == 0)
      let newer = try await Command.curl("--cacert", files.root, "--tlsv1.3", address)
      #expect(newer.exit == 35)
      #expect(origin.requests.compactMap(\.tls?.version) == ["TLSv1.2"])
    }
  }

  @Test func `TLS 1_0 is spoken with a client that still does`() async throws {
    try await withOrigin(nil, { $0.versions = .tls10 ... .tls11 }) { origin, files in
      let address = origin.address("/", host: "localhost")
      #expect(try await Command.curl("--cacert", files.root, address).exit == 35)
      let old = try await Command.curl(
        "--cacert", files.root, "--tlsv1.0", "--tls-max", "1.0", "--ciphers", "DEFAULT@SECLEVEL=0", address)
      #expect(old.exit == 0)
    }
  }

  @Test func `a cut comes without close_notify, a close with it`() async throws {
    try await withOrigin { origin, files in
      let cut = try await Command.curl("--cacert", files.root, origin.address("/cut", host: "localhost"))
      #expect(cut.exit != 0)
      // curl 7.88.1 takes either for the end of a body without a length, so the judge is OpenSSL's own client.
      func ending(_ path: String) async throws -> String {
        try await Command.run([
          "sh", "-c",
          "(printf \"GET \(path) HTTP/1.1\\r\\n\\r\\n\"; sleep 2) | openssl s_client -connect 127.0.0.1:\(origin.port) -quiet",
        ]).output
      }
      let open = try await ending("/open")
      #expect(open.contains("open") && open.contains("unexpected eof"))
      let closed = try await ending("/closed")
      #expect(closed.contains("closed") && !closed.contains("unexpected eof"))
    }
  }

  @Test func `a client certificate is demanded and reported`() async throws {
    let authority = try TestIdentity.authority()
    let client = try authority.issue(.client("Alice"))
    let alice = try client.writeFiles()
    let mallory = try TestIdentity.authority(.authority("Other")).issue(.client("Mallory")).writeFiles()
    try await withOrigin(nil, { $0.clientCertificates = .issued(by: [authority.certificate]) }) { origin, files in
      let address = origin.address("/", host: "localhost")
      let right = try await Command.curl("--cacert", files.root, "--cert", alice.chain, "--key", alice.key, address)
      #expect(right.output == "GET 0")
      #expect(origin.requests.first?.tls?.clientCertificate == client.certificate.der)
      let wrong = try await Command.curl("--cacert", files.root, "--cert", mallory.chain, "--key", mallory.key, address)
      #expect(wrong.exit != 0)
      #expect(try await Command.curl("--cacert", files.root, address).exit != 0)
      #expect(origin.requests.count == 1)
    }
    alice.remove()
    mallory.remove()
  }

  @Test func `a stapled response reaches the client`() async throws {
    // curl looks for the issuer in what the server shows.
    let authority = try TestIdentity.authority().issue(.authority("M"))
    let server = try authority.issue(.server.with { $0.mustStaple = true })
    let good = try authority.ocspResponse(for: server.certificate)
    try await withOrigin(server, { $0.stapledResponse = good }) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "--cert-status", origin.address("/", host: "localhost"))
      #expect(curl.exit == 0)
    }
    let revoked = try authority.ocspResponse(for: server.certificate, .revoked)
    try await withOrigin(server, { $0.stapledResponse = revoked }) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "--cert-status", origin.address("/", host: "localhost"))
      #expect(curl.exit == 91)
    }
    try await withOrigin(server) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "--cert-status", origin.address("/", host: "localhost"))
      #expect(curl.exit == 91)
    }
  }

  @Test(arguments: [true, false]) func `sessions are resumed when they may be`(mayResume: Bool) async throws {
    try await withOrigin(
      nil,
      { tls in
        tls.resumesSessions = mayResume
        tls.versions = .tls12 ... .tls12
      }
    ) { origin, files in
      let session = files.folder + "/session"
      let target = "127.0.0.1:\(origin.port)"
      for option in ["-sess_out", "-sess_in"] {
        _ = try await Command.run(["openssl", "s_client", "-connect", target, "-tls1_2", option, session])
      }
      let second = try await Command.run(["openssl", "s_client", "-connect", target, "-tls1_2", "-sess_in", session])
      #expect(second.output.contains("Reused, ") == mayResume)
      _ = try await Command.run(["rm", "-f", session])
    }
  }

  @Test func `a slow handshake is done in the end`() async throws {
    try await withOrigin(nil, { $0.handshake = .slow(bytesPerSecond: 8000) }) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "-w", " %{time_appconnect}", origin.address("/", host: "localhost"))
      let parts = curl.output.split(separator: " ")
      #expect(parts.first == "GET")
      #expect((parts.last.flatMap { Double($0) } ?? 0) > 0.1)
    }
    try await withOrigin(nil, { $0.handshake = .delayed(.milliseconds(300)) }) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "-w", " %{time_appconnect}", origin.address("/", host: "localhost"))
      #expect((curl.output.split(separator: " ").last.flatMap { Double($0) } ?? 0) > 0.29)
    }
  }

  @Test(arguments: [0, 1, 5, 100, 700]) func `a handshake is cut after so many bytes`(count: Int) async throws {
    try await withOrigin(nil, { $0.handshake = .cut(afterBytes: count) }) { origin, files in
      let curl = try await Command.curl("--cacert", files.root, origin.address("/", host: "localhost"))
      #expect(curl.exit == 35)
      await origin.until { $0.connectionsOpen == 0 }
      #expect(origin.counters.bytesSent == Int64(count))
      #expect(origin.counters.handshakes == 0)
    }
  }

  @Test func `a stalled handshake ends with the client's patience and leaves no connection`() async throws {
    try await withOrigin(nil, { $0.handshake = .stalled }) { origin, files in
      let curl = try await Command.curl(
        "--cacert", files.root, "--max-time", "0.2", origin.address("/", host: "localhost"))
      #expect(curl.exit == 28)
      #expect(await origin.until { $0.connectionsAccepted == 1 && $0.connectionsOpen == 0 })
    }
  }

  @Test func `plain text on a TLS port is no crash`() async throws {
    try await withOrigin { origin, _ in
      _ = try? await RawClient.get(origin.port)
      #expect(await origin.until { $0.connectionsAccepted == 1 && $0.connectionsOpen == 0 })
    }
  }

  @Test func `a key that is not the certificate's is a typed error`() async throws {
    let own = try TestIdentity.selfSigned()
    let identity = TestIdentity(certificate: own.certificate, key: try TestKey(), root: own.root)
    await #expect(throws: OriginError.self) {
      _ = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok() }
    }
  }
}
