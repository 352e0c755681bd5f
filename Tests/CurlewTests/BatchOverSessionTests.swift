import Curlew
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

/// A batch that goes through a session.
@Suite struct BatchOverSessionTests {
  private static let key = "7f3c"

  @Test func `a batch sends the fields of its session to the session's server alone, and stores none`() async throws {
    let own = try await ScriptedOrigin.start { _ in .ok("0123456789") }
    let other = try await ScriptedOrigin.start { _ in .ok("0123456789") }
    let directory = FileManager.default.temporaryDirectory.path + "/curlew-batch-\(UInt64.random(in: 0 ... .max))"
    try LocalFileSystem().createDirectory(directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let session = try HTTPSession(baseURL: own.address("/v1/")) {
      $0.headerFields[.authorization] = "Bearer \(Self.key)"
      $0.headerFields[.acceptLanguage] = "de"
    }
    let items = [
      try BatchItem.download("file", Request(.get, own.address("/v1/file")), to: directory + "/file"),
      try BatchItem.request("call", Request(.get, own.address("/v1/call"))),
      try BatchItem.request("elsewhere", Request(.get, other.address("/"))),
    ]
    let batch = try Batch(over: session)
    try await batch.add(items)
    #expect(try await batch.run().succeeded == 3)
    #expect(own.requests.count == 2)
    for request in own.requests {
      #expect(request["Authorization"] == "Bearer \(Self.key)" && request["Accept-Language"] == "de")
    }
    #expect(other.requests.map { $0["Authorization"] } == [nil] && other.requests.first?["Accept-Language"] == "de")
    for item in items { #expect(!String(decoding: item.input, as: UTF8.self).contains(Self.key)) }
    await own.stop()
    await other.stop()
  }

  @Test(arguments: [0, 2])
  func `the requests of a batch are retried as those of its session`(limit: Int) async throws {
    let origin = try await ScriptedOrigin.start { $0.index < 2 ? .status(503, "") : .ok("x") }
    let session = try HTTPSession(baseURL: origin.address("/")) {
      $0.retry = RetryPolicy(limit: limit, delay: .fixed(.zero))
    }
    let batch = try Batch(over: session)
    try await batch.add([BatchItem.request("call", Request(.get, origin.address("/")))])
    #expect(try await batch.run().succeeded == (limit == 0 ? 0 : 1))
    #expect(origin.requests.count == limit + 1)
    await origin.stop()
  }
}
