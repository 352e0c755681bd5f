import CurlewTestSupport
import FoundationEssentials
import Testing

/// The replies of curl's own HTTP tests, served as they are.
@Suite(.timeLimit(.minutes(10))) struct OriginReplayTests {
  private struct Case: Decodable {
    var id: Int
    var reply: [String: String]
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/data/curl-http-replies/replies.json")
  private static let isThere = FileManager.default.fileExists(atPath: file.path)

  @Test(.enabled(if: isThere, "shared/data is not beside the package"))
  func `each reply arrives byte for byte, and the connection ends`() async throws {
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: Self.file))
    let replies: [(path: String, bytes: [UInt8])] = cases.flatMap { one in
      one.reply.compactMap { name, text in
        Data(base64Encoded: text).map { ("/\(one.id)/\(name)", [UInt8]($0)) }
      }
    }
    try #require(replies.count > 500)
    let byPath = Dictionary(uniqueKeysWithValues: replies.map { ($0.path, $0.bytes) })
    let origin = try await ScriptedOrigin.start { request in byPath[request.path].map { .replay($0) } ?? .status(404) }
    let wrong = try await RawClient.run {
      try replies.compactMap { path, bytes in
        let client = try RawClient(port: origin.port)
        try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try client.readBytesToEnd() == bytes ? nil : path
      }
    }
    #expect(wrong.isEmpty)
    #expect(origin.counters.requests == replies.count)
    await origin.stop()
  }
}
