import Curlew
import CurlewTestSupport
import Testing

@testable import TestedClient

/// Tests over real sockets: a server in the same process that answers, and misbehaves, as it is told.
@Suite(.timeLimit(.minutes(10))) struct OriginTests {
  private func withOrigin(
    _ script: [OriginReply], _ work: (SightingLog, ScriptedOrigin) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start(script: script)
    try await work(SightingLog(try HTTPSession(baseURL: origin.address("/v1/"))), origin)
    await origin.stop()
  }

  @Test func `a response that was cut off is not half a list`() async throws {
    let whole = OriginReply.json(#"[{"bird":"Curlew","count":2}]"#)
    try await withOrigin([whole.cut(after: 90), whole]) { log, origin in
      let found = try await log.all()
      #expect(found.count == 1 && origin.requests.count == 2)
    }
  }

  @Test func `a server that closes every connection is an error that says so`() async throws {
    try await withOrigin([.hangUp]) { log, _ in
      let error = await #expect(throws: NetworkError.self) { try await log.all() }
      #expect(error?.kind == .connectionLost)
    }
  }

  @Test func `a refused sighting keeps what the server said`() async throws {
    try await withOrigin([.json(#"{"detail":"no such bird"}"#, status: 422)]) { log, origin in
      let error = await #expect(throws: NetworkError.self) { try await log.record(Sighting(bird: "Dodo", count: 1)) }
      #expect(error?.details.response?.status.code == 422)
      #expect(error?.details.responseBody.map { String(decoding: $0, as: UTF8.self) } == #"{"detail":"no such bird"}"#)
      #expect(await origin.requests[0].body() == Array(#"{"bird":"Dodo","count":1}"#.utf8))
    }
  }
}
