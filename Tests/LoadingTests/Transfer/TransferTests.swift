import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransferTests {
  let gate = ManualGate()

  /// An answer that stops in the middle until the gate is opened.
  private var halting: StubAnswer {
    var answer = StubAnswer(
      body: [.bytes(Data("hel".utf8)), .wait { [gate] in try await gate.wait() }, .bytes(Data("lo".utf8))])
    answer.headerFields[.contentLength] = "5"
    return answer
  }

  private func transfer(_ answer: StubAnswer) -> Transfer<TransferResult> {
    Transfer(Loader(StubTransport(answer)), Fixture.request(), to: .memory(limit: 1_000))
  }

  @Test func `it does nothing until it is started, and then everything once`() async throws {
    let stub = StubTransport(.text("hello"))
    let transfer = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9))
    #expect(transfer.state == .ready)
    #expect(transfer.outcome == nil)
    #expect(stub.requestCount == 0)
    #expect(transfer.start())
    #expect(!transfer.start())
    let result = try await transfer.value
    #expect(result.content == .data(Data("hello".utf8)))
    #expect(result.head.status == .ok)
    #expect(transfer.state == .finished)
    #expect(transfer.response?.status == .ok)
    #expect(transfer.request?.url == Fixture.url)
    #expect(transfer.error == nil)
    #expect(transfer.attempts.map(\.bytesReceived) == [5])
    #expect(transfer.attempts.map(\.reason) == [.first])
    #expect(transfer.metrics.count == 1)
    #expect(stub.requestCount == 1)
    #expect(!transfer.start() && !transfer.pause() && !transfer.resume() && !transfer.cancel())
  }

  @Test func `what is collected says so to the transport, unless the request says otherwise`() async throws {
    let recording = RecordingTransport(StubTransport(.text("")))
    let loader = Loader(recording)
    _ = try await Transfer(loader, Fixture.request(), to: .memory(limit: 9)).run()
    _ = try await Transfer(loader, Fixture.request(), to: .custom { _, _ in KeepingSink() }).run()
    var request = Fixture.request()
    request.options.delivery = .streamed
    _ = try await Transfer(loader, request, to: .memory(limit: 9)).run()
    #expect(recording.requests.map(\.options.delivery) == [.collected, nil, .streamed])
  }

  @Test func `an app that refuses a head in its own words is heard`() async throws {
    struct Unwanted: Error {}
    var configuration = Transfer<TransferResult>.Configuration(Fixture.request(), to: .memory(limit: 9)) { $0 }
    configuration.validate = { _, _ in throw Unwanted() }
    let stub = StubTransport(.text("hello"))
    await #expect(throws: Unwanted.self) { try await Transfer(Loader(stub), configuration).run() }
    #expect(stub.inFlightCount == 0)
  }

  @Test func `everyone who waits gets the value`() async throws {
    let transfer = transfer(halting)
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<8 { group.addTask { try await transfer.value.content.data?.count } }
      transfer.start()
      gate.open()
      for try await count in group { #expect(count == 5) }
    }
    #expect(try await transfer.value.content.data?.count == 5)
  }

  @Test func `a failure is the outcome, unchanged`() async throws {
    let transfer = transfer(.failing(Fixture.lost(.protocolViolation)))
    #expect(await Fixture.kind { _ = try await transfer.run() } == .protocolViolation)
    #expect((transfer.error as? NetworkError)?.kind == .protocolViolation)
    #expect(transfer.attempts.count == 1)
    #expect(transfer.attempts.first?.ended != nil)
  }

  @Test func `an error of the decoding hook is the attempt's`() async throws {
    struct NotThisOne: Error {}
    let configuration = Transfer<Int>.Configuration(Fixture.request(), to: .memory(limit: 9)) { _ in
      throw NotThisOne()
    }
    let transfer = Transfer(Loader(StubTransport(.text("hello"))), configuration)
    await #expect(throws: NotThisOne.self) { try await transfer.run() }
    #expect(transfer.attempts.first?.error is NotThisOne)
  }

  @Test func `the decoding hook makes the value`() async throws {
    let configuration = Transfer<Int>.Configuration(Fixture.request(), to: .memory(limit: 9)) { result in
      result.content.data?.count ?? 0
    }
    #expect(try await Transfer(Loader(StubTransport(.text("hello"))), configuration).run() == 5)
  }

  @Test func `cancelling ends it at once from every state`() async throws {
    let ready = transfer(.text(""))
    #expect(ready.cancel())
    await #expect(throws: CancellationError.self) { try await ready.value }
    #expect(ready.attempts.isEmpty)

    let running = transfer(halting)
    running.start()
    try await gate.waitForArrivals(1)
    #expect(running.cancel())
    #expect(running.state == .finished)
    guard case .cancelled? = running.outcome else {
      Issue.record("no outcome when cancel returned")
      return
    }
    await #expect(throws: CancellationError.self) { try await running.value }
    await running.settled()

    let paused = transfer(halting)
    paused.start()
    try await gate.waitForArrivals(2)
    paused.pause()
    #expect(paused.cancel())
    await #expect(throws: CancellationError.self) { try await paused.value }
    await paused.settled()

    let beforeStart = transfer(halting)
    beforeStart.pause()
    #expect(beforeStart.cancel())
    await #expect(throws: CancellationError.self) { try await beforeStart.value }
  }

  @Test func `cancelling who waits leaves the transfer alone`() async throws {
    let transfer = transfer(halting)
    transfer.start()
    let waiting = Task { try await transfer.value }
    try await gate.waitForArrivals()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(transfer.state == .running)
    gate.open()
    #expect(try await transfer.value.content.data?.count == 5)
  }

  @Test func `cancelling who runs it cancels the transfer`() async throws {
    let transfer = transfer(halting)
    let running = Task { try await transfer.run() }
    try await gate.waitForArrivals()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    guard case .cancelled? = transfer.outcome else {
      Issue.record("not cancelled: \(String(describing: transfer.outcome))")
      return
    }
  }

  @Test func `a task that was cancelled before sends nothing`() async {
    let stub = StubTransport(.text(""))
    let transfer = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9))
    let running = Task {
      await Fixture.wait(while: !Task.isCancelled)
      _ = try await transfer.run()
    }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(transfer.attempts.isEmpty)
  }

  @Test func `the request builder that cancels itself cancels the transfer`() async throws {
    let configuration = Transfer<TransferResult>.Configuration(
      request: { _ in throw CancellationError() }, to: .memory(limit: 9), decode: { $0 })
    let transfer = Transfer(Loader(StubTransport(.text(""))), configuration)
    await #expect(throws: CancellationError.self) { try await transfer.run() }
  }

  @Test func `the outcome is told once to each handler, early and late, in the executor`() async throws {
    let told = Collected<String>()
    let order = Collected<@Sendable () -> Void>()
    let executor = CallbackExecutor { order.append($0) }
    let transfer = transfer(.text("hello"))
    transfer.onStateChange(on: executor) { told.append($0.rawValue) }
    transfer.onFinish(on: executor) { _ in told.append("early") }
    _ = try await transfer.run()
    await transfer.settled()
    transfer.onFinish(on: executor) { _ in told.append("late") }
    transfer.onStateChange(on: executor) { _ in told.append("never") }
    transfer.cancel()
    for work in order.all { work() }
    #expect(told.all == ["running", "finished", "early", "late"])
  }

  @Test func `a serial executor keeps the order`() async {
    let executor = CallbackExecutor.serial()
    let order = Collected<Int>()
    let done = ManualGate()
    for number in 0..<1_000 { executor.run { order.append(number) } }
    executor.run { done.open() }
    try? await done.wait()
    #expect(order.all == Array(0..<1_000))
  }

  @Test func `the main actor's executor runs there, in order`() async {
    let executor = CallbackExecutor.mainActor()
    let order = Collected<Int>()
    let done = ManualGate()
    for number in 0..<100 {
      executor.run {
        MainActor.assertIsolated()
        order.append(number)
      }
    }
    executor.run { done.open() }
    try? await done.wait()
    #expect(order.all == Array(0..<100))
  }

  @Test func `the app's values are kept, and later attempts see them`() async throws {
    enum Name: UserInfoKey { typealias Value = String }
    let seen = Collected<String?>()
    let stub = StubTransport { asked in
      seen.append(asked.exchange[Name.self])
      return .text("")
    }
    var settings = ExchangeSettings()
    settings.userInfo[Name.self] = "given"
    let transfer = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9), settings: settings)
    #expect(transfer[Name.self] == "given")
    transfer[Name.self] = "changed"
    _ = try await transfer.run()
    #expect(transfer[Name.self] == "changed")
    #expect(seen.all == ["changed"])
  }

  @Test func `events say once that it started and once that it finished`() async throws {
    let observer = RecordingObserver()
    let stub = StubTransport(script: [.text("no", status: .serviceUnavailable), .text("yes")])
    let settings = Fixture.settings(observer: observer)
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(), to: .memory(limit: 9), settings: settings
    ) { $0 }
    configuration.shouldRetry = { attempt, _ in
      attempt.response?.status == .serviceUnavailable ? .retry(after: .zero) : .finish
    }
    let transfer = Transfer(Loader(stub, settings: settings), configuration)
    _ = try await transfer.run()
    #expect(observer.names.count { $0 == "started" } == 1)
    #expect(observer.names.count { $0 == "retrying" } == 1)
    #expect(observer.names.count { $0 == "responded" } == 2)
    #expect(observer.names.count { $0 == "finished" } == 1)
    #expect(observer.names.last == "finished")
    #expect(Set(observer.events.map(\.exchange)).count == 1)
    #expect(transfer.metrics.map(\.attempt) == [1, 2])
  }

  @Test func `the deadline ends it, wherever it is`() async throws {
    let clock = ManualClock()
    var settings = Fixture.settings(clock: clock)
    settings.deadline = clock.now.advanced(by: .seconds(10))
    let stub = StubTransport(halting)
    let running = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9), settings: settings)
    running.start()
    try await gate.waitForArrivals()
    try await clock.waitForSleepers()
    running.pause()
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: NetworkError.self) { try await running.value }
    #expect(error?.kind == .timedOut)
    #expect(error?.maybeProcessed == true)
    await running.settled()

    let late = Transfer(Loader(stub), Fixture.request(), to: .memory(limit: 9), settings: settings)
    let refused = await #expect(throws: NetworkError.self) { try await late.run() }
    #expect(refused?.kind == .timedOut)
    #expect(refused?.maybeProcessed == false)
    #expect(stub.requestCount == 1)
  }
}
