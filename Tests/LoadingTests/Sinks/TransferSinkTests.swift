import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct TransferSinkTests {
  private func transfer(_ answer: StubAnswer, to sink: any TransferSink) -> Transfer<TransferResult> {
    Transfer(Loader(StubTransport(answer)), Fixture.request(), to: sink)
  }

  @Test func `memory takes the limit and not a byte more`() async throws {
    let exact = try await transfer(.text("hello"), to: .memory(limit: 5)).run()
    #expect(exact.content == .data(Data("hello".utf8)))
    #expect(await Fixture.kind { _ = try await transfer(.text("hello"), to: .memory(limit: 4)).run() } == .bodyTooLarge)
    var unannounced = StubAnswer.bytes(Data(count: 100), chunkSize: 10)
    unannounced.announcesLength = false
    #expect(await Fixture.kind { _ = try await transfer(unannounced, to: .memory(limit: 99)).run() } == .bodyTooLarge)
    let whole = try await transfer(unannounced, to: .memory(limit: 100)).run()
    #expect(whole.content.data?.count == 100)
  }

  @Test func `a file is emptied, written and closed`() async throws {
    let file = OneFile(Data(count: 9_000))
    let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    let result = try await transfer(.bytes(body, chunkSize: 33), to: .file("/f", in: file)).run()
    #expect(result.content == .file(path: "/f"))
    #expect(file.bytes == body)
    #expect(file.opens == 1)
    #expect(file.closes == 1)
  }

  @Test func `a real file holds what came`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "curlew-\(UUID().uuidString)")
      .path(percentEncoded: false)
    defer { try? LocalFileSystem().remove(path) }
    let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    for answer in [StubAnswer.bytes(Data(count: 200_000)), .bytes(body, chunkSize: 999)] {
      _ = try await transfer(answer, to: .file(path, in: LocalFileSystem())).run()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == body)
  }

  @Test(arguments: [HTTPResponse.Status.notFound, .internalServerError, .movedPermanently, .notModified])
  func `a file that nobody validates keeps what it held when the status is no success`(
    status: HTTPResponse.Status
  ) async throws {
    let file = OneFile(Data("old".utf8))
    let transfer = transfer(.text("an error page", status: status), to: .file("/f", in: file))
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.kind == .unacceptableStatus)
    #expect(error?.details.response?.status == status)
    if status != .notModified { #expect(error?.details.responseBody == Data("an error page".utf8)) }
    #expect(file.bytes == Data("old".utf8))
    #expect(file.opens == 0)
  }

  @Test func `validation comes before the sink, whichever it is`() async throws {
    let opened = Collected<Int>()
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(),
      to: .custom { _, _ in
        opened.append(1)
        return KeepingSink()
      }
    ) { $0 }
    configuration.validate = { head, _ in
      throw NetworkError(.unacceptableContentType, stage: .validating, message: "Not what was asked.")
    }
    let transfer = Transfer(Loader(StubTransport(.text("hello"))), configuration)
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.details.responseBody == Data("hello".utf8))
    #expect(opened.all.isEmpty)
  }

  @Test func `a full disk is a typed error and the file is closed`() async throws {
    let file = OneFile(capacity: 50)
    let transfer = transfer(.bytes(Data(count: 100), chunkSize: 10), to: .file("/f", in: file))
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.kind == .fileError)
    #expect((error?.details.underlying as? FileSystemError)?.isDiskFull == true)
    #expect(file.closes == 1)
    #expect(transfer.attempts.first?.bytesReceived == 50)
  }

  @Test func `a sink of the app's own gets every byte, and may wait`() async throws {
    let sink = KeepingSink(waitsAtEach: true)
    let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    let result = try await transfer(.bytes(body, chunkSize: 7), to: .custom { _, _ in sink }).run()
    #expect(result.content == .taken)
    #expect(sink.bytes == body)
  }

  @Test func `what a sink throws arrives typed, with its cause`() async throws {
    struct Full: Error {}
    let transfer = transfer(.text("hello"), to: .custom { _, _ in KeepingSink(failing: Full()) })
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.kind == .sinkFailed)
    #expect(error?.details.underlying is Full)
  }

  @Test func `an attempt that starts anew leaves nothing of the one before in a file`() async throws {
    let file = OneFile()
    let lost = StubAnswer(body: [.bytes(Data("a longer beginning".utf8)), .failure(Fixture.lost())])
    var configuration = Transfer<TransferResult>.Configuration(Fixture.request(), to: .file("/f", in: file)) { $0 }
    configuration.shouldRetry = { attempt, _ in attempt.error == nil ? .finish : .retry(after: .zero) }
    let transfer = Transfer(Loader(StubTransport(script: [lost, .text("short")])), configuration)
    _ = try await transfer.run()
    #expect(file.bytes == Data("short".utf8))
    #expect(file.opens == 2)
    #expect(file.closes == 2)
  }
}
