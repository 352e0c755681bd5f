import CurlewTestHarness
import CurlewTestSupport
import Testing

/// Each misbehaviour as `curl` sees it.
@Suite(.timeLimit(.minutes(10))) struct OriginMisbehaviourTests {
  /// Where curl, 7.88.1 or 8.14.1, is less careful than the rule asks for.
  private static let curlAccepts = [
    "length-conflict": "takes the last of two lengths",
    "length-conflict-listed": "reads the digits up to the comma",
    "length-negative": "takes a negative length for none",
    "length-garbage": "takes a length that is no number for none",
    "length-overflow": "takes a length beyond 64 bits for none",
    "head-cutInFields": "takes a connection that ends inside the head for the end of the head",
    "head-longStatus": "takes a status line of any length (8.14.1)",
    "unasked-switch": "takes 101 for the final head",
    "chunked-twice": "takes it for chunked once",
  ]

  @Test func `every name is its own`() {
    let names = OriginMisbehaviour.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count >= 60)
  }

  @Test(arguments: OriginMisbehaviour.all)
  func `curl comes to what a careful client comes to`(misbehaviour: OriginMisbehaviour) async throws {
    let origin = try await ScriptedOrigin.start(handler: OriginMisbehaviour.handler)
    let patience = misbehaviour.expectation == .timesOut ? "0.3" : "30"
    let curl = try await Command.curl("--max-time", patience, origin.address("/\(misbehaviour.name)"))
    switch misbehaviour.expectation {
    case .succeeds(let body): #expect(curl.exit == 0 && curl.output == body, "\(curl)")
    case .fails where Self.curlAccepts[misbehaviour.name] != nil: #expect(curl.exit != 28)
    case .fails: #expect(curl.exit != 0 && curl.exit != 28, "\(curl.exit)")
    case .succeedsOrFails(let body): #expect(curl.exit != 28 && (curl.exit != 0 || curl.output == body), "\(curl)")
    case .timesOut: #expect(curl.exit == 28)
    }
    await origin.stop()
  }

  private func bytes(_ reply: OriginReply, _ request: String = "GET / HTTP/1.1\r\n\r\n") async throws -> String {
    let origin = try await ScriptedOrigin.start { _ in reply }
    let bytes = try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send(request)
      var all: [UInt8] = []
      // A reset ends the reading too; what came before it counts.
      while let next = try? client.read(), !next.isEmpty { all += next }
      return String(decoding: all, as: UTF8.self)
    }
    await origin.stop()
    return bytes
  }

  @Test(arguments: [0, 1, 17, 40, 70]) func `a cut is exact to the byte, head included`(count: Int) async throws {
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    let cut = try await bytes(.ok("12345678901234567890").cut(after: Int64(count)))
    #expect(cut == (whole + "12345678901234567890").prefix(characters: count))
    let filled = try await bytes(OriginReply(.fill(.repeating(0x61), count: 1 << 40)).cut(after: Int64(count)))
    #expect(filled == String(repeating: "a", count: count))
    let repeated = try await bytes(OriginReply(.repeated("ab", times: .max)).cut(after: Int64(count), by: .reset))
    #expect(repeated == String(repeating: "ab", count: 99).prefix(characters: count))
  }

  @Test func `chunks, drips and repetitions are what they say`() async throws {
    #expect(
      try await bytes(.chunked(["ab", "", "c"], trailers: ["X": "y"]).closing())
        .hasSuffix("Trailer: X\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX: y\r\n\r\n"))
    #expect(
      try await bytes(OriginReply(.chunks(.repeating(0x61), count: 7, size: 5), .close)) == "5\r\naaaaa\r\n2\r\naa\r\n")
    #expect(try await bytes(OriginReply(.drip([0x61, 0x62, 0x63], size: 2, every: .zero), .close)) == "abc")
    #expect(
      try await bytes(OriginReply(.repeated("ab", times: 10_000), .close)) == String(repeating: "ab", count: 10_000))
    #expect(try await bytes(OriginReply(.perform { [.raw("x"), .raw("y")] }, .raw("z"), .close)) == "xyz")
  }

  @Test func `a reset is a reset`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .reset(after: 3, of: 9) }
    let curl = try await Command.curl(origin.address())
    #expect(curl.exit == 56)
    #expect(curl.output.contains("xxx"))
    await origin.stop()
  }

  @Test func `a throttled reply takes its time`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.repeating(0x61), count: 100_000).throttled(to: 200_000) }
    let curl = try await Command.curl("-o", "/dev/null", "-w", "%{size_download} %{time_total}", origin.address())
    let parts = curl.output.split(separator: " ").compactMap { Double($0) }
    #expect(parts.first == 100_000)
    #expect((parts.last ?? 0) > 0.4)
    await origin.stop()
  }
}

extension String {
  fileprivate func prefix(characters count: Int) -> String { String(decoding: utf8.prefix(count), as: UTF8.self) }
}
