import CurlewTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OriginIdlingTests {
  private static let get = "GET / HTTP/1.1\r\n\r\n"

  @Test func `an idle connection is closed after its time`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("x").idling(.close(after: .zero ... .milliseconds(2))) }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send(Self.get)
      #expect(try client.readToEnd().hasSuffix("x"))
    }
    await origin.stop()
  }

  @Test func `an idle connection is closed by the next request`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("x").idling(.closeOnNextRequest) }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send(Self.get)
      _ = try client.read(until: "x")
      try client.send(Self.get)
      #expect(try client.readToEnd() == "")
    }
    #expect(origin.counters.requests == 1)
    await origin.stop()
  }

  @Test func `a connection ends after its number of replies`() async throws {
    let origin = try await ScriptedOrigin.start(
      .with { $0.connection = { _ in ConnectionBehaviour(requestLimit: 2) } }
    ) { _ in .ok("x") }
    try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send(Self.get + Self.get + Self.get)
      #expect(try client.readToEnd().split(separator: "HTTP/1.1 200").count == 2)
    }
    await origin.stop()
  }

  @Test func `connections behave by their number`() async throws {
    let origin = try await ScriptedOrigin.start(
      .with {
        $0.connection = { number in
          switch number {
          case 1: ConnectionBehaviour(.close)
          case 2: ConnectionBehaviour(.reset)
          case 3: ConnectionBehaviour(.send([UInt8]("220 mail\r\n".utf8)))
          case 4: ConnectionBehaviour(.stall)
          default: ConnectionBehaviour()
          }
        }
      }
    ) { _ in .ok("x") }
    try await RawClient.run {
      #expect(try RawClient(port: origin.port).readToEnd() == "")
      #expect(throws: RawClient.Failure.self) { _ = try RawClient(port: origin.port).readToEnd() }
      #expect(try RawClient(port: origin.port).readToEnd() == "220 mail\r\n")
      let stalled = try RawClient(port: origin.port)
      try stalled.send(Self.get)
      let served = try RawClient(port: origin.port)
      try served.send(Self.get)
      _ = try served.read(until: "x")
    }
    #expect(origin.counters.requests == 1)
    #expect(await origin.until { $0.connectionsOpen == 0 })
    await origin.stop()
  }
}
