import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  private let checker = DelegateOrderChecker()

  private func connection(
    _ stub: StubTransport, _ request: Request = Fixture.request(), delegate: (any ConnectionDelegate)? = nil,
    callingOn executor: CallbackExecutor = .serial(), settings: ExchangeSettings? = nil
  ) -> Connection {
    Connection(
      request, over: Loader(stub, interceptors: Asking.chain), delegate: delegate ?? checker, callingOn: executor,
      settings: settings)
  }

  /// Runs to its end and gives the calls.
  private func calls(_ connection: Connection, _ checker: DelegateOrderChecker) async throws -> [DelegateOrder.Call] {
    #expect(connection.start())
    try await checker.waitForEnd()
    await connection.settled()
    #expect(checker.violations.isEmpty)
    return checker.calls
  }

  @Test func `a plain load is response, data, cache question, finish`() async throws {
    let calls = try await calls(connection(StubTransport(.bytes(Data(count: 10), chunkSize: 4))), checker)
    #expect(
      calls == [
        .response(hasParts: false), .data(count: 4), .data(count: 4), .data(count: 2), .willCache, .finish,
      ])
    #expect(checker.body == Data(count: 10))
  }

  @Test func `what a cache asks for in the meantime is no question to the delegate`() async throws {
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_790_000_000))
    let caching = Caching(MemoryCacheStore())
    let fields: HTTPFields = [.cacheControl: "max-age=1, stale-while-revalidate=60"]
    let stub = StubTransport { _ in .bytes(Data(count: 10), headerFields: fields) }
    let loader = Loader(stub, interceptors: [caching], settings: Fixture.settings(clock: clock))
    _ = try await loader.data(for: Fixture.request(), upTo: 100)
    clock.advance(by: .seconds(3))
    // The executor takes its time: all that is asked of the delegate waits behind the response.
    let gate = ManualGate()
    let calls = AsyncStream<@Sendable () -> Void>.makeStream()
    let executor = CallbackExecutor { calls.continuation.yield($0) }
    let calling = Task {
      var isFirst = true
      for await call in calls.stream {
        call()
        if isFirst { try await gate.wait() }
        isFirst = false
      }
    }
    let connection = Connection(Fixture.request(), over: loader, delegate: checker, callingOn: executor)
    connection.start()
    try await gate.waitForArrivals()
    await Fixture.wait(while: stub.requestCount < 2)
    try await Fixture.witness()
    #expect(stub.requestCount == 2)
    gate.open()
    await caching.waitForRevalidations()
    try await checker.waitForEnd()
    #expect(checker.violations.isEmpty)
    #expect(checker.calls == [.response(hasParts: false), .data(count: 10), .finish])
    calls.continuation.finish()
    try await calling.value
  }

  @Test func `nothing happens before the start, and it starts once`() async throws {
    let stub = StubTransport(.text("x"))
    let connection = connection(stub)
    let other = DelegateOrderChecker()
    _ = try await calls(self.connection(StubTransport(.text("y")), delegate: other), other)
    #expect(stub.requestCount == 0 && checker.calls.isEmpty)
    #expect(connection.start())
    #expect(!connection.start())
    try await checker.waitForEnd()
    #expect(!connection.start() && !connection.cancel())
    #expect(stub.requestCount == 1 && checker.violations.isEmpty)
  }

  @Test func `an error page is a response like any other`() async throws {
    let calls = try await calls(connection(StubTransport(.text("gone", status: .notFound))), checker)
    #expect(calls == [.response(hasParts: false), .data(count: 4), .finish])
  }

  @Test func `a redirect is asked about, changed, or stopped where the 3xx is the response`() async throws {
    final class Stopper: ConnectionDelegate {
      func connection(
        _ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?
      ) -> Request? { response == nil ? request : nil }
    }
    let script: [StubAnswer] = [
      StubAnswer(.found, headerFields: [.location: "/b"], body: [.bytes(Data("moved".utf8))]), .text("there"),
    ]
    let url = URL(string: "http://stub.test/a?canonical") ?? Fixture.url
    let followed = connection(StubTransport(script: script), Request(.get, url))
    let calls = try await calls(followed, checker)
    #expect(
      calls == [
        .willSend(redirectStatus: nil), .willSend(redirectStatus: 302), .response(hasParts: false), .data(count: 5),
        .willCache, .finish,
      ])
    #expect(followed.currentRequest?.url.path == "/b")
    #expect(followed.originalRequest.url == url)

    let stopping = DelegateOrderChecker(wrapping: Stopper())
    _ = try await self.calls(connection(StubTransport(script: script), delegate: stopping), stopping)
    #expect(stopping.responses.map(\.status.code) == [302])
    #expect(String(decoding: stopping.body, as: UTF8.self) == "moved")
  }

  /// Keeps the reply to a challenge.
  private final class Keeper: ConnectionDelegate {
    let replies = Collected<ChallengeReply>()
    let answers: Bool
    init(answers: Bool = true) { self.answers = answers }
    func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool { answers }
    func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
      replies.append(reply)
    }
  }

  private static let challenging: [StubAnswer] = [.text("who?", status: .unauthorized), .text("you")]

  @Test func `a challenge waits for its reply, and the first one counts`() async throws {
    let keeper = Keeper()
    let checker = DelegateOrderChecker(wrapping: keeper)
    let connection = connection(StubTransport(script: Self.challenging), delegate: checker)
    connection.start()
    try await checker.waitForCalls(3)
    #expect(checker.responses.isEmpty)
    keeper.replies.all.first?(.use(.password(user: "x", password: "y")))
    keeper.replies.all.first?(.reject)
    try await checker.waitForEnd()
    #expect(checker.violations.isEmpty)
    #expect(String(decoding: checker.body, as: UTF8.self) == "you")
  }

  @Test func `who cannot answer a space is not challenged, and the 401 is the response`() async throws {
    let checker = DelegateOrderChecker(wrapping: Keeper(answers: false))
    let calls = try await calls(connection(StubTransport(script: Self.challenging), delegate: checker), checker)
    #expect(checker.responses.map(\.status.code) == [401])
    #expect(
      !calls.contains { call in
        if case .challenge = call { true } else { false }
      })
  }

  @Test func `a challenge that is open when the deadline passes is cancelled before the failure`() async throws {
    let clock = ManualClock()
    var settings = Fixture.settings(clock: clock)
    settings.deadline = clock.now.advanced(by: .seconds(5))
    let keeper = Keeper()
    let checker = DelegateOrderChecker(wrapping: keeper)
    let connection = connection(StubTransport(script: Self.challenging), delegate: checker, settings: settings)
    connection.start()
    try await checker.waitForCalls(3)
    clock.advance(by: .seconds(5))
    try await checker.waitForEnd()
    await connection.settled()
    #expect(checker.violations.isEmpty)
    #expect(checker.calls.suffix(1) == [.fail])
    #expect(
      checker.calls.dropLast().last.map { call in
        if case .cancelChallenge = call { true } else { false }
      } == true)
    #expect((checker.error as? NetworkError)?.kind == .timedOut)
    // Too late: nothing comes of it.
    keeper.replies.all.first?(.defaultHandling)
    await connection.settled()
    #expect(checker.violations.isEmpty)
  }

  @Test func `a challenge that is open when the request is withdrawn is cancelled before that is told`() async throws {
    let gate = ManualGate()
    let checker = DelegateOrderChecker(wrapping: Keeper())
    let loader = Loader(
      StubTransport(script: Self.challenging), interceptors: [Withdrawing(gate: gate)] + Asking.chain)
    let connection = Connection(Fixture.request(), over: loader, delegate: checker)
    connection.start()
    try await checker.waitForCalls(3)
    gate.open()
    try await checker.waitForEnd()
    await connection.settled()
    #expect(checker.violations.isEmpty)
    let names = checker.calls.suffix(2).map { call in
      switch call {
      case .cancelChallenge: "cancel"
      case .fail: "fail"
      default: "\(call)"
      }
    }
    #expect(names == ["cancel", "fail"])
    #expect(checker.error is CancellationError)
  }

  @Test func `each part of a body whose parts replace one another has a response`() async throws {
    for isClosed in [true, false] {
      let checker = DelegateOrderChecker()
      let text =
        "--b\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\none\r\n--b\r\n\r\nthree\r\n"
        + (isClosed ? "--b--" : "")
      var answer = StubAnswer.bytes(Data(text.utf8), chunkSize: 5)
      answer.headerFields[.contentType] = "multipart/x-mixed-replace; boundary=b"
      answer.announcesLength = false
      _ = try await calls(connection(StubTransport(answer), delegate: checker), checker)
      #expect(checker.responses.count == 3)
      #expect(
        checker.responses.map(\.headerFields[.contentType]) == [
          "multipart/x-mixed-replace; boundary=b", "image/png", nil,
        ])
      #expect(checker.responses.dropFirst().first?.expectedLength == 3)
      #expect(checker.calls.last == .finish)
      if isClosed { #expect(String(decoding: checker.body, as: UTF8.self) == "three") }
    }
  }

  @Test func `parts that cannot be told apart are a failure`() async throws {
    var answer = StubAnswer.text("no delimiter in here")
    answer.headerFields[.contentType] = "multipart/x-mixed-replace; boundary=b"
    answer.body = [.bytes(Data(repeating: 97, count: 20_000))]
    _ = try await calls(connection(StubTransport(answer)), checker)
    #expect((checker.error as? NetworkError)?.kind == .serializationFailed)
  }

  @Test func `bytes of the body sent are told before the response, and a body is asked for again`() async throws {
    final class Giver: ConnectionDelegate {
      func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body? { .text("again") }
    }
    func once() -> Body {
      .stream(
        AsyncStream<Data> { continuation in
          continuation.yield(Data("first".utf8))
          continuation.finish()
        }, length: 5)
    }
    let checker = DelegateOrderChecker(wrapping: Giver())
    let stub = StubTransport { asked in
      asked.index == 0 ? StubAnswer(.temporaryRedirect, headerFields: [.location: "/b"]) : .bytes(asked.body)
    }
    let calls = try await calls(connection(stub, Fixture.request(.put, body: once()), delegate: checker), checker)
    #expect(String(decoding: checker.body, as: UTF8.self) == "again")
    #expect(calls.contains(.needNewBody))
    #expect(calls.contains(.sent(bytes: 5, total: 5, expected: 5)))

    let without = DelegateOrderChecker()
    let moving = StubTransport(StubAnswer(.temporaryRedirect, headerFields: [.location: "/b"]))
    _ = try await self.calls(connection(moving, Fixture.request(.put, body: once()), delegate: without), without)
    #expect((without.error as? NetworkError)?.kind == .bodyNotReplayable)
  }

  @Test func `a slow delegate holds the sender up`() async throws {
    let made = Guarded(0)
    let stub = StubTransport(
      StubAnswer(
        body: (0..<100).map { _ in
          .made {
            made.withLock { $0 += 1 }
            return Data(count: 1_000)
          }
        }))
    let queue = Collected<@Sendable () -> Void>()
    let executor = CallbackExecutor { queue.append($0) }
    let connection = connection(stub, callingOn: executor)
    connection.start()
    for done in 0..<5 {
      await Fixture.wait(while: queue.all.count <= done)
      try await Fixture.witness()
      #expect(queue.all.count == done + 1)
      #expect(made.withLock { $0 } <= done + 1)
      queue.all[done]()
    }
    connection.cancel()
    #expect(stub.inFlightCount == 0)
  }

  @Test func `cancel from a delegate method is the end of all calls`() async throws {
    final class Canceller: ConnectionDelegate {
      let checker = Guarded<DelegateOrderChecker?>(nil)
      func connection(_ connection: Connection, didReceive data: Data) {
        checker.withLock { $0 }?.noteCancelled()
        connection.cancel()
      }
    }
    let canceller = Canceller()
    let checker = DelegateOrderChecker(wrapping: canceller)
    canceller.checker.withLock { $0 = checker }
    let stub = StubTransport(.bytes(Data(count: 100), chunkSize: 10))
    let connection = connection(stub, delegate: checker)
    connection.start()
    try await checker.waitForEnd()
    await connection.settled()
    #expect(checker.calls == [.response(hasParts: false), .data(count: 10)])
    #expect(checker.violations.isEmpty)
    #expect(stub.inFlightCount == 0)
    canceller.checker.withLock { $0 = nil }
  }

  @Test func `the delegate is held until the end and let go then`() async throws {
    final class Idle: ConnectionDelegate {}
    let gate = ManualGate()
    let stub = StubTransport { _ in
      try await gate.wait()
      return .text("x")
    }
    weak var finished: Idle?
    weak var dropped: Connection?
    do {
      let delegate = Idle()
      finished = delegate
      let connection = connection(stub, delegate: delegate)
      dropped = connection
      connection.start()
    }
    try await gate.waitForArrivals()
    #expect(finished != nil && dropped != nil)
    gate.open()
    await Fixture.wait(while: finished != nil || dropped != nil)

    weak var cancelled: Idle?
    let running: Connection
    do {
      let delegate = Idle()
      cancelled = delegate
      running = connection(StubTransport(StubAnswer(body: [.stall])), delegate: delegate)
      running.start()
    }
    #expect(cancelled != nil)
    #expect(running.cancel())
    await running.settled()
    #expect(cancelled == nil)

    weak var never: Idle?
    do {
      let delegate = Idle()
      never = delegate
      _ = connection(stub, delegate: delegate)
    }
    #expect(never == nil)
  }

  @Test func `callbacks come on the executor that was chosen`() async throws {
    let calls = try await Self.onMain()
    #expect(calls.last == .finish)
  }

  @MainActor private static func onMain() async throws -> [DelegateOrder.Call] {
    final class Asserting: ConnectionDelegate {
      func connection(_ connection: Connection, didReceive data: Data) { MainActor.assertIsolated() }
      func connectionDidFinishLoading(_ connection: Connection) { MainActor.assertIsolated() }
    }
    var all: [DelegateOrder.Call] = []
    for executor in [CallbackExecutor.mainActor(), .isolated(to: MainActor.shared)] {
      let checker = DelegateOrderChecker(wrapping: Asserting())
      let connection = Connection(
        Fixture.request(), over: Loader(StubTransport(.text("hello"))), delegate: checker, callingOn: executor)
      connection.start()
      try await checker.waitForEnd()
      #expect(checker.violations.isEmpty)
      all = checker.calls
    }
    return all
  }
}
