import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Equal requests at the same time.
@Suite(.timeLimit(.minutes(10))) struct CacheSharingTests {
  private func collect(_ scene: CacheScene) async throws -> CacheScene.Reply {
    try await scene.get { $0.options.delivery = .collected }
  }

  @Test func `equal requests that are collected share one sending`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { asked in
      try await gate.wait()
      return .bytes(Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "max-age=10"])
    }
    let replies = try await withThrowingTaskGroup(of: CacheScene.Reply.self) { group in
      for _ in 0..<8 { group.addTask { try await collect(scene) } }
      try await gate.waitForArrivals()
      gate.open()
      var replies: [CacheScene.Reply] = []
      for try await reply in group { replies.append(reply) }
      return replies
    }
    #expect(replies.allSatisfy { $0.text == "body 0" })
    #expect(replies.count { $0.source == .cache } == 7)
    #expect(scene.sent.all.count == 1)
  }

  @Test func `who waits for a paused transfer is let go, and the others wait for that one`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { asked in
      StubAnswer(
        headerFields: [.cacheControl: "max-age=10"],
        body: [
          .bytes(Data("body ".utf8)), .wait { if asked.index == 0 { try await gate.wait() } },
          .bytes(Data("\(asked.index)".utf8)),
        ])
    }
    var settings = ExchangeSettings()
    settings.clock = scene.clock
    var configuration = Transfer<TransferResult>.Configuration(
      Request(.get, Fixture.url), to: .memory(limit: 100), settings: settings
    ) { $0 }
    configuration.retry = nil
    let paused = Transfer(scene.loader, configuration)
    paused.start()
    try await gate.waitForArrivals()
    let others = (0..<4).map { _ in Task { try await collect(scene) } }
    try await Fixture.witness()
    #expect(scene.sent.all.count == 1)
    paused.pause()
    for other in others { #expect(try await other.value.text == "body 1") }
    #expect(scene.sent.all.count == 2)
    // Nobody waits for one that is paused already.
    #expect(try await collect(scene).source == .cache)
    gate.open()
    paused.resume()
    #expect(try await paused.value.content.data == Data("body 0".utf8))
  }

  @Test func `who waits for one that brings nothing more is sent in its place, and a slow one is waited for`()
    async throws
  {
    let gates = [ManualGate(), ManualGate()]
    var configuration = Caching.Configuration()
    configuration.patience = .seconds(5)
    let scene = CacheScene(MemoryCacheStore(), configuration) { asked in
      guard asked.index == 0 else {
        return .bytes(Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "max-age=10"])
      }
      return StubAnswer(
        headerFields: [.cacheControl: "max-age=10"],
        body: [
          .bytes(Data("b".utf8)), .wait { try await gates[0].wait() }, .bytes(Data("od".utf8)),
          .wait { try await gates[1].wait() }, .bytes(Data("y".utf8)),
        ])
    }
    let stalled = Task { try await collect(scene) }
    try await gates[0].waitForArrivals()
    let other = Task { try await collect(scene) }
    try await scene.clock.waitForSleepers()
    #expect(scene.sent.all.count == 1)
    gates[0].open()
    try await gates[1].waitForArrivals()
    // Bytes came since the last look.
    scene.pass(5)
    try await scene.clock.waitForSleepers()
    #expect(scene.sent.all.count == 1)
    scene.pass(5)
    #expect(try await other.value.text == "body 1")
    #expect(scene.sent.all.count == 2)
    gates[1].open()
    #expect(try await stalled.value.text == "body")
  }

  private func limited(_ scene: CacheScene, to total: Duration) -> Task<CacheScene.Reply, any Error> {
    Task {
      try await scene.get {
        $0.options.delivery = .collected
        $0.options.timeouts.total = total
      }
    }
  }

  @Test func `the time of a request that waits for an equal one is its own`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { _ in
      try await gate.wait()
      return .bytes(Data("body".utf8), headerFields: [.cacheControl: "max-age=10"])
    }
    let first = limited(scene, to: .seconds(2))
    try await gate.waitForArrivals()
    let others = (0..<5).map { _ in limited(scene, to: .seconds(2)) }
    // The stub's own timeout, and one for each that waits.
    try await scene.clock.waitForSleepers(6)
    scene.pass(2)
    for one in [first] + others { #expect(await Fixture.kind { _ = try await one.value } == .timedOut) }
    #expect(scene.sent.all.count == 1)
  }

  @Test func `a request that waited in vain is sent with the time that is left`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { asked in
      guard asked.index == 0 else { return .text("own") }
      try await gate.wait()
      throw Fixture.lost(.connectionFailed)
    }
    let first = limited(scene, to: .seconds(5))
    try await gate.waitForArrivals()
    let other = limited(scene, to: .seconds(5))
    try await scene.clock.waitForSleepers(2)
    scene.pass(3)
    gate.open()
    #expect(await Fixture.kind { _ = try await first.value } == .connectionFailed)
    #expect(try await other.value.text == "own")
    #expect(scene.sent.all.map(\.options.timeouts.total) == [.seconds(5), .seconds(2)])
  }

  @Test func `a response that is not stored is fetched by each`() async throws {
    let scene = CacheScene([.cacheControl: "no-store"])
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try await collect(scene).text } }
      var texts: Set<String> = []
      for try await text in group { texts.insert(text) }
      return texts
    }
    #expect(texts.count == 4)
  }

  @Test func `who waits goes on alone when the first one fails or is cancelled`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { asked in
      if asked.index == 0 {
        try await gate.wait()
        throw Fixture.lost(.connectionFailed)
      }
      return .bytes(Data("body".utf8), headerFields: [.cacheControl: "max-age=10"])
    }
    let first = Task { try await collect(scene) }
    try await gate.waitForArrivals()
    let second = Task { try await collect(scene) }
    gate.open()
    await #expect(throws: NetworkError.self) { try await first.value }
    #expect(try await second.value.text == "body")
  }

  @Test func `a streaming reader keeps nobody waiting`() async throws {
    let scene = CacheScene([.cacheControl: "max-age=10"])
    let slow = try await scene.begin(.streamed)
    #expect(try await collect(scene).text == "body 1")
    #expect(try await slow.body.collect(upTo: 10) == Data("body 0".utf8))
  }

  @Test func `a waiter that is cancelled ends at once`() async throws {
    let gate = ManualGate()
    let scene = CacheScene { _ in
      try await gate.wait()
      return .text("late")
    }
    let first = Task { try await collect(scene) }
    try await gate.waitForArrivals()
    let second = Task { try await collect(scene) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    #expect(try await first.value.text == "late")
  }
}
