import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// The life of a task, without a network.
@Suite(.timeLimit(.minutes(10))) struct DataTaskTests {
  private enum Colour: UserInfoKey { typealias Value = String }
  private struct Unwilling: Error {}

  @Test func `a task is created suspended, and sends nothing and makes no transport before it is resumed`() async throws
  {
    let made = Guarded(0)
    let session = HTTPSession(
      SessionConfiguration(
        .made {
          made.withLock { $0 += 1 }
          return StubTransport(.text("hello"))
        }))
    let task = session.dataTask(TaskFixture.request, .string)
    #expect(task.state == .suspended && task.outcome == nil && task.response == nil && task.error == nil)
    #expect(task.attemptCount == 0 && task.totalTime == .zero && task.metrics.isEmpty && task.attempts.isEmpty)
    #expect(task.originalRequest?.url == TaskFixture.url && task.currentRequest?.url == TaskFixture.url)
    #expect(made.withLock { $0 } == 0)
    #expect(task.resume() && !task.resume())
    #expect(try await task.value == "hello")
    #expect(made.withLock { $0 } == 1)
    #expect(task.state == .completed && !task.resume() && !task.suspend() && !task.cancel())
    #expect(task.response?.status == .ok && task.error == nil && task.attemptCount == 1 && task.totalTime > .zero)
    #expect(task.metrics.count == 1 && task.attempts.count == 1)
  }

  @Test func `a resumption of the app's own sink that finds nothing missing is the response that began the body`()
    async throws
  {
    let lost = NetworkError(.connectionLost, stage: .receivingBody, message: "Lost.")
    var first = StubAnswer(
      headerFields: [.eTag: "\"v1\"", .contentType: "text/plain"],
      body: [.bytes(Data("hello".utf8)), .failure(lost)])
    first.announcesLength = false
    let stub = StubTransport(script: [
      first, StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */5", .eTag: "\"v1\""]),
    ])
    let task = HTTPSession(stub).dataTask(TaskFixture.request, .string) {
      $0.sink = ResumableMemorySink(limit: 100)
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }
    #expect(try await task.value == "hello")
    #expect(stub.requestCount == 2)
  }

  @Test func `numbers are unique across sessions, and a task is only equal to itself`() {
    let sessions = [HTTPSession(StubTransport(.text(""))), HTTPSession(StubTransport(.text("")))]
    let tasks: [SessionTask] = sessions.flatMap { session in
      (0..<50).flatMap { _ -> [SessionTask] in
        [
          session.dataTask(TaskFixture.request), session.upload(TaskFixture.request, from: .text("a")),
          session.download(TaskFixture.request, to: .file("/nowhere/f")),
        ]
      }
    }
    #expect(Set(tasks.map(\.identifier)).count == 300 && Set(tasks).count == 300)
    #expect(tasks.allSatisfy { $0.identifier > 0 && $0.id == $0.identifier })
    #expect(Set(tasks.map(\.kind)) == Set(SessionTask.Kind.allCases))
    #expect(tasks[0] == tasks[0] && tasks[0] != tasks[1])
    #expect(tasks[0].description == "data task \(tasks[0].identifier) (suspended) GET http://stub.test/f")
  }

  @Test func `suspensions do not nest`() async throws {
    let gate = ManualGate()
    let task = HTTPSession(TaskFixture.gated(gate)).dataTask(TaskFixture.request, .string)
    let states = Collected<SessionTaskState>()
    task.onStateChange(on: .inline) { states.append($0) }
    #expect(!task.suspend())
    task.resume()
    #expect(task.suspend() && !task.suspend() && task.state == .suspended)
    #expect(task.resume() && task.state == .running)
    gate.open()
    #expect(try await task.value == "hello")
    #expect(states.all == [.running, .suspended, .running, .completed])
  }

  @Test func `a response that ends while the task is suspended is told after resume`() async throws {
    let gate = ManualGate()
    let task = HTTPSession(TaskFixture.gated(gate)).dataTask(TaskFixture.request, .string)
    task.resume()
    task.suspend()
    gate.open()
    // One that begins later, and is not suspended, ends.
    let twin = HTTPSession(StubTransport(.text("twin"))).dataTask(TaskFixture.request, .string)
    twin.resume()
    #expect(try await twin.value == "twin")
    #expect(task.state == .suspended && task.outcome == nil)
    task.resume()
    #expect(try await task.value == "hello")
  }

  @Test func `cancelling completes a task at once in every state, with one outcome`() async throws {
    for steps in [[], ["resume"], ["resume", "suspend"]] {
      let stub = TaskFixture.gated(ManualGate())
      let task = HTTPSession(stub).dataTask(TaskFixture.request, .string)
      let ends = Collected<Bool>()
      task.onFinish(on: .inline) { ends.append($0.error is CancellationError) }
      for step in steps { _ = step == "resume" ? task.resume() : task.suspend() }
      #expect(task.cancel())
      #expect(task.state == .completed && task.error is CancellationError && !task.cancel() && ends.all == [true])
      await #expect(throws: CancellationError.self) { try await task.value }
      task.onFinish(on: .inline) { ends.append($0.error is CancellationError) }
      await task.settled()
      #expect(ends.all == [true, true] && stub.inFlightCount == 0)
      #expect(steps.isEmpty ? stub.requestCount == 0 : true)
    }
  }

  @Test func `cancelling who waits cancels a task that only readers have started, and none that was resumed`()
    async throws
  {
    let task = HTTPSession(TaskFixture.gated(ManualGate())).dataTask(TaskFixture.request, .string)
    task.resume()
    let waiting = Task { try await task.value }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(task.state == .running)
    task.cancel()
    let stub = TaskFixture.gated(ManualGate())
    let read = HTTPSession(stub).dataTask(TaskFixture.request, .string)
    let reading = Task { try await read.value }
    await wait(while: stub.requestCount == 0)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(read.state == .completed)
  }

  @Test func `progress can be observed before resume, ends at the whole once, and is nil when the task is over`()
    async throws
  {
    let bytes = Data(repeating: 7, count: 300_000)
    let session = HTTPSession(StubTransport(.bytes(bytes)))
    let task = session.dataTask(TaskFixture.request)
    let snapshots = Collected<TransferProgress>()
    let duringEnd = Guarded<Bool?>(nil)
    let sequence = try #require(task.downloadProgress)
    sequence.observe(on: .inline) { snapshots.append($0) }
    task.onFinish(on: .inline) { [weak task] _ in
      duringEnd.withLock { $0 = task?.downloadProgress == nil && task?.uploadProgress == nil }
    }
    #expect(try await task.value == bytes)
    let last = snapshots.all.last
    #expect(last?.completed == 300_000 && last?.total == 300_000 && last?.isFinal == true)
    #expect(snapshots.all.count { $0.isFinal } == 1)
    #expect(snapshots.all.map(\.recent).reduce(0, +) == 300_000)
    #expect(task.downloadProgress == nil && task.uploadProgress == nil && duringEnd.withLock { $0 } == true)
    let cancelled = session.dataTask(TaskFixture.request)
    let progress = try #require(cancelled.downloadProgress)
    cancelled.cancel()
    for await _ in progress { Issue.record("A task that was never resumed has no progress.") }
  }

  @Test func `whatever is wrong with a task is its error after resume`() async throws {
    let session = HTTPSession(StubTransport(.text("hello")))
    let wrong: [SessionTask] = [
      session.dataTask("no-base-url"), session.dataTask("http://h.test/", as: Int.self),
      session.dataTask(TaskFixture.request) { _ in throw Unwilling() },
      session.download("no-base-url", to: .file("/nowhere/f")),
      session.upload(.encoded(1), to: "http://h.test/"),
      session.dataTask(
        TaskFixture.request,
        hooks: SessionTaskHooks().with { $0.redirect = { _, proposed, _ in proposed } }),
      HTTPSession(SessionConfiguration(.made { throw Unwilling() })).dataTask(TaskFixture.request),
    ]
    let kinds: [NetworkError.Kind?] = [.invalidURL, .unsupported, nil, .invalidURL, .unsupported, .hookNeverAsked, nil]
    for (task, kind) in zip(wrong, kinds) {
      #expect(task.state == .suspended && task.error == nil)
      #expect(task.resume())
      await task.settled()
      #expect(task.state == .completed)
      if let kind { #expect((task.error as? NetworkError)?.kind == kind) } else { #expect(task.error is Unwilling) }
    }
  }

  @Test func `the serializer validates before it decodes, and an error keeps the body`() async throws {
    let session = HTTPSession(StubTransport(.text("gone", status: .notFound)))
    let task = session.dataTask(TaskFixture.request, .string)
    let error = await networkError { _ = try await task.value }
    #expect(error?.kind == .unacceptableStatus && error?.details.responseBody == Data("gone".utf8))
    #expect(task.response?.status == .notFound && (task.error as? NetworkError)?.kind == .unacceptableStatus)
  }

  @Test func `a value may be an optional or any value`() async throws {
    let session = HTTPSession(StubTransport(.text("hello")))
    let none = session.dataTask(TaskFixture.request, DataResponseSerializer().map { _ in Int?.none })
    #expect(try await none.value == nil)
    let any = session.dataTask(TaskFixture.request, DataResponseSerializer().map { $0.count as any Sendable })
    #expect(try await any.value as? Int == 5)
  }

  @Test func `user info set before and after resume reaches the exchange, and the session's stays`() async throws {
    enum Size: UserInfoKey { typealias Value = Int }
    let seen = Collected<String>()
    let gate = ManualGate()
    let stub = StubTransport { asked in
      let info = asked.exchange.settings.userInfo
      seen.append("\(info[Colour.self] ?? "none") \(info[Size.self] ?? 0)")
      if asked.index == 0 { try await gate.wait() }
      return asked.index == 0 ? .text("busy", status: .serviceUnavailable) : .text("hello")
    }
    let session = HTTPSession(stub) { $0.settings.userInfo[Size.self] = 3 }
    let task = session.dataTask(TaskFixture.request, .string) { $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero)) }
    #expect(task[Size.self] == 3)
    task[Colour.self] = "red"
    task.resume()
    await wait(while: stub.requestCount == 0)
    task[Colour.self] = "blue"
    gate.open()
    #expect(try await task.value == "hello")
    #expect(seen.all == ["red 3", "blue 3"] && task[Colour.self] == "blue")
    task[Colour.self] = nil
    #expect(task[Colour.self] == nil)
  }

  @Test func `a priority counts for attempts that begin later`() async throws {
    let seen = Collected<RequestPriority?>()
    let gate = ManualGate()
    let stub = StubTransport { asked in
      seen.append(asked.request.options.priority)
      if asked.index == 0 { try await gate.wait() }
      return asked.index == 0 ? .text("busy", status: .serviceUnavailable) : .text("hello")
    }
    let task = HTTPSession(stub).dataTask(TaskFixture.request) {
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }
    #expect(task.priority == nil)
    task.priority = .low
    task.resume()
    await wait(while: stub.requestCount == 0)
    task.priority = .high
    gate.open()
    _ = try await task.value
    #expect(seen.all == [.low, .high] && task.priority == .high)
  }

  @Test func `the counts can be set and count on, also after a failure`() async throws {
    let lost = StubAnswer.failing(NetworkError(.connectionLost, stage: .receivingBody, message: "Lost."))
    let task = HTTPSession(StubTransport(lost)).dataTask(TaskFixture.request) {
      $0.retry = RetryPolicy(limit: 2, delay: .fixed(.zero))
    }
    task.attemptCount = 4
    task.totalTime = .seconds(10)
    await #expect(throws: NetworkError.self) { try await task.value }
    #expect(task.attemptCount == 7 && task.attempts.count == 3)
    #expect(task.totalTime > .seconds(10) && task.totalTime < .seconds(100))
    task.attemptCount = 1
    task.totalTime = .seconds(1)
    #expect(task.attemptCount == 1 && task.totalTime == .seconds(1))
    task.attemptCount = .min
    task.totalTime = .seconds(-5)
    #expect(task.attemptCount == 0 && task.totalTime == .zero)
    task.attemptCount = .max
    #expect(task.attemptCount == 1 << 40)
  }

  @Test func `the current request is the redirected one, the original is not`() async throws {
    let stub = StubTransport { asked in
      asked.request.url.path == "/f"
        ? StubAnswer(.seeOther, headerFields: [.location: "/g"]) : .text("hello")
    }
    let session = HTTPSession(stub) { $0.chain.redirect = Redirect() }
    let task = session.dataTask(Request(.post, TaskFixture.url, body: .text("a")), .string)
    #expect(try await task.value == "hello")
    #expect(task.originalRequest?.url.path == "/f" && task.originalRequest?.method == .post)
    #expect(task.currentRequest?.url.path == "/g" && task.currentRequest?.method == .get)
  }

  @Test func `a builder is called for each attempt of one task`() async throws {
    let hooked = Collected<Int>()
    let stub = StubTransport { asked in
      asked.index < 2 ? .text("busy", status: .serviceUnavailable) : .text(asked.request.url.path)
    }
    var hooks = SessionTaskHooks()
    let tasks = Collected<SessionTask>()
    hooks.willBegin = { task, attempt in
      tasks.append(task)
      if attempt.reason == .retry { hooked.append(attempt.number) }
    }
    let task = HTTPSession(stub).dataTask(.string, hooks: hooks) { configuration in
      configuration.retry = RetryPolicy(limit: 4, delay: .fixed(.zero))
    } building: { attempt in
      try Request(.get, "http://stub.test/\(attempt.number)")
    }
    #expect(task.originalRequest == nil)
    #expect(try await task.value == "/3")
    #expect(task.attemptCount == 3 && hooked.all == [2, 3] && tasks.all == [task, task, task])
    #expect(task.originalRequest?.url.path == "/1" && task.currentRequest?.url.path == "/3")
  }

  @Test func `the app is asked about a retry with the value`() async throws {
    let stub = StubTransport { asked in .text("\(asked.index)") }
    let asked = Collected<String?>()
    let task = HTTPSession(stub).dataTask(TaskFixture.request, .string) { configuration in
      configuration.retry = RetryPolicy(limit: 4, delay: .fixed(.zero))
      configuration.askToRetry { _, value, error, reply in
        asked.append(value)
        reply(value != "2" && error == nil)
      }
    }
    #expect(try await task.value == "2")
    #expect(asked.all == ["0", "1", "2"])
  }

  @Test func `a running task lives to its end, and a suspended one that nobody holds is cancelled`() async throws {
    let gate = ManualGate()
    let ends = Collected<String>()
    weak var released: SessionTask?
    func make(_ name: String) -> DataTask<String> {
      let task = HTTPSession(TaskFixture.gated(gate)).dataTask(TaskFixture.request, .string)
      task.onFinish(on: .inline) { ends.append("\(name) \((try? $0.get()) ?? "cancelled")") }
      return task
    }
    do {
      let running = make("running")
      running.resume()
      released = running
    }
    do {
      let suspended = make("suspended")
      suspended.resume()
      suspended.suspend()
    }
    _ = make("unused")
    #expect(ends.all.sorted() == ["suspended cancelled", "unused cancelled"])
    #expect(released != nil)
    gate.open()
    await wait(while: ends.all.count < 3)
    #expect(ends.all.last == "running hello")
    await wait(while: released != nil)
  }

  @Test func `errors of the session are those of its tasks`() async throws {
    let stub = StubTransport(.json(#"{"title":"full"}"#, status: .conflict))
    let session = try HTTPSession.birds(stub)
    let error = await networkError { _ = try await session.dataTask("birds", as: Bird.self).value }
    #expect(error?.decodedBody(as: ProblemDetails.self)?.title == "full")
    let birds = try HTTPSession.birds(StubTransport(.json(Bird.json)))
    #expect(try await birds.dataTask("birds/7", as: Bird.self).value == .curlew)
  }
}

extension SessionTaskHooks {
  /// Returns changed hooks.
  func with(_ change: (inout SessionTaskHooks) -> Void) -> SessionTaskHooks {
    var hooks = self
    change(&hooks)
    return hooks
  }
}
