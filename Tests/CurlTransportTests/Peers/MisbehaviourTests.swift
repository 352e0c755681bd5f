import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import HTTPTypes
import Testing

/// Every way in which the scripted origin misbehaves: the right end, within the timeout, and nothing short as if whole.
@Suite(.timeLimit(.minutes(10))) struct MisbehaviourTests {
  private func get(_ path: String, from origin: ScriptedOrigin, idle: Duration) async throws -> String {
    let transport = try CurlTransport()
    var request = Request(.get, origin.url(path))
    request.options.timeouts.idle = idle
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    let result: Result<[UInt8], any Error>
    do {
      let response = try await transport.send(request, in: Exchange(settings))
      result = .success(Array(try await response.body.collect(upTo: 10_000_000)))
    } catch {
      result = .failure(error)
    }
    await transport.shutdown()
    return String(decoding: try result.get(), as: UTF8.self)
  }

  private func check(_ misbehaviour: OriginMisbehaviour, _ origin: ScriptedOrigin) async throws {
    let idle: Duration = misbehaviour.expectation == .timesOut ? .milliseconds(200) : .seconds(20)
    let outcome: Result<String, NetworkError>
    do {
      outcome = .success(try await get("/\(misbehaviour.name)", from: origin, idle: idle))
    } catch let error as NetworkError {
      outcome = .failure(error)
    }
    switch (misbehaviour.expectation, outcome) {
    case (.succeeds(let body), .success(let got)), (.succeedsOrFails(let body), .success(let got)):
      #expect(got == body)
    case (.succeedsOrFails, .failure(let error)), (.fails, .failure(let error)):
      #expect(!error.isTimeout && error.kind != .internal, "\(error)")
    case (.timesOut, .failure(let error)): #expect(error.kind == .idleTimedOut, "\(error)")
    case (.succeeds, .failure(let error)): Issue.record("\(misbehaviour): \(error)")
    case (.fails, .success(let got)), (.timesOut, .success(let got)):
      Issue.record("\(misbehaviour) passed as a body of \(got.utf8.count) bytes")
    }
  }

  @Test(arguments: OriginMisbehaviour.all)
  func `a misbehaviour comes to what a careful client comes to`(misbehaviour: OriginMisbehaviour) async throws {
    let origin = try await ScriptedOrigin.start(handler: OriginMisbehaviour.handler)
    try await check(misbehaviour, origin)
    await origin.stop()
  }

  @Test(arguments: OriginMisbehaviour.all)
  func `and so over TLS`(misbehaviour: OriginMisbehaviour) async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned()), handler: OriginMisbehaviour.handler)
    try await check(misbehaviour, origin)
    await origin.stop()
  }

  @Test(arguments: [false, true])
  func `over TLS, a body that only the connection's end delimits needs a close_notify`(isNotified: Bool) async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in
      OriginReply(.head(200), .body("hello"), isNotified ? .close : .cut)
    }
    do {
      let body = try await get("/", from: origin, idle: .seconds(20))
      #expect(isNotified && body == "hello")
    } catch let error as NetworkError {
      #expect(!isNotified && error.kind == .truncatedBody)
    }
    await origin.stop()
  }

  /// libcurl 8 refuses it by itself and calls it a content coding.
  @Test(arguments: ["gzip, chunked", "foo", "xchunked"])
  func `a transfer coding that was not asked for is a violation of the protocol on every libcurl`(
    coding: String
  ) async throws {
    let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    let origin = try await ScriptedOrigin.start { _ in .replay([UInt8](reply.utf8)) }
    let error = await #expect(throws: NetworkError.self) {
      try await get("/", from: origin, idle: .seconds(20))
    }
    #expect(error?.kind == .protocolViolation)
    #expect(error?.stage == .awaitingHead)
    await origin.stop()
  }
}
