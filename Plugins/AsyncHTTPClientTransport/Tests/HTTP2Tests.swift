#if AsyncHTTPClient
import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import NIOSSL
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTP2Tests {
  /// Runs a body with a server and a transport that trusts it.
  private func withServer(
    _ body: (HTTP2Server, AsyncHTTPClientTransport) async throws -> Void
  ) async throws {
    let identity = try TestIdentity.authority().issue()
    let files = try identity.writeFiles()
    defer { files.remove() }
    let server = try await HTTP2Server.start(identity)
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.trustRoots = .file(files.root)
    try await withTransport(configuration) { try await body(server, $0) }
    try await server.until { $0.open == 0 }
    try await server.stop()
  }

  @Test func `HTTP/2 is used where the server chooses it, unless the request wants HTTP/1.1`() async throws {
    try await withServer { server, transport in
      var wanted = try server.request("/")
      for (version, used) in [(nil, .http2), (.http2, .http2), (.http1, .http11)]
        as [(VersionPolicy?, ResponseHead.Version)]
      {
        wanted.options.version = version
        let exchange = Exchange()
        let answer = try await transport.fetch(wanted, in: exchange)
        #expect(answer.head.version == used)
        #expect(answer.head.status.reasonPhrase == "OK")
        #expect(answer.body == Data("hello".utf8))
        #expect(exchange.metrics.first?.version == used)
        #expect(exchange.metrics.first?.remoteAddress == "127.0.0.1:\(server.port)")
      }
      #expect(server.counters.connections == 2)
    }
  }

  @Test(.enabled(if: !CurlTransport.capabilities().contains(.http2), "this libcurl has HTTP/2 itself"))
  func `a registry sends what asks for HTTP/2 with this transport, and the rest with libcurl`() async throws {
    try await withServer { server, transport in
      let transports = TransportRegistry().adding("curl") { try .curl() }
      transports.add("async-http-client") { transport }
      var wanted = try server.request("/")
      wanted.options.version = .http2
      let response = try await transports.send(wanted, in: Exchange())
      #expect(response.head.version == .http2)
      #expect(try await response.body.collect(upTo: 100) == Data("hello".utf8))
      #expect(try transports.transport(for: server.request("/"), in: Exchange()) is CurlTransport)
      await transports.shutdown()
    }
  }

  @Test func `a server that an evaluator decides about is spoken to in HTTP/1.1`() async throws {
    try await withServer { server, transport in
      let evaluator = RecordingTrustEvaluator()
      let answer = try await transport.fetch(try server.request("/"), in: .with { $0.serverTrust = evaluator })
      #expect(answer.head.version == .http11)
      #expect(evaluator.evaluated.count == 1)
    }
  }

  @Test func `simultaneous requests share a connection, and the events say so`() async throws {
    try await withServer { server, transport in
      let observer = RecordingObserver()
      _ = try await transport.fetch(try server.request("/"), in: .with { $0.observers = [observer] })
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            _ = try await transport.fetch(try server.request("/"), in: .with { $0.observers = [observer] })
          }
        }
        try await group.waitForAll()
      }
      #expect(server.counters.connections == 1)
      let reuse = observer.kinds.compactMap { if case .connected(let reused) = $0 { reused } else { nil } }
      #expect(reuse == [false] + Array(repeating: true, count: 20))
    }
  }

  @Test func `an upload and trailers arrive`() async throws {
    try await withServer { server, transport in
      var upload = try server.request("/echo")
      upload.method = .post
      let bytes = Data(BytePattern.seeded(1).bytes(count: 300_000))
      upload.body = .bytes(bytes)
      let exchange = Exchange()
      let response = try await transport.send(upload, in: exchange)
      #expect(try await response.body.collect(upTo: 1 << 20) == bytes)
      #expect(response.body.trailers?[try #require(HTTPField.Name("x-sum"))] == "1")
      #expect(exchange.metrics.first?.bytesSent == 300_000)
    }
  }

  @Test func `a cancelled stream leaves its connection to the others`() async throws {
    try await withServer { server, transport in
      for round in 1...5 {
        let response = try await transport.send(try server.request("/held"), in: Exchange())
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next()?.count == 1000)
        response.body.cancel()
        try await server.until { $0.endedStreams == 2 * round - 1 }
        #expect(try await transport.fetch(try server.request("/")).body == Data("hello".utf8))
      }
      #expect(server.counters.connections == 1)
    }
  }

  @Test func `a reader that stops holds back its stream, and no other`() async throws {
    try await withServer { server, transport in
      let response = try await transport.send(try server.request("/big"), in: Exchange())
      var iterator = response.body.makeAsyncIterator()
      var seen = try await iterator.next()?.count ?? 0
      for _ in 0..<20 { #expect(try await transport.fetch(try server.request("/")).body == Data("hello".utf8)) }
      var sent = -1
      while server.counters.bytes != sent {
        sent = server.counters.bytes
        // Sleeps because only time shows that nothing more is sent.
        try await Task.sleep(for: .milliseconds(300))
      }
      #expect(sent < 24 << 20)
      #expect(server.counters.connections == 1)
      while let chunk = try await iterator.next() { seen += chunk.count }
      #expect(seen == 64 << 20)
    }
  }
}
#endif
