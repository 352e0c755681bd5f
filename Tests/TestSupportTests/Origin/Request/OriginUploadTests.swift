import CurlewTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OriginUploadTests {
  private static let expecting = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"

  @Test func `100 Continue is sent when the client waits for it`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send(Self.expecting)
      #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try client.send("hello")
      #expect(try client.read(until: "hello").hasPrefix("HTTP/1.1 200 OK"))
    }
    await origin.stop()
  }

  @Test func `a handler that does not look at the body has it read all the same`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("done") }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      for _ in 0..<2 {
        try client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
        _ = try client.read(until: "done")
      }
    }
    #expect(origin.requests.map(\.text) == ["hello", "hello"])
    await origin.stop()
  }

  @Test func `417 answers the expectation and ends the connection`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .expectationFailed }
    let reply = try await RawClient.exchange(origin.port, Self.expecting)
    #expect(reply.hasPrefix("HTTP/1.1 417 "))
    #expect(origin.requests.map(\.bodyLength) == [0])
    await origin.stop()
  }

  @Test func `a reply can come before the upload is over`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(413, "too much").early(afterUpload: 1000) }
    let reply = try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 5000))
      return try client.readToEnd()
    }
    #expect(reply.hasPrefix("HTTP/1.1 413 ") && reply.hasSuffix("too much"))
    #expect(origin.requests.first?.bodyLength == 1000)
    #expect(origin.requests.first?.isComplete == false)
    await origin.stop()
  }

  @Test(arguments: [OriginReply.resetInUpload(after: 1000), .hangUpInUpload(after: 1000)])
  func `an upload is broken off after so many bytes`(reply: OriginReply) async throws {
    let origin = try await ScriptedOrigin.start { _ in reply }
    let broken = try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "x", count: 2000))
      do { return try client.readToEnd().isEmpty } catch { return true }
    }
    #expect(broken)
    await origin.until { $0.connectionsOpen == 0 }
    #expect(origin.requests.first?.bodyLength == 1000)
    await origin.stop()
  }

  @Test func `a body that ends early is recorded as incomplete and its handler goes on`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      gate.open()
      return .ok()
    }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhello")
    }
    await origin.until { $0.connectionsOpen == 0 && $0.requests == 1 }
    #expect(origin.requests.first?.text == "hello")
    #expect(origin.requests.first?.isComplete == false)
    await origin.stop()
  }

  @Test(arguments: ["zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n", "-1\r\n", "ffffffffffffffffff\r\n"])
  func `a broken chunked upload gets 400`(body: String) async throws {
    let origin = try await ScriptedOrigin.start { request in .ok("\(await request.body().count)") }
    let reply = try await RawClient.exchange(
      origin.port, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    #expect(reply.hasPrefix("HTTP/1.1 "))
    #expect(origin.requests.first?.isComplete == false)
    await origin.stop()
  }

  @Test func `an upgraded connection echoes`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .upgrade(to: "echo") }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
      #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
      try client.send("anything")
      #expect(try client.read(until: "anything") == "anything")
    }
    await origin.stop()
  }
}

/// Replies to an upload.
extension OriginReply {
  /// Sends 417 instead of 100 Continue (RFC 9110 §10.1.1), and closes.
  static var expectationFailed: OriginReply { .status(417).beforeUpload().closing() }

  /// Resets the connection when this many bytes of the upload have arrived.
  static func resetInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .reset).beforeUpload()
  }

  /// Closes the connection when this many bytes of the upload have arrived.
  static func hangUpInUpload(after count: Int64) -> OriginReply {
    OriginReply(.readUpload(upTo: count), .cut).beforeUpload()
  }
}
