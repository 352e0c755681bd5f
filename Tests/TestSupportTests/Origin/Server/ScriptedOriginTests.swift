import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScriptedOriginTests {
  @Test func `a handler's reply reaches the client byte for byte`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    let reply = try await RawClient.get(origin.port)
    #expect(
      reply == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhello")
    await origin.stop()
  }

  @Test func `curl reads it and its URL is right`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok("for \(request.target)") }
    let curl = try await Command.curl(origin.url("/a?b=c").absoluteString)
    #expect(curl.exit == 0)
    #expect(curl.output == "for /a?b=c")
    #expect(origin.requests.first?.path == "/a")
    #expect(origin.requests.first?.query == "b=c")
    await origin.stop()
  }

  @Test func `requests are remembered with head, body, connection and place on it`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok("got \(await request.body().count)") }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("POST /one HTTP/1.1\r\nhost: a\r\nX-Odd : b \r\nContent-Length: 3\r\n\r\nabc")
      _ = try client.read(until: "got 3")
      try client.send(
        "PUT /two HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1;x=y\r\nf\r\n0\r\nT: v\r\n\r\n")
      _ = try client.read(until: "got 3")
    }
    let requests = origin.requests
    try #require(requests.count == 2)
    #expect(requests[0].method == "POST")
    #expect(requests[0].lines == ["POST /one HTTP/1.1", "host: a", "X-Odd : b ", "Content-Length: 3"])
    #expect(requests[0]["HOST"] == "a")
    #expect(requests[0].text == "abc")
    #expect(requests[0].isComplete)
    #expect(!requests[0].isOnReusedConnection)
    #expect(requests[1].text == "def")
    #expect(requests[1].trailers["t"] == "v")
    #expect(requests[1].connection == requests[0].connection)
    #expect(requests[1].isOnReusedConnection)
    #expect(origin.counters.connectionsAccepted == 1)
    await origin.stop()
  }

  @Test func `a body beyond the limit is counted and not kept`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.bodyBytesKept = 10 }) { request in
      .ok("\(await request.body().count) of \(request.bodyLength)")
    }
    let body = String(repeating: "x", count: 200_000)
    let reply = try await RawClient.exchange(
      origin.port, "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 200000\r\n\r\n\(body)")
    #expect(reply.hasSuffix("10 of 200000"))
    await origin.stop()
  }

  @Test func `only the newest requests are kept`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.requestsKept = 3 }) { .ok($0.path) }
    let requests = (0..<99).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined()
    _ = try await RawClient.exchange(origin.port, requests + "GET /99 HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(origin.requests.map(\.path) == ["/97", "/98", "/99"])
    #expect(origin.counters.requests == 100)
    origin.forgetRequests()
    #expect(origin.requests.isEmpty)
    await origin.stop()
  }

  @Test func `bodies are kept up to their limit in all`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.bodyBytesKeptInAll = 25 }) { _ in .ok() }
    let requests = (0..<9).map { "POST /\($0) HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789" }.joined()
    _ = try await RawClient.exchange(origin.port, requests + "GET /9 HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(origin.requests.map(\.path) == ["/8", "/9"])
    await origin.stop()
  }

  @Test func `pipelined requests are answered in order`() async throws {
    let origin = try await ScriptedOrigin.start { .ok("<\($0.path)>") }
    let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined()
    let reply = try await RawClient.exchange(origin.port, requests + "GET /end HTTP/1.1\r\nConnection: close\r\n\r\n")
    let bodies = reply.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" }) }
    #expect(bodies == (0..<50).map { "/\($0)" } + ["/end"])
    #expect(origin.requests.map(\.index) == Array(0...50))
    await origin.stop()
  }

  @Test func `a head longer than the limit is refused with 431`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.headBytes = 1000 }) { _ in .ok() }
    let reply = try await RawClient.exchange(
      origin.port, "GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 2000))\r\n\r\n")
    #expect(reply.hasPrefix("HTTP/1.1 431 "))
    #expect(origin.requests.isEmpty)
    await origin.stop()
  }

  @Test func `a length that is not clear is refused with 400`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok() }
    let reply = try await RawClient.exchange(
      origin.port, "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
    #expect(reply.hasPrefix("HTTP/1.1 400 "))
    await origin.stop()
  }

  @Test func `a HEAD request gets the head alone`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(0x61), count: 1_000_000) }
    let reply = try await RawClient.exchange(origin.port, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"))
    #expect(reply.hasSuffix("\r\n\r\n"))
    await origin.stop()
  }

  @Test func `IPv4 and IPv6 share a port`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.addresses = [.ipv4, .ipv6] }) { _ in .ok("x") }
    let curl = try await Command.curl("-g", origin.address("/", host: "[::1]"))
    #expect(curl.output == "x")
    #expect(try await RawClient.get(origin.port).hasSuffix("x"))
    await origin.stop()
  }

  @Test(arguments: [OriginAddress.ipv4, .ipv6])
  func `the port of a stopped origin refuses connections, and nobody is given it, until the origin is released`(
    address: OriginAddress
  ) async throws {
    var origin: ScriptedOrigin? = try await ScriptedOrigin.start(.with { $0.addresses = [address] }) { _ in .ok() }
    let url = try #require(origin?.url())
    let port = UInt16(try #require(origin?.port))
    let taken = address == .ipv6 ? SocketAddress.ipv6(port: port) : .ipv4(port: port)
    #expect(throws: OriginError.self) { _ = try LoopbackSocket(taken) }
    await origin?.stop()
    #expect(throws: OriginError.self) { _ = try LoopbackSocket(taken) }
    #expect(try await Command.curl("-g", url.absoluteString).exit == 7)
    origin = nil
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    var isFree = false
    while !isFree, ContinuousClock.now < end {
      isFree = (try? LoopbackSocket(taken)) != nil
      // Sleeps because another test may get the port at once, and a program that starts holds a copy of each descriptor.
      if !isFree { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(isFree)
  }

  @Test func `a Unix socket serves and is gone after stop`() async throws {
    let path = "/tmp/curlew-origin-\(UInt64.random(in: 0 ... .max)).sock"
    let origin = try await ScriptedOrigin.start(.with { $0.addresses = [.unix(path)] }) { _ in .ok("x") }
    let curl = try await Command.curl("--unix-socket", path, "http://localhost/")
    #expect(curl.output == "x")
    await origin.stop()
    #expect(throws: RawClient.Failure.self) { _ = try RawClient(unix: path) }
  }

  @Test func `a path the kernel cannot take is a typed error`() async {
    await #expect(throws: OriginError.self) {
      let path = "/tmp/" + String(repeating: "x", count: 200)
      _ = try await ScriptedOrigin.start(.with { $0.addresses = [.unix(path)] }) { _ in .ok() }
    }
  }

  @Test func `a gate holds a reply until a test opens it`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in .ok("late").pausing(at: gate) }
    async let reply = RawClient.get(origin.port)
    await gate.reached()
    #expect(origin.counters.repliesFinished == 0)
    gate.open()
    #expect(try await reply.hasSuffix("late"))
    await origin.stop()
  }

  @Test func `connections beyond the limit are turned away`() async throws {
    let origin = try await ScriptedOrigin.start(.with { $0.connectionLimit = 1 }) { _ in .ok("x") }
    try await RawClient.run {
      let first = try RawClient(port: origin.port)
      try first.send("GET / HTTP/1.1\r\n\r\n")
      _ = try first.read(until: "x")
      let second = try RawClient(port: origin.port)
      #expect(try second.readToEnd() == "")
    }
    #expect(origin.counters.connectionsRefused == 1)
    await origin.stop()
  }

  @Test func `waiting for a number of requests ends when they are there`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok() }
    async let seen = origin.until { $0.requests >= 2 }
    _ = try await RawClient.get(origin.port)
    _ = try await RawClient.get(origin.port)
    #expect(await seen)
    await origin.stop()
    #expect(await origin.until { $0.requests >= 3 } == false)
  }
}
