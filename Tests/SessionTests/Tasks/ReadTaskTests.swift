import CurlewCore
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// Tasks that nobody resumes: whoever reads their value or their progress starts them.
@Suite(.timeLimit(.minutes(10))) struct ReadTaskTests {
  private let file = FileManager.default.temporaryDirectory.path + "/curlew-session-\(UInt64.random(in: 0 ... .max))"
  private let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

  private func remove() {
    for path in [file, partial] { try? FileManager.default.removeItem(atPath: path) }
  }

  private var partial: String {
    let name = file.split(separator: "/").last.map(String.init) ?? ""
    return FileManager.default.temporaryDirectory.path + "/.\(name).curlew-part"
  }

  @Test func `a download is a sequence of progress that ends in a file`() async throws {
    defer { remove() }
    let session = try HTTPSession.birds(StubTransport(.bytes(bytes)))
    let download = session.download("atlas.zip", to: file)
    var last: TransferProgress?
    for try await progress in download { last = progress }
    #expect(last?.isFinal == true && last?.completed == 200_000 && last?.total == 200_000)
    let result = try await download.value
    #expect(result.path == file && result.length == 200_000)
    #expect(FileManager.default.contents(atPath: file) == bytes)
    #expect(
      try await session.download("atlas.zip", to: .file(file)) { $0.file.collision = .replace }.value.length == 200_000)
  }

  @Test func `a name that only the response tells and that is taken is refused before the body is fetched`()
    async throws
  {
    let folder = file
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("old".utf8).write(to: URL(filePath: folder + "/atlas.zip"))
    // A body that never ends: whoever waits for it waits for ever.
    let stub = StubTransport(StubAnswer(headerFields: [.contentLength: "9"], body: [.bytes(Data("new".utf8)), .stall]))
    let session = try HTTPSession.birds(stub)
    for target in [DownloadTarget.directory(folder), .chosen(partialIn: folder) { _ in folder + "/atlas.zip" }] {
      let error = await networkError { _ = try await session.download("atlas.zip", to: target).value }
      #expect(error?.kind == .targetExists)
    }
    #expect(FileManager.default.contents(atPath: folder + "/atlas.zip") == Data("old".utf8))
  }

  @Test func `the downloads of a session and of its copies share one thread for their files`() async {
    await #expect(processExitsWith: .success) {
      let stub = StubTransport(
        StubAnswer(headerFields: [.contentLength: "9"], body: [.bytes(Data("abc".utf8)), .stall]))
      let folder = FileManager.default.temporaryDirectory.path + "/curlew-disk-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let session = try HTTPSession.birds(stub)
      let downloads = (0..<20).map { number in
        let session = number.isMultiple(of: 2) ? session : session.with { $0.headerFields = [:] }
        return session.download("\(number)", to: "\(folder)/\(number)")
      }
      for download in downloads { download.resume() }
      while stub.inFlightCount < downloads.count { await Task.yield() }
      let names = try LocalFileSystem().list("/proc/self/task").compactMap { task in
        try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      }
      #expect(names.count { $0 == "curlew-disk\n" } == 1, "\(names)")
      for download in downloads { download.cancel() }
      for download in downloads { _ = try? await download.value }
    }
  }

  @Test func `a download that fails says so to whoever reads it`() async throws {
    defer { remove() }
    let session = try HTTPSession.birds(StubTransport(.text("no", status: .notFound)))
    let download = session.download("atlas.zip", to: file)
    #expect(await networkError { for try await _ in download {} }?.kind == .unacceptableStatus)
    #expect(await networkError { _ = try await download.value }?.details.response?.status == .notFound)
    let nowhere = HTTPSession(StubTransport(.text(""))).download("atlas.zip", to: file)
    #expect(await networkError { for try await _ in nowhere {} }?.kind == .invalidURL)
    #expect(!nowhere.resume() && nowhere.state == .completed && nowhere.downloadProgress == nil)
    struct Unwilling: Error {}
    let refused = session.download("atlas.zip", to: file) { _ in throw Unwilling() }
    await #expect(throws: Unwilling.self) { try await refused.value }
  }

  @Test func `leaving the loop cancels a download that nobody holds`() async throws {
    defer { remove() }
    let stub = StubTransport(StubAnswer(headerFields: [.contentLength: "300000"], body: [.bytes(bytes), .stall]))
    do {
      let session = try HTTPSession.birds(stub)
      for try await _ in session.download("atlas.zip", to: file) { break }
    }
    while stub.inFlightCount > 0 { await Task.yield() }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `an upload has the progress of its content and ends in a value`() async throws {
    let stub = StubTransport { asked in
      #expect(asked.body.count == 200_000)
      return .json(Bird.json)
    }
    let session = try HTTPSession.birds(stub)
    try bytes.write(to: URL(filePath: file))
    defer { remove() }
    let chunks = AsyncStream<Data> { feed in
      feed.yield(bytes)
      feed.finish()
    }
    for content in [
      RequestContent.bytes(bytes), .file(URL(filePath: file)), .body(.stream(chunks, length: 200_000)),
    ] {
      let upload = session.upload(content, to: "photos", as: Bird.self)
      var last: TransferProgress?
      for try await progress in upload { last = progress }
      #expect(last?.completed == 200_000 && last?.isFinal == true)
      #expect(try await upload.value == .curlew)
    }
    #expect(try await session.upload(.bytes(bytes), to: "photos", method: .put, .string).value == Bird.json)
  }

  @Test func `a task that is cancelled while somebody reads it is over`() async throws {
    let stub = StubTransport(StubAnswer(body: [.stall]))
    let upload = try HTTPSession.birds(stub).upload(.bytes(bytes), to: "photos")
    let value = Task { try await upload.value }
    while stub.inFlightCount == 0 { await Task.yield() }
    #expect(upload.suspend() && upload.resume() && upload.cancel() && !upload.cancel())
    await #expect(throws: CancellationError.self) { try await value.value }
  }

  @Test func `a reader that is cancelled cancels what only readers have started, and a download keeps its bytes`()
    async throws
  {
    defer { remove() }
    let stub = StubTransport(
      StubAnswer(
        headerFields: [.contentLength: "300000", .eTag: "\"a\"", .acceptRanges: "bytes"], body: [.bytes(bytes), .stall])
    )
    let download = try HTTPSession.birds(stub).download("atlas.zip", to: file)
    let reader = Task { try await download.value }
    await wait(while: download.downloadProgress?.current.completed ?? 0 < 200_000)
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    // The reader returns when the bytes are stored and the target is free.
    #expect(download.state == .completed && download.error is CancellationError && stub.inFlightCount == 0)
    #expect(download.resumeData?.download.completed == 200_000 && FileManager.default.fileExists(atPath: partial))
  }

  @Test func `a reader that was cancelled before it reads sends nothing`() async throws {
    let stub = StubTransport(.bytes(bytes))
    let task = try HTTPSession.birds(stub).dataTask("birds")
    let gate = ManualGate()
    let reader = Task {
      try? await gate.wait()
      return try await task.value
    }
    reader.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(stub.requestCount == 0 && task.state == .completed)
  }

  @Test func `leaving the loop does not cancel a task that was resumed`() async throws {
    defer { remove() }
    let gate = ManualGate()
    let stub = StubTransport(
      StubAnswer(
        headerFields: [.contentLength: "200000"],
        body: [.bytes(bytes.prefix(100_000)), .wait { try await gate.wait() }, .bytes(bytes.suffix(100_000))]))
    let end = AsyncStream<Bool>.makeStream()
    do {
      let download = try HTTPSession.birds(stub).download("atlas.zip", to: file)
      download.onCompletion(on: .inline) { error in end.continuation.yield(error == nil) }
      download.resume()
      for try await _ in download { break }
    }
    gate.open()
    for await isSuccess in end.stream {
      #expect(isSuccess)
      break
    }
    #expect(FileManager.default.contents(atPath: file) == bytes)
  }

  @Test func `a suspended task is not resumed by whoever reads it`() async throws {
    let gate = ManualGate()
    let task = HTTPSession(TaskFixture.gated(gate)).dataTask(TaskFixture.request, .string)
    task.resume()
    task.suspend()
    gate.open()
    let reader = Task { try await task.value }
    // Another request ends meanwhile.
    _ = try await HTTPSession(StubTransport(.text("twin"))).dataTask(TaskFixture.request, .string).value
    #expect(task.state == .suspended)
    task.resume()
    #expect(try await reader.value == "hello")
  }
}
