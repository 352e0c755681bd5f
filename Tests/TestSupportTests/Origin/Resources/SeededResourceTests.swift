import CurlewTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SeededResourceTests {
  private static let file = SeededResource(length: 300_000, seed: 5)

  /// Head and body of a reply to a GET with these fields.
  private func get(_ fields: String..., of file: SeededResource = file) async throws -> (head: String, body: [UInt8]) {
    let origin = try await ScriptedOrigin.start { file.reply(to: $0) }
    let lines = fields.map { $0 + "\r\n" }.joined()
    let all = try await RawClient.run {
      let client = try RawClient(port: origin.port)
      try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\(lines)\r\n")
      return try client.readBytesToEnd()
    }
    await origin.stop()
    let end = try #require(all.firstRange(of: [13, 10, 13, 10]))
    return (String(decoding: all[..<end.lowerBound], as: UTF8.self), [UInt8](all[end.upperBound...]))
  }

  @Test func `the pattern is the same from any place and differs by seed and block`() {
    let whole = BytePattern.seeded(1).bytes(count: 300_000)
    for offset in [1, 65_535, 65_536, 65_537, 200_001] {
      #expect(
        BytePattern.seeded(1).bytes(from: Int64(offset), count: 70_000) == [UInt8](whole[offset..<offset + 70_000]))
    }
    #expect(BytePattern.seeded(2).bytes(count: 1000) != [UInt8](whole[..<1000]))
    #expect(whole[0..<65_536] != whole[65_536..<131_072])
    #expect(BytePattern.seeded(1).bytes(from: .max - 10, count: 100).count == 100)
    #expect(BytePattern.repeating(7).bytes(count: -1).isEmpty)
  }

  @Test func `the whole is served without a range`() async throws {
    let reply = try await get()
    #expect(reply.head.hasPrefix("HTTP/1.1 200 "))
    #expect(reply.body == Self.file.bytes(count: 300_000))
  }

  @Test(arguments: [
    ("bytes=0-0", 0, 1), ("bytes=100-70000", 100, 69_901), ("bytes=299999-", 299_999, 1), ("bytes=-5", 299_995, 5),
    ("bytes=0-999999", 0, 300_000), ("bytes=-999999", 0, 300_000),
  ])
  func `one range is served as 206`(range: String, first: Int, count: Int) async throws {
    let reply = try await get("Range: \(range)")
    #expect(reply.head.hasPrefix("HTTP/1.1 206 "))
    #expect(reply.head.contains("Content-Range: bytes \(first)-\(first + count - 1)/300000"))
    #expect(reply.body == Self.file.bytes(from: Int64(first), count: count))
  }

  @Test(arguments: ["bytes=300000-", "bytes=-0", "bytes=400000-500000"])
  func `a range beyond the end is 416`(range: String) async throws {
    let reply = try await get("Range: \(range)")
    #expect(reply.head.hasPrefix("HTTP/1.1 416 "))
    #expect(reply.head.contains("Content-Range: bytes */300000"))
  }

  @Test(arguments: ["bytes=5-4", "lines=1-2", "bytes=a-b", "bytes=-", "bytes=", "bytes=99999999999999999999-"])
  func `a range that is none is ignored`(range: String) async throws {
    #expect(try await get("Range: \(range)").head.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `several ranges come as multipart`() async throws {
    let reply = try await get("Range: bytes=0-4,10-11,-2")
    #expect(reply.head.contains("multipart/byteranges; boundary="))
    let text = String(decoding: reply.body, as: UTF8.self)
    #expect(
      text.split(separator: "Content-Range: bytes ").dropFirst().map { String($0.prefix { $0 != "/" }) } == [
        "0-4", "10-11", "299998-299999",
      ])
    #expect(reply.head.contains("Content-Length: \(reply.body.count)"))
  }

  @Test func `conditions are looked at`() async throws {
    #expect(try await get("If-None-Match: \"300000-5\"").head.hasPrefix("HTTP/1.1 304 "))
    #expect(try await get("If-None-Match: \"other\"").head.hasPrefix("HTTP/1.1 200 "))
    #expect(try await get("If-Match: \"other\"").head.hasPrefix("HTTP/1.1 412 "))
    #expect(try await get("If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT").head.hasPrefix("HTTP/1.1 304 "))
    #expect(try await get("Range: bytes=1-2", "If-Range: \"300000-5\"").head.hasPrefix("HTTP/1.1 206 "))
    #expect(try await get("Range: bytes=1-2", "If-Range: \"other\"").head.hasPrefix("HTTP/1.1 200 "))
    let weak = Self.file.with { $0.entityTag = "W/\"x\"" }
    #expect(try await get("Range: bytes=1-2", "If-Range: W/\"x\"", of: weak).head.hasPrefix("HTTP/1.1 200 "))
    #expect(
      try await get("Range: bytes=1-2", of: Self.file.with { $0.servesRanges = false }).head.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `curl resumes it`() async throws {
    let origin = try await ScriptedOrigin.start { Self.file.reply(to: $0) }
    let curl = try await Command.curl(
      "-C", "299000", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", origin.address())
    #expect(curl.output == "206 1000")
    await origin.stop()
  }

  @Test func `a router answers by path and method`() async throws {
    var router = OriginRouter()
    router.on("/a") { _ in .ok("any") }
    router.on("POST", "/b") { _ in .ok("post") }
    router.on("GET", "/c/*") { .ok("under \($0.path)") }
    let origin = try await ScriptedOrigin.start(routes: router)
    #expect(try await RawClient.get(origin.port, "/a?x").hasSuffix("any"))
    #expect(try await RawClient.get(origin.port, "/b").hasPrefix("HTTP/1.1 405 "))
    #expect(try await RawClient.get(origin.port, "/c/d").hasSuffix("under /c/d"))
    #expect(try await RawClient.get(origin.port, "/d").hasPrefix("HTTP/1.1 404 "))
    await origin.stop()
  }

  @Test func `a script goes on with its last reply`() async throws {
    let origin = try await ScriptedOrigin.start(script: [.status(503), .ok("yes")])
    #expect(try await RawClient.get(origin.port).hasPrefix("HTTP/1.1 503 "))
    #expect(try await RawClient.get(origin.port).hasSuffix("yes"))
    #expect(try await RawClient.get(origin.port).hasSuffix("yes"))
    await origin.stop()
  }
}
