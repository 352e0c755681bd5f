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

@Suite(.timeLimit(.minutes(2))) struct SessionTransferTests {
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

  @Test func `a download that fails says so to whoever reads it`() async throws {
    defer { remove() }
    let session = try HTTPSession.birds(StubTransport(.text("no", status: .notFound)))
    let download = session.download("atlas.zip", to: file)
    #expect(await networkError { for try await _ in download {} }?.kind == .unacceptableStatus)
    #expect(await networkError { _ = try await download.value }?.details.response?.status == .notFound)
    let nowhere = HTTPSession(StubTransport(.text(""))).download("atlas.zip", to: file)
    #expect(await networkError { for try await _ in nowhere {} }?.kind == .invalidURL)
    #expect(nowhere.start() == false && nowhere.progress == nil)
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
      let upload = session.upload(content, to: "photos", of: Bird.self)
      var last: TransferProgress?
      for try await progress in upload { last = progress }
      #expect(last?.completed == 200_000 && last?.isFinal == true)
      #expect(try await upload.value == .curlew)
    }
    #expect(try await session.upload(.bytes(bytes), to: "photos", method: .put, .string).value == Bird.json)
  }

  @Test func `a transfer that is cancelled is over`() async throws {
    let stub = StubTransport(StubAnswer(body: [.stall]))
    let upload = try HTTPSession.birds(stub).upload(.bytes(bytes), to: "photos")
    let value = Task { try await upload.value }
    while stub.inFlightCount == 0 { await Task.yield() }
    #expect(upload.pause() && upload.resume() && upload.cancel() && !upload.cancel())
    await #expect(throws: CancellationError.self) { try await value.value }
  }
}
