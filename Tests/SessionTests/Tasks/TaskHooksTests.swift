import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// What an app may say to a task, over real transports.
@Suite(.timeLimit(.minutes(10))) struct TaskHooksTests {
  private static let resource = SeededResource(length: 200_000, seed: 5)
  private let bytes = Self.resource.bytes(count: 200_000)

  /// Runs a body with a session, and with the URL of a path of an origin that serves the resource.
  private func serving(
    _ carrier: Carrier, _ body: (HTTPSession, @escaping (String) -> Request) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/old": .redirect(302, to: "/f")
      case "/gone": .status(404, "gone")
      case "/echo": .ok(await request.body())
      default: Self.resource.reply(to: request)
      }
    }
    do {
      try await carrier.withSession { session in
        try await body(session) { path in Request(.get, origin.url(path)) }
      }
    } catch {
      await origin.stop()
      throw error
    }
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases) func `the hooks of a task come in order, each with the task`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { session, request in
      let calls = Collected<String>()
      let pieces = Guarded(Data())
      let strangers = Guarded(0)
      let mine = Guarded<SessionTask?>(nil)
      let log = { @Sendable (task: SessionTask, call: String) in
        if task !== mine.withLock({ $0 }) { strangers.withLock { $0 += 1 } }
        if calls.all.last != call { calls.append(call) }
      }
      var hooks = SessionTaskHooks()
      hooks.willBegin = { task, attempt in log(task, "begin \(attempt.number)") }
      hooks.redirect = { task, proposed, response in
        log(task, "redirect \(response?.status.code ?? 0)")
        return proposed
      }
      hooks.didReceiveResponse = { task, head in
        log(task, "response \(head.status.code)")
        return .allow
      }
      hooks.didReceiveData = { task, data in
        pieces.withLock { $0 += data }
        log(task, "data")
      }
      hooks.didChangeState = { task, state in log(task, state.rawValue) }
      hooks.didCollectMetrics = { task, metrics in log(task, "metrics \(metrics.count)") }
      hooks.didFinish = { task, error in log(task, error == nil ? "finish" : "failure") }
      let task = session.dataTask(request("/old"), hooks: hooks)
      mine.withLock { $0 = task }
      task.onFinish(on: .inline) { [weak task] _ in if let task { log(task, "handler") } }
      let value = try await task.value
      #expect([UInt8](value) == bytes)
      #expect([UInt8](pieces.withLock { $0 }) == bytes)
      // The transport begins on a thread of its own.
      let begun = calls.all.filter { $0 != "running" }
      let count = task.metrics.count
      #expect(
        begun == [
          "begin 1", "redirect 302", "response 200", "data", "completed", "metrics \(count)", "finish", "handler",
        ])
      #expect(calls.all.count { $0 == "running" } == 1 && count >= 1)
      #expect(strangers.withLock { $0 } == 0)
      mine.withLock { $0 = nil }
    }
  }

  @Test(arguments: Carrier.allCases) func `a redirect that is refused is the response`(carrier: Carrier) async throws {
    try await serving(carrier) { session, request in
      let hooks = SessionTaskHooks().with { $0.redirect = { _, _, _ in nil } }
      let task = session.dataTask(request("/old"), hooks: hooks)
      await #expect(throws: NetworkError.self) { try await task.value }
      #expect(task.response?.status == .found && task.currentRequest?.url.path == "/old")
    }
  }

  @Test(arguments: Carrier.allCases) func `a response can be refused, and an error of a hook is the task's`(
    carrier: Carrier
  ) async throws {
    struct Unwilling: Error {}
    try await serving(carrier) { session, request in
      let refused = session.dataTask(
        request("/f"), hooks: SessionTaskHooks().with { $0.didReceiveResponse = { _, _ in .cancel } })
      await #expect(throws: CancellationError.self) { try await refused.value }
      #expect(refused.state == .completed && refused.response?.status == .ok)
      for hooks in [
        SessionTaskHooks().with { $0.didReceiveResponse = { _, _ in throw Unwilling() } },
        SessionTaskHooks().with { $0.didReceiveData = { _, _ in throw Unwilling() } },
        SessionTaskHooks().with { $0.willBegin = { _, _ in throw Unwilling() } },
      ] {
        await #expect(throws: Unwilling.self) { try await session.dataTask(request("/f"), hooks: hooks).value }
      }
    }
  }

  @Test(arguments: Carrier.allCases, [false, true])
  func `a response becomes a download, and its task ends before`(carrier: Carrier, suspends: Bool) async throws {
    try await serving(carrier) { session, request in
      try await TaskFixture.withFolder { folder in
        let calls = Collected<String>()
        let download = Guarded<DownloadTask?>(nil)
        let written = Guarded<Int64>(0)
        var hooks = SessionTaskHooks()
        hooks.didReceiveResponse = { task, head in
          if suspends { task.suspend() }
          return .becomeDownload(.directory(folder))
        }
        hooks.didBecomeDownload = { task, new in
          calls.append("became \(task.state) \(new.state)")
          #expect(task.identifier != new.identifier && new.kind == .download)
          download.withLock { $0 = new }
        }
        hooks.didFinish = { task, error in
          calls.append("\(task.kind) \((error as? NetworkError)?.kind.rawValue ?? "done")")
        }
        hooks.didWriteData = { task, recent, _, _ in written.withLock { $0 += recent } }
        let task = session.dataTask(request("/f"), hooks: hooks)
        task[Name.self] = "mine"
        let progress = try #require(task.downloadProgress)
        let error = await networkError { _ = try await task.value }
        #expect(error?.kind == .becameDownload)
        let new = try #require(download.withLock { $0 })
        if suspends {
          #expect(new.state == .suspended && new.resume())
        }
        let result = try await new.value
        #expect(result.path == folder + "/f" && result.length == 200_000)
        #expect(try TaskFixture.contents(result.path) == bytes)
        #expect(try TaskFixture.names(in: folder) == ["f"])
        #expect(new[Name.self] == "mine" && new.originalRequest?.url.path == "/f")
        // A transport without backpressure lets go at once, and requests the rest.
        #expect(new.response?.status == .ok || suspends && new.response?.status == .partialContent)
        #expect(
          calls.all == [
            "became completed \(suspends ? "suspended" : "running")", "data became-download", "download done",
          ])
        #expect(progress.current.isFinal && progress.current.completed == 200_000)
        #expect(written.withLock { $0 } == 200_000)
        download.withLock { $0 = nil }
      }
    }
  }

  private enum Name: UserInfoKey { typealias Value = String }

  @Test(arguments: Carrier.allCases) func `the body of an error becomes no file`(carrier: Carrier) async throws {
    try await serving(carrier) { session, request in
      try await TaskFixture.withFolder { folder in
        let hooks = SessionTaskHooks().with { hooks in
          hooks.didReceiveResponse = { _, _ in .becomeDownload(.directory(folder)) }
          hooks.didBecomeDownload = { _, _ in Issue.record("An error became a download.") }
        }
        let error = await networkError { _ = try await session.dataTask(request("/gone"), hooks: hooks).value }
        #expect(error?.kind == .unacceptableStatus && error?.details.responseBody == Data("gone".utf8))
        let names = try TaskFixture.names(in: folder)
        #expect(names == [])
      }
    }
  }

  @Test func `a download that a response became can be cancelled with resume data`() async throws {
    try await TaskFixture.withFolder { folder in
      let bytes = bytes
      let gate = ManualGate()
      let stub = StubTransport { asked in
        let tag: HTTPFields = [.eTag: "\"v1\""]
        guard asked.index > 0 else {
          var answer = StubAnswer(
            headerFields: tag,
            body: [.bytes(Data(bytes[..<50_000])), .wait { try await gate.wait() }, .bytes(Data(bytes[50_000...]))])
          answer.announcesLength = true
          return answer
        }
        #expect(asked.request.headerFields[.range] == "bytes=50000-")
        return StubAnswer(
          .partialContent,
          headerFields: tag.with(.contentRange, "bytes 50000-199999/200000"), body: [.bytes(Data(bytes[50_000...]))])
      }
      let session = HTTPSession(stub)
      let download = Guarded<DownloadTask?>(nil)
      let hooks = SessionTaskHooks().with { hooks in
        hooks.didReceiveResponse = { _, _ in .becomeDownload(.file(folder + "/here")) }
        hooks.didBecomeDownload = { _, new in download.withLock { $0 = new } }
      }
      session.dataTask(TaskFixture.request, hooks: hooks).resume()
      await wait(while: download.withLock { $0 }?.downloadProgress?.current.completed ?? 0 < 50_000)
      let task = try #require(download.withLock { $0 })
      let data = try #require(await task.cancelByProducingResumeData())
      #expect(task.state == .completed && task.error is CancellationError && data.download.completed == 50_000)
      let rest = session.download(resuming: data, to: .file(folder + "/here"))
      #expect(try await rest.value.resumedFrom == 50_000)
      #expect(try TaskFixture.contents(folder + "/here") == bytes)
      download.withLock { $0 = nil }
    }
  }

  @Test(arguments: Carrier.allCases)
  func `an upload from bytes, a file and a stream reports all of it before the response`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { session, request in
      try await TaskFixture.withFolder { folder in
        let file = URL(filePath: folder + "/f")
        try Data(bytes).write(to: file)
        var bodies: [Body] = [.bytes(Data(bytes)), try .file(file)]
        if carrier == .curl {
          let chunks = AsyncStream<Data> { feed in
            feed.yield(Data(bytes[..<70_000]))
            feed.yield(Data(bytes[70_000...]))
            feed.finish()
          }
          bodies.append(.stream(chunks, length: 200_000))
        }
        for body in bodies {
          let sent = Collected<Int64>()
          let sentAtResponse = Guarded<Int64>(0)
          let snapshots = Collected<TransferProgress>()
          let wholeAtResponse = Guarded<Bool>(false)
          var hooks = SessionTaskHooks()
          hooks.didSendBodyData = { _, recent, total, expected in
            #expect(expected == 200_000)
            sent.append(recent)
            #expect(sent.all.reduce(0, +) == total)
          }
          hooks.didReceiveResponse = { _, _ in
            sentAtResponse.withLock { $0 = sent.all.reduce(0, +) }
            wholeAtResponse.withLock { $0 = snapshots.all.last?.isFinal == true }
            return .allow
          }
          var upload = request("/echo")
          upload.method = .put
          let task = session.upload(upload, from: body, hooks: hooks)
          task.uploadProgress?.observe(on: .inline) { snapshots.append($0) }
          #expect([UInt8](try await task.value) == bytes)
          #expect(sentAtResponse.withLock { $0 } == 200_000 && sent.all.reduce(0, +) == 200_000)
          #expect(snapshots.all.last?.isFinal == true && wholeAtResponse.withLock { $0 })
          #expect(snapshots.all.filter { $0.fraction == 1 }.map(\.completed) == [200_000])
          #expect(task.kind == .upload)
        }
      }
    }
  }

  @Test(arguments: ["hook of the task", "settings of the task", "settings of the session"])
  func `another copy of a body is asked for where one attempt was not enough`(from source: String) async throws {
    let stub = StubTransport { asked in
      asked.index == 0 ? .text("busy", status: .serviceUnavailable) : .text(String(decoding: asked.body, as: UTF8.self))
    }
    let chunks = AsyncStream<Data> { feed in
      feed.yield(Data("one".utf8))
      feed.finish()
    }
    let request = Request(.put, TaskFixture.url, body: .stream(chunks, length: 3))
    let session = HTTPSession(stub) { configuration in
      guard source == "settings of the session" else { return }
      configuration.settings.hooks.newBody = { _ in .text("another") }
    }
    let hooks = SessionTaskHooks().with { hooks in
      if source == "hook of the task" { hooks.newBody = { _, _ in .text("another") } }
    }
    let task = session.upload(request, .string, hooks: hooks) { configuration in
      configuration.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
      guard source == "settings of the task" else { return }
      var settings = ExchangeSettings()
      settings.hooks.newBody = { _ in .text("another") }
      configuration.settings = settings
    }
    #expect(try await task.value == "another")
  }
}

extension HTTPFields {
  /// Returns the fields with another one.
  func with(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
    var fields = self
    fields[name] = value
    return fields
  }
}
