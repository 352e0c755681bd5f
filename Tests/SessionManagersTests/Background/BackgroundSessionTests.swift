import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSession
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct BackgroundSessionTests {
  private static let resource = SeededResource(length: 400_000, seed: 5)

  /// An origin that sends half of a file, and the rest when it is asked for it.
  private static func origin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      if request.method != "GET" { return .ok("\(await request.body().count)") }
      let reply = resource.reply(to: request)
      return request["Range"] == nil ? reply.cut(after: 200_000, by: .stall) : reply
    }
  }

  private static var whole: Data { Data(resource.bytes(count: 400_000)) }

  @Test func `a download that was not finished goes on in the next session`() async throws {
    let origin = try await Self.origin()
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      let first = try await Fixture.background(directory, log.names)
      let task = try await first.downloadTask(
        with: Request(.get, origin.url("/file")), to: .file(directory + "/a"), handler: .log)
      let tasks = first.tasks
      #expect(task.state == .suspended && tasks.map(\.identifier) == [task.identifier])
      task.resume()
      await Fixture.wait(while: task.downloadProgress?.current.completed ?? 0 < 150_000)
      await first.close()
      #expect(log.lines == [] && first.tasks.isEmpty)
      // Another process would do the same.
      let manager = Fixture.manager(Carrier.curl.configuration)
      let (offsets, finished) = (Collected<Int64>(), Collected<String>())
      manager.hooks.downloadTaskDidResume = { _, _, offset, _ in offsets.append(offset) }
      manager.hooks.sessionDidFinishBackgroundEvents = { _ in finished.append(log.lines.joined()) }
      let second = try await Fixture.background(directory, log.names, manager: manager)
      #expect(second.tasks.count == 1)
      try await second.finished()
      await Fixture.drain(manager.callbackQueue)
      #expect(log.lines == ["1 file a 400000"] && finished.all == log.lines)
      #expect(FileManager.default.contents(atPath: directory + "/a") == Self.whole)
      #expect((offsets.all.first ?? 0) >= 150_000 && offsets.all.count == 1)
      await second.close()
      // Nothing is left for a third one.
      let third = try await Fixture.background(directory, log.names)
      #expect(third.tasks.isEmpty && log.lines.count == 1)
      await third.close()
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["a", "birds.curlew-background"])
    }
    await origin.stop()
  }

  @Test func `bytes of a cancelled transfer are never those of a later one, whatever its number`() async throws {
    // Two files of one server with the same tag and length; the first never arrives whole.
    let other = SeededResource(length: 400_000, seed: 6).with { $0.entityTag = Self.resource.entityTag }
    let origin = try await ScriptedOrigin.start { request in
      guard request.path == "/old" else { return other.reply(to: request) }
      return Self.resource.reply(to: request).cut(after: 200_000, by: .stall)
    }
    for removesJournal in [false, true] {
      try await Fixture.withDirectory { directory in
        let log = BackgroundLog()
        let first = try await Fixture.background(directory, log.names)
        let task = try await first.downloadTask(
          with: Request(.get, origin.url("/old")), to: .directory(directory), handler: .log)
        task.resume()
        await Fixture.wait(while: task.downloadProgress?.current.completed ?? 0 < 150_000)
        task.cancel()
        try await first.finished()
        await first.close()
        if removesJournal { try FileManager.default.removeItem(atPath: directory + "/birds.curlew-background") }
        let second = try await Fixture.background(directory, log.names)
        let before = origin.requests.count
        try await second.downloadTask(
          with: Request(.get, origin.url("/new")), to: .directory(directory), handler: .log
        ).resume()
        try await second.finished()
        #expect(log.ends.all.map(\.number) == [1, removesJournal ? 1 : 2], "no number is used again")
        #expect(FileManager.default.contents(atPath: directory + "/new") == Data(other.bytes(count: 400_000)))
        #expect(origin.requests.dropFirst(before).allSatisfy { $0["Range"] == nil }, "bytes belong to a request")
        await second.close()
      }
    }
    await origin.stop()
  }

  @Test func `a task that is suspended, or was never resumed, is so after a restart, and after the next one`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { Self.resource.reply(to: $0) }
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      let first = try await Fixture.background(directory, log.names)
      let request = Request(.get, origin.url("/file"))
      let suspended = try await first.downloadTask(with: request, to: .file(directory + "/a"), handler: .log)
      suspended.resume()
      suspended.suspend()
      _ = try await first.downloadTask(with: request, to: .directory(directory), handler: .log)
      let resumed = try await first.downloadTask(with: request, to: .file(directory + "/c"), handler: .log)
      resumed.suspend()
      resumed.resume()
      await first.close()
      let before = origin.requests.count
      let second = try await Fixture.background(directory, log.names)
      await Fixture.wait(while: log.lines.isEmpty)
      await second.close()
      let third = try await Fixture.background(directory, log.names)
      #expect(log.lines == ["3 file c 400000"] && origin.requests.count <= before + 1)
      #expect(third.tasks.map(\.state) == [.suspended, .suspended] && third.tasks.allSatisfy { $0.kind == .download })
      third.tasks.first?.cancel()
      third.tasks.last?.resume()
      try await third.finished()
      #expect(log.lines == ["1 cancelled", "2 file file 400000", "3 file c 400000"])
      await third.close()
    }
    await origin.stop()
  }

  @Test func `a file that got its name before the process ended is found by its identity`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource.reply(to: $0) }
    try await Fixture.withDirectory { directory in
      for name in ["mine", "other", "grown"] {
        let path = directory + "/" + name
        try Data(count: name == "grown" ? 1_001 : 1_000).write(to: URL(filePath: path))
        let identity = try #require(try LocalFileSystem().status(path)).identity
        let other = try #require(try LocalFileSystem().status(directory)).identity
        let (journal, _) = try await BackgroundJournal.open(directory + "/\(name).curlew-background")
        _ = try await journal.add { number in
          BackgroundTransfer(
            number: number, handler: .log, request: RequestArchive(Request(.get, origin.url("/file"))),
            work: .download(.file(path), replaces: false), includesSecrets: false)
        }
        let file = BackgroundTransfer.Publication(
          path: path, identity: name == "other" ? other : identity, length: 1_000)
        try await journal.write(.publishing(1, file))
        await journal.close()
        let log = BackgroundLog()
        let session = try await Fixture.background(directory, log.names, name)
        try await session.finished()
        #expect(log.lines == [name == "mine" ? "1 file mine 1000" : "1 failure target-exists"])
        await session.close()
      }
      #expect(origin.requests.isEmpty)
    }
    await origin.stop()
  }

  @Test func `a session looks for the files of all its transfers on few threads`() async {
    await #expect(processExitsWith: .success) {
      try await Fixture.withDirectory { directory in
        let (journal, _) = try await BackgroundJournal.open(directory + "/birds.curlew-background")
        for name in 1...200 {
          let path = "\(directory)/\(name)"
          try Data(count: 10).write(to: URL(filePath: path))
          let identity = try #require(try LocalFileSystem().status(path)).identity
          let transfer = try await journal.add { number in
            BackgroundTransfer(
              number: number, handler: .log, request: RequestArchive(Fixture.request),
              work: .download(.file(path), replaces: false), includesSecrets: false)
          }
          let file = BackgroundTransfer.Publication(path: path, identity: identity, length: 10)
          try await journal.write(.publishing(transfer.number, file))
        }
        await journal.close()
        let (counts, ends) = (Collected<Int>(), Collected<Bool>())
        let watch = Thread {
          while ends.all.isEmpty {
            let tasks = (try? LocalFileSystem().list("/proc/self/task")) ?? []
            let disks = tasks.count { task in
              (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "curlew-disk\n"
            }
            counts.append(disks)
          }
        }
        watch.start()
        let log = BackgroundLog()
        let session = try await Fixture.background(directory, log.names)
        try await session.finished()
        ends.append(true)
        #expect(log.lines.count == 200 && log.lines.allSatisfy { $0.contains("file") })
        // One of the journal, one of the session's downloads, and one that is about to end.
        #expect((1...4).contains(counts.all.max() ?? 0), "\(counts.all.max() ?? 0) threads")
        await session.close()
      }
    }
  }

  @Test func `what the journal has recorded survives a power failure`() async throws {
    let files = MemoryFileSystem()
    let (journal, _) = try await BackgroundJournal.open("/s", in: files)
    _ = try await journal.add { number in
      BackgroundTransfer(
        number: number, handler: .log, request: RequestArchive(Fixture.request), work: .upload(repeatsUnsafe: false),
        includesSecrets: false)
    }
    files.crash()
    let (second, added) = try await BackgroundJournal.open("/s", in: files)
    #expect(added.map(\.hasBegun) == [false])
    // After this mark an upload that must not be repeated is not sent again.
    try await second.write(.begun(1))
    files.crash()
    let (third, begun) = try await BackgroundJournal.open("/s", in: files)
    #expect(begun.map(\.hasBegun) == [true])
    await third.close()
    await journal.close()
    await second.close()
  }

  @Test func `a result is delivered again by another process if the handler has not returned`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource.reply(to: $0) }
    try await Fixture.withDirectory { directory in
      let url = origin.url("/file")
      await ServedChild.alone {
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String, url = url as URL] in
          var names = ComponentNames()
          names[.log] = BackgroundHandler { _ in kill(getpid(), SIGKILL) }
          let session = try await Fixture.background(directory, names)
          let task = try await session.downloadTask(
            with: Request(.get, url), to: .file(directory + "/a"), handler: .log)
          task.resume()
          try await session.finished()
        }
      }
      let log = BackgroundLog()
      let session = try await Fixture.background(directory, log.names)
      try await session.finished()
      #expect(log.lines == ["1 file a 400000"])
      #expect(FileManager.default.contents(atPath: directory + "/a") == Self.whole)
      #expect(origin.requests.count == 1)
      await session.close()
    }
    await origin.stop()
  }

  @Test func `a handler that closes its session is not called again`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource.reply(to: $0) }
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      let box = Guarded<BackgroundSession?>(nil)
      let closed = Collected<Int>()
      var names = ComponentNames()
      names[.log] = BackgroundHandler { end in
        log.ends.append(end)
        await box.withLock { $0 }?.close()
        closed.append(end.number)
      }
      let session = try await Fixture.background(directory, names)
      box.withLock { $0 = session }
      let task = try await session.downloadTask(
        with: Request(.get, origin.url("/file")), to: .file(directory + "/a"), handler: .log)
      task.resume()
      // Nobody else waits for a session that is closed, so the handler says when it is.
      await Fixture.wait(while: closed.all.isEmpty)
      box.withLock { $0 = nil }
      #expect(log.lines == ["1 file a 400000"])
      let next = try await Fixture.background(directory, names)
      try await next.finished()
      #expect(log.lines == ["1 file a 400000"])
      await next.close()
    }
    await origin.stop()
  }

  @Test func `an upload begins anew after a restart, and one that may have arrived only if it may be repeated`()
    async throws
  {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      let body = await request.body()
      let reply = OriginReply.ok("\(body.count)")
      return request["X-Second"] == nil ? reply.pausing(at: gate) : reply
    }
    try await Fixture.withDirectory { directory in
      let file = URL(filePath: directory + "/up")
      try Data(count: 50_000).write(to: file)
      let log = BackgroundLog()
      let first = try await Fixture.background(directory, log.names)
      for (method, repeats) in [(HTTPRequest.Method.put, false), (.post, false), (.post, true)] {
        let task = try await first.uploadTask(
          with: Request(method, origin.url("/up")), fromFile: file, repeatsUnsafe: repeats, handler: .log)
        task.resume()
      }
      await origin.until { $0.requests == 3 }
      await first.close()
      var configuration = Carrier.curl.configuration
      configuration.headerFields[HTTPField.Name("X-Second")!] = "yes"
      let second = try await Fixture.background(directory, log.names, manager: Fixture.manager(configuration))
      try await second.finished()
      #expect(log.lines == ["1 response 200 50000", "2 failure connection-lost", "3 response 200 50000"])
      #expect(origin.requests.count == 5)
      await second.close()
    }
    gate.open()
    await origin.stop()
  }

  @Test func `credentials are stored if the app wants it, or completed by the handler`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request["Authorization"] == "Bearer hush" ? Self.resource.reply(to: request) : .status(401, "no")
    }
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      var names = log.names
      let complete: @Sendable (RequestArchive) async throws -> Request = { archive in
        #expect(archive.omittedSecrets == ["authorization"])
        var request = archive.request
        request.headerFields[.authorization] = "Bearer hush"
        return request
      }
      names[.other] = BackgroundHandler(completing: complete) { log.ends.append($0) }
      let session = try await Fixture.background(directory, names)
      let request = Request(.get, origin.url("/file"), headerFields: [.authorization: "Bearer hush"])
      let refused = await #expect(throws: NetworkError.self) {
        try await session.downloadTask(with: request, to: .file(directory + "/a"), handler: .log)
      }
      #expect(refused?.kind == .invalidRequest && refused?.message.contains("authorization") == true)
      _ = try await session.downloadTask(with: request, to: .file(directory + "/b"), handler: .other)
      let journal = directory + "/birds.curlew-background"
      func text() throws -> String { String(decoding: try Data(contentsOf: URL(filePath: journal)), as: UTF8.self) }
      #expect(!(try text().contains("hush")))
      _ = try await session.downloadTask(
        with: request, to: .file(directory + "/c"), handler: .log, includesSecrets: true)
      #expect(try text().contains("hush"))
      var information = stat()
      #expect(stat(journal, &information) == 0 && information.st_mode & 0o777 == 0o600)
      await session.close()
      let second = try await Fixture.background(directory, names)
      for task in second.tasks { task.resume() }
      try await second.finished()
      #expect(log.lines == ["1 file b 400000", "2 file c 400000"])
      await second.close()
    }
    await origin.stop()
  }

  @Test func `a session in use, an unknown handler and what cannot be stored are typed errors`() async throws {
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      var names = log.names
      let handler: BackgroundHandler? = names[.log]
      names[.other] = handler
      let session = try await Fixture.background(directory, names)
      func kind(_ work: () async throws -> Void) async -> NetworkError.Kind? {
        do {
          try await work()
          return nil
        } catch {
          return (error as? NetworkError)?.kind
        }
      }
      #expect(await kind { _ = try await Fixture.background(directory, names) } == .sessionInUse)
      for identifier in ["", "../birds", ".birds", "a/b", String(repeating: "a", count: 101)] {
        #expect(await kind { _ = try await Fixture.background(directory, names, identifier) } == .invalidRequest)
      }
      #expect(await kind { _ = try await Fixture.background(directory + "/none", names) } == .fileError)
      let url = URL(string: "http://127.0.0.1:1/")!
      let chosen = DownloadTarget.chosen(partialIn: directory) { _ in "" }
      #expect(
        await kind { _ = try await session.downloadTask(with: Request(.get, url), to: chosen, handler: .log) }
          == .unsupported)
      #expect(
        await kind {
          _ = try await session.downloadTask(
            with: Request(.get, url), to: .file(directory + "/a"), handler: ComponentName("unknown"))
        } == .unknownComponent)
      #expect(
        await kind {
          _ = try await session.uploadTask(
            with: Request(.put, url), fromFile: URL(filePath: directory + "/none"), handler: .log)
        } == .fileError)
      let task = try await session.downloadTask(
        with: Request(.get, url), to: .file(directory + "/a"), handler: .other)
      await session.close()
      #expect(task.state == .completed && task.error is CancellationError)
      // The transfer names a handler that this process does not have; it is kept.
      #expect(await kind { _ = try await Fixture.background(directory, log.names) } == .unknownComponent)
      let journal = directory + "/birds.curlew-background"
      let (opened, left) = try await BackgroundJournal.open(journal)
      #expect(left.map(\.number) == [1])
      await opened.close()
      try Data("not a journal of ours".utf8).write(to: URL(filePath: journal))
      #expect(await kind { _ = try await Fixture.background(directory, names) } == .fileError)
    }
  }

  @Test func `the records of a ledger describe the same transfers, whatever came before`() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<40 {
      var ledger = BackgroundLedger()
      for _ in 0..<30 {
        let number = Int.random(in: 1...5, using: &random)
        let record: BackgroundRecord =
          switch Int.random(in: 0..<6, using: &random) {
          case 0, 1:
            .transfer(
              BackgroundTransfer(
                number: number, handler: .log, request: RequestArchive(Fixture.request),
                work: .upload(repeatsUnsafe: true), includesSecrets: true))
          case 2: .suspended(number, Bool.random(using: &random))
          case 3: .begun(number)
          case 4: .ended(number, Bool.random(using: &random) ? .cancelled : .failure(.internal, message: "no"))
          default: .delivered(number)
          }
        ledger.apply(try BackgroundRecord(try record.encoded()))
      }
      var again = BackgroundLedger()
      for record in ledger.records { again.apply(try BackgroundRecord(try record.encoded())) }
      let described = { (ledger: BackgroundLedger) in
        ledger.transfers.values.sorted { $0.number < $1.number }.map { transfer in
          "\(transfer.number) \(transfer.isSuspended) \(transfer.hasBegun) \(transfer.result.map { "\($0)" } ?? "-")"
        }
      }
      #expect(described(ledger) == described(again))
    }
    #expect(throws: DecodingError.self) {
      try BackgroundRecord(Data(#"{"version":2,"record":{"begun":{"_0":1}}}"#.utf8))
    }
  }

  @Test func `the tasks of a background session are tasks of its manager, and tell of resume and suspend`() async throws
  {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      return .ok("hello").pausing(at: gate)
    }
    try await Fixture.withDirectory { directory in
      let manager = Fixture.manager(Carrier.curl.configuration)
      let events = Collected<String>()
      manager.onEvent(on: .inline) { event in
        switch event {
        case .resumed(let task): events.append("resumed \(task.kind)")
        case .suspended(let task): events.append("suspended \(task.kind)")
        case .completed(let task, _): events.append("completed \(task.kind)")
        default: break
        }
      }
      let log = BackgroundLog()
      let session = try await Fixture.background(directory, log.names, manager: manager)
      let file = URL(filePath: directory + "/up")
      try Data(count: 10).write(to: file)
      let download = try await session.downloadTask(
        with: Request(.get, origin.url("/a")), to: .file(directory + "/a"), handler: .log)
      let upload = try await session.uploadTask(with: Request(.put, origin.url("/b")), fromFile: file, handler: .log)
      #expect(manager.tasks.map(\.identifier) == [download.identifier, upload.identifier])
      #expect(manager.downloadTasks.map(\.identifier) == [download.identifier])
      for task in [download, upload] as [SessionTask] {
        task.resume()
        task.suspend()
        task.resume()
      }
      await Fixture.drain(manager.callbackQueue)
      gate.open()
      try await session.finished()
      await Fixture.wait(while: events.all.count < 8)
      for kind in [SessionTask.Kind.download, .upload] {
        let own = events.all.filter { $0.hasSuffix(" \(kind)") }.map { String($0.split(separator: " ")[0]) }
        #expect(own == ["resumed", "suspended", "resumed", "completed"])
      }
      #expect(log.lines == ["1 file a 5", "2 response 200 hello"])
      await session.close()
    }
    await origin.stop()
  }
}
