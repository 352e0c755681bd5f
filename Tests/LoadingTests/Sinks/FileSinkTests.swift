import CurlewCore
import CurlewLoading
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// A file that is written by a transfer appears whole or not at all.
@Suite(.timeLimit(.minutes(10))) struct FileSinkTests {
  private let files = MemoryFileSystem()
  private let old = [UInt8]("old".utf8)
  private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  init() throws { try AtomicFile("/f", in: files).write(Data(old)) }

  private func transfer(_ answer: StubAnswer, in files: (any FileSystem)? = nil) -> Transfer<TransferResult> {
    Transfer(Loader(StubTransport(answer)), Fixture.request(), to: .file("/f", in: files ?? self.files))
  }

  @Test func `a file holds what came, and nothing is left beside it`() async throws {
    let result = try await transfer(.bytes(body, chunkSize: 999)).run()
    #expect(result.content == .file(path: "/f"))
    #expect(files.contents(of: "/f") == Array(body))
    #expect(try files.list("/") == ["f"])
  }

  @Test func `a real file is made as other programs make files`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "curlew-\(UUID().uuidString)")
      .path(percentEncoded: false)
    defer { try? LocalFileSystem().remove(path) }
    for answer in [StubAnswer.bytes(Data(count: 200_000)), .bytes(body, chunkSize: 999)] {
      _ = try await Transfer(Loader(StubTransport(answer)), Fixture.request(), to: .file(path, in: .local)).run()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == body)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o600 == 0o600)
  }

  @Test func `what stood there is whole while the transfer goes on, and after it was cancelled`() async throws {
    let gate = ManualGate()
    let transfer = transfer(
      StubAnswer(body: [.bytes(Data("half".utf8)), .wait { try await gate.wait() }, .bytes(Data("rest".utf8))]))
    transfer.start()
    try await gate.waitForArrivals()
    #expect(files.contents(of: "/f") == old)
    transfer.cancel()
    await transfer.settled()
    #expect(files.contents(of: "/f") == old)
    #expect(try files.list("/") == ["f"])
  }

  @Test(arguments: [HTTPResponse.Status.notFound, .internalServerError, .movedPermanently, .notModified])
  func `a file that nobody validates keeps what it held when the status is no success`(
    status: HTTPResponse.Status
  ) async throws {
    let error = await #expect(throws: NetworkError.self) {
      try await transfer(.text("an error page", status: status)).run()
    }
    #expect(error?.kind == .unacceptableStatus)
    #expect(error?.details.response?.status == status)
    if status != .notModified { #expect(error?.details.responseBody == Data("an error page".utf8)) }
    #expect(files.contents(of: "/f") == old)
  }

  @Test(arguments: FileFault.Operation.allCases)
  func `a call that fails is a typed error and leaves the file as it was`(operation: FileFault.Operation) async throws {
    let failing = FailingFileSystem(over: files)
    failing.fail(FileFault(operation, code: ENOSPC))
    let result = await Result { try await transfer(.bytes(body, chunkSize: 999), in: failing).run() }
    switch result {
    case .success: #expect(files.contents(of: "/f") == Array(body))
    case .failure(let error):
      let error = error as? NetworkError
      #expect(error?.kind == .fileError)
      #expect((error?.details.underlying as? FileSystemError)?.isDiskFull == true)
      // Two calls come after the name was taken over.
      let isReplaced = operation == .synchronizeDirectory || operation == .close
      #expect(files.contents(of: "/f") == (isReplaced ? Array(body) : old))
    }
    if operation != .remove { #expect(try files.list("/") == ["f"]) }
  }

  @Test(arguments: 0..<200)
  func `a power failure at any moment leaves the old file or the new one`(seed: UInt64) async throws {
    let disk = FailingFileSystem(over: files)
    disk.failRandomly(seed: seed, rate: 0.02)
    let transfer = transfer(.bytes(body, chunkSize: 9_999), in: disk)
    let isSuccess = (try? await transfer.run()) != nil
    files.crash(.tears(seed: seed))
    let contents = files.contents(of: "/f")
    #expect(isSuccess ? contents == Array(body) : contents == old || contents == Array(body))
  }

  @Test func `a directory or a device at the path is refused before a byte is taken`() async throws {
    let stub = StubTransport(.bytes(body))
    for path in ["/dev/null", "/tmp"] {
      let transfer = Transfer(Loader(stub), Fixture.request(), to: .file(path, in: .local))
      #expect(await Fixture.kind { _ = try await transfer.run() } == .fileError)
      #expect(transfer.attempts.map(\.bytesReceived) == [0])
    }
  }

  @Test func `an attempt that starts anew leaves nothing of the one before in a file`() async throws {
    let lost = StubAnswer(body: [.bytes(Data("a longer beginning".utf8)), .failure(Fixture.lost())])
    var configuration = Transfer<TransferResult>.Configuration(Fixture.request(), to: .file("/f", in: files)) { $0 }
    configuration.shouldRetry = { attempt, _ in attempt.error == nil ? .finish : .retry(after: .zero) }
    let transfer = Transfer(Loader(StubTransport(script: [lost, .text("short")])), configuration)
    _ = try await transfer.run()
    #expect(files.contents(of: "/f") == Array("short".utf8))
    #expect(try files.list("/") == ["f"])
  }
}

extension Result where Failure == any Error {
  /// What an asynchronous body returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
