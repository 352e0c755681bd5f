import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewContentCoding

@Suite(.timeLimit(.minutes(10))) struct GzipEncodingTests {
  private func decoded(_ coded: Data) throws -> Data {
    let decoder = try GzipDecoder()
    var output = [UInt8](repeating: 0, count: 1 << 22)
    let step = coded.withUnsafeBytes { input in
      output.withUnsafeMutableBytes { decoder.decode(input, into: $0) }
    }
    #expect(step.failure == nil && step.consumed == coded.count && decoder.isAtEnd)
    return Data(output.prefix(step.produced))
  }

  private func collected(_ body: Body) async throws -> Data {
    guard case .stream(let stream) = body.source else { return Data() }
    let chunks = try await stream.make()
    var all = Data()
    while let chunk = try await chunks.next() { all.append(chunk) }
    #expect(try await chunks.next() == nil)
    return all
  }

  private let text = Data(String(repeating: "curlew ", count: 100_000).utf8)

  /// In a process of its own, which is left without memory.
  @Test(.enabled(if: getenv("CURLEW_SANITIZER") == nil, "a sanitizer needs all the address space"))
  func `an encoder without memory is an error`() async {
    await #expect(processExitsWith: .success) {
      let blocks = (0..<100).map { _ in malloc(32 << 10) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      limit.rlim_cur = 1
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      // Blocks of 32 kB remain, which Swift needs, and which are not beside each other; zlib's tables are larger.
      while malloc(48 << 10) != nil {}
      for (place, block) in blocks.enumerated() where place.isMultiple(of: 2) { free(block) }
      let isRefused = (try? GzipEncoder(level: 9)) == nil
      // Without the handlers of `exit`, which need memory, too.
      _exit(isRefused ? 0 : 1)
    }
  }

  @Test(arguments: [-1, 1, 6, 9, 99]) func `bytes are coded at once, and the length is known`(_ level: Int) throws {
    guard case .bytes(let coded) = try Body.bytes(text).gzipped(level: level).source else {
      Issue.record("bytes became something else")
      return
    }
    #expect(coded.count < text.count / 50)
    #expect(try decoded(coded) == text)
    guard case .bytes(let nothing) = try Body.bytes(Data()).gzipped().source else { return }
    #expect(try decoded(nothing).isEmpty)
    #expect(try Body.empty.gzipped().isEmpty)
  }

  @Test func `bytes that gzip cannot make smaller come back the same`() throws {
    let noise = Data((0..<100_000).map { _ in UInt8.random(in: 0...255) })
    guard case .bytes(let coded) = try Body.bytes(noise).gzipped().source else { return }
    #expect(try decoded(coded) == noise)
  }

  @Test(arguments: [-1, 0, 1]) func `a source that produces more or fewer bytes than announced makes no whole body`(
    surplus: Int64
  ) async throws {
    let chunks = [text.prefix(1000), Data(), text.prefix(2000)]
    let body = Body.stream(length: 3000 - surplus, replayable: true) { ListedChunks(chunks) }
    if surplus == 0 {
      #expect(try decoded(try await collected(body.gzipped())).count == 3000)
    } else {
      let error = await #expect(throws: NetworkError.self) { _ = try await collected(body.gzipped()) }
      #expect(error?.kind == .bodyLengthMismatch)
    }
  }

  /// Chunks one after the other.
  private final class ListedChunks: BodyChunks {
    private let rest: Guarded<[Data]>

    init(_ chunks: [Data]) { rest = Guarded(chunks.reversed()) }

    func next() async -> Data? { rest.withLock { $0.popLast() } }
  }

  @Test func `files and streams are coded while they are sent, again where they can be sent again`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-gzip-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try text.write(to: URL(filePath: path))
    let file = try Body.file(URL(filePath: path)).gzipped()
    #expect(file.isReplayable && file.length == nil)
    for _ in 0..<2 { #expect(try decoded(try await collected(file)) == text) }
    let part = try Body.file(URL(filePath: path), range: 7..<70_001).gzipped()
    #expect(try decoded(try await collected(part)) == text[7..<70_001])

    let chunks = AsyncStream<Data> { [text] feed in
      for start in stride(from: 0, to: text.count, by: 999) { feed.yield(text.dropFirst(start).prefix(999)) }
      feed.finish()
    }
    let stream = try Body.stream(chunks).gzipped()
    #expect(!stream.isReplayable)
    #expect(try decoded(try await collected(stream)) == text)
  }

  @Test func `a request says that its body is coded, unless that does not help`() throws {
    var request = try Request(.post, "http://h.test/")
    try request.compressBody()
    #expect(request.headerFields[.contentEncoding] == nil)
    request.body = .text("short")
    try request.compressBody()
    #expect(request.headerFields[.contentEncoding] == nil && request.body.length == 5)
    request.body = .bytes(text)
    try request.compressBody()
    #expect(request.headerFields[.contentEncoding] == "gzip")
    let length = request.body.length
    try request.compressBody()
    #expect(request.body.length == length, "it is coded once")
  }
}
