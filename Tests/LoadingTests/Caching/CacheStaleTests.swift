import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct CacheStaleTests {
  /// A scene whose origin fails from the second request on.
  private func failing(
    _ directives: String, _ failure: StubAnswer, _ configuration: Caching.Configuration = .init()
  ) -> CacheScene {
    CacheScene(MemoryCacheStore(), configuration) { asked in
      asked.index == 0
        ? .bytes(Data("kept".utf8), headerFields: [.cacheControl: directives]) : failure
    }
  }

  @Test func `stale-while-revalidate gives the stale response and asks once in the meantime`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=1, stale-while-revalidate=60"])
    try await scene.get()
    scene.pass(3)
    #expect(try await scene.get().text == "body 0")
    await scene.caching.waitForRevalidations()
    #expect(scene.sent.all.count == 2)
    #expect(try await scene.get().text == "body 1")
    #expect(scene.sent.all.count == 2)
    scene.pass(100)
    #expect(try await scene.get().source == .network)
  }

  @Test func `stale-if-error covers failures of the server and of the way there`() async throws {
    for failure in [
      StubAnswer(.serviceUnavailable), .failing(Fixture.lost()), .failing(Fixture.lost(.connectionFailed)),
    ] {
      let scene = failing("max-age=1, stale-if-error=60", failure)
      try await scene.get()
      scene.pass(3)
      let reply = try await scene.get()
      #expect(reply.text == "kept")
      #expect(reply.source == .cache)
      scene.pass(100)
      let late = try? await scene.get()
      #expect(late?.text != "kept")
    }
  }

  @Test func `it covers no client error, no refused certificate and no cancellation`() async throws {
    let missing = failing("max-age=1, stale-if-error=60", StubAnswer(.notFound))
    try await missing.get()
    missing.pass(3)
    #expect(try await missing.get().status == 404)
    let refused = failing("max-age=1, stale-if-error=60", .failing(Fixture.lost(.serverTrustRefused)))
    try await refused.get()
    refused.pass(3)
    #expect(await Fixture.kind { try await refused.get() } == .serverTrustRefused)
    let cancelled = failing("max-age=1, stale-if-error=60", .failing(CancellationError()))
    try await cancelled.get()
    cancelled.pass(3)
    await #expect(throws: CancellationError.self) { try await cancelled.get() }
  }

  @Test func `an unreachable server is an error unless the app prefers what is stale`() async throws {
    let plain = failing("max-age=1", .failing(Fixture.lost()))
    try await plain.get()
    plain.pass(3)
    #expect(await Fixture.kind { try await plain.get() } == .connectionLost)
    var configuration = Caching.Configuration()
    configuration.servesStaleWhenUnreachable = true
    let tolerant = failing("max-age=1", .failing(Fixture.lost()), configuration)
    try await tolerant.get()
    tolerant.pass(3)
    #expect(try await tolerant.get().text == "kept")
    let strict = failing("max-age=1, must-revalidate", .failing(Fixture.lost()), configuration)
    try await strict.get()
    strict.pass(3)
    #expect(await Fixture.kind { try await strict.get() } == .connectionLost)
  }
}
