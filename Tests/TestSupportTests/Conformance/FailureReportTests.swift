import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct FailureReportTests {
  /// Sends a request of given bytes and reads the answer, as little as it takes.
  private struct BytesTransport: Transport {
    var capabilities: TransportCapabilities { [] }
    /// The lines behind the request line, and the content.
    var rest = "Host: x\r\n\r\n"
    /// The end of what is read; empty reads to the end of the connection.
    var end = ""

    func send(_ request: Request, in exchange: Exchange) async throws -> Response {
      let (url, rest, end) = (request.url, [UInt8](rest.utf8), end)
      _ = try await RawClient.run {
        let client = try RawClient(port: url.port ?? 0)
        try client.send([UInt8]("GET \(url.path()) HTTP/1.1\r\n".utf8) + rest)
        return end.isEmpty ? try client.readToEnd() : try client.read(until: end)
      }
      throw NetworkError(.internal, stage: .awaitingHead, message: "It gave up.")
    }
  }

  /// Returns what the report of a rule says whose transport gives up, or reaches a gate.
  private func wire(
    _ answer: ConformanceAnswer, _ transport: BytesTransport, until gate: OriginGate? = nil
  ) async throws -> [String] {
    let endpoint = try await OriginEndpoint.start()
    let rule = ConformanceRule("gives-up", "it never gives up", because: "Tests end.") { kit in
      let sending = Task { _ = try await kit.fetch(kit.serve(answer)) }
      if let gate { await gate.reached() } else { _ = await sending.result }
      throw ConformanceFailure("it gave up")
    }
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await TransportConformance(endpoint: endpoint).check(rule) { transport }
    }
    await endpoint.stop()
    return try #require(failure).wire
  }

  @Test func `a report shows the request as it was received and the answer as far as it was sent`() async throws {
    let gate = OriginGate()
    let answer = ConformanceAnswer(content: .bytes([UInt8]("hello".utf8)), holdsContent: .init(after: 2, gate))
    let transport = BytesTransport(rest: "Host: x\r\nX-Latin:\t\\é\r\n\r\n", end: "\r\n\r\nhe")
    let wire = try await wire(answer, transport, until: gate)
    #expect(wire.count == 2)
    #expect(wire.first == #"> GET /place-1 HTTP/1.1\r\nHost: x\r\nX-Latin:\t\\\xc3\xa9\r\n\r\n (48 bytes)"#)
    #expect(wire.last?.hasPrefix(#"< HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe (40 bytes"#) == true, "\(wire)")
  }

  @Test func `a report shows how the server ended a connection, and only the start of long content`() async throws {
    let reset = try await wire(
      ConformanceAnswer(content: .bytes([UInt8]("hello".utf8)), ending: .reset(after: 3)), BytesTransport())
    #expect(reset.last == #"< HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel (41 bytes, then reset by the server)"#)
    let nothing = try await wire(ConformanceAnswer(ending: .cutBeforeHead), BytesTransport())
    #expect(nothing.last == "< nothing, then closed by the server")
    let long = try await wire(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 100_000), framing: .close), BytesTransport())
    #expect(long.last?.hasSuffix("… (100038 bytes, then closed by the server)") == true, "\(long)")
    #expect(long.allSatisfy { $0.utf8.count < 2200 })
  }

  @Test func `a report shows the framing of content, and that it is not complete`() async throws {
    let gate = OriginGate()
    let wire = try await wire(
      ConformanceAnswer(upload: .readPartly(3, then: gate)),
      BytesTransport(rest: "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n9\r\nab"), until: gate)
    #expect(wire.first?.hasSuffix(#"\r\n\r\n3\r\nabc (68 bytes so far)"#) == true, "\(wire)")
    #expect(wire.last == "< nothing so far")
  }

  private func sentence(
    _ rule: ConformanceRule, _ spoil: @escaping @Sendable (inout BrokenTransport) -> Void
  ) async throws -> String {
    let endpoint = StubEndpoint()
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await TransportConformance(endpoint: endpoint, timeLimit: .seconds(5)).check(rule) {
        BrokenTransport(endpoint.makeTransport(), spoil)
      }
    }
    return try #require(failure).sentence
  }

  @Test func `a rule that waits in vain for an event names it, and those that came`() async throws {
    let silent = try await sentence(.eventsInOrder) { broken in
      broken.sends = { request, exchange, good in
        let response = try await good.send(request, in: exchange.derived { $0.observers = [] })
        exchange.emit(.responded(response.head))
        return response
      }
    }
    #expect(
      silent.hasSuffix("; what did not come: the event measured (so far: responded)"), "\(silent)")
  }

  @Test(arguments: [
    (ConformanceAnswer(holdsHead: OriginGate()), "the head of the response to GET /place-1"),
    (ConformanceAnswer(content: .bytes([1, 2]), holdsContent: .init(after: 1)), "the end of the body of a response"),
  ])
  func `a rule that waits in vain for a part of the answer names the part`(
    answer: ConformanceAnswer, part: String
  ) async throws {
    let rule = ConformanceRule("waits", "it waits") { kit in _ = try await kit.fetch(kit.serve(answer)) }
    let sentence = try await sentence(rule) { _ in }
    #expect(sentence.hasSuffix("; what did not come: \(part)"), "\(sentence)")
  }

  @Test func `a rule that waits for nothing that has a name tells what came last`() async throws {
    let rule = ConformanceRule("waits", "it waits") { kit in
      _ = try await kit.fetch(kit.serve())
      await Awaiting.oneCall { _ in }
    }
    let sentence = try await sentence(rule) { _ in }
    #expect(
      sentence.hasSuffix("; the last wait that ended was for the end of the body of a response"), "\(sentence)")
  }
}
