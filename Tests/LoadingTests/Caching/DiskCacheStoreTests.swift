import CurlewCore
import CurlewLoading
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskCacheStoreTests {
  private func store(_ files: any FileSystem) throws -> DiskCacheStore {
    DiskCacheStore(try BoundedStore("/cache", limits: .init(capacity: 1 << 20, content: 1 << 19), in: files))
  }

  @Test func `what one process stored another one answers with`() async throws {
    let files = MemoryFileSystem()
    let body = String(repeating: "0123456789", count: 10_000)
    let answer: @Sendable (StubTransport.Asked) -> StubAnswer = { _ in
      .bytes(Data(body.utf8), headerFields: [.cacheControl: "max-age=10", .vary: "Accept"])
    }
    let first = CacheScene(try store(files), answer: answer)
    try await first.get([.accept: "text/plain"])
    let second = CacheScene(try store(files), answer: answer)
    let hit = try await second.get([.accept: "text/plain"])
    #expect(hit.source == .cache)
    #expect(hit.text == body)
    #expect(try await second.get([.accept: "text/plain", .range: "bytes=50000-50004"]).text == "01234")
    #expect(try await second.get().source == .network)
    #expect(first.sent.all.count == 1)
  }

  @Test func `a 304 changes the head on the disk and leaves the body`() async throws {
    let files = MemoryFileSystem()
    let scene = CacheScene(try store(files)) { asked in
      asked.index == 0
        ? .bytes(Data(count: 50_000), headerFields: [.cacheControl: "max-age=1", .eTag: "\"a\""])
        : StubAnswer(.notModified, headerFields: [.cacheControl: "max-age=50", .server: "new"])
    }
    try await scene.get()
    scene.pass(2)
    try await scene.get()
    let hit = try await scene.get()
    #expect(hit.source == .cache)
    #expect(hit.fields[.server] == "new")
    #expect(hit.text.utf8.count == 50_000)
  }

  @Test func `rotten files are misses`() async throws {
    let files = MemoryFileSystem()
    let scene = CacheScene(try store(files)) { asked in
      .bytes(Data(repeating: UInt8(asked.index), count: 33_000), headerFields: [.cacheControl: "max-age=10"])
    }
    try await scene.get()
    for suffix in [".entry", ".content"] {
      let path = "/cache/" + (try #require(try files.list("/cache").first { $0.hasSuffix(suffix) }))
      var bytes = try #require(files.contents(of: path))
      bytes[bytes.count / 2] ^= 1
      try AtomicFile(path, in: files).write(Data(bytes))
      #expect(try await scene.get().source == .network)
      #expect(try await scene.get().source == .cache)
    }
  }

  @Test func `a disk that fails costs the cache and no request`() async throws {
    for call in stride(from: 1, through: 40, by: 2) {
      let failing = FailingFileSystem(over: MemoryFileSystem())
      let scene = CacheScene(try store(failing)) { asked in
        .bytes(Data(repeating: UInt8(asked.index), count: 33_000), headerFields: [.cacheControl: "max-age=10"])
      }
      failing.fail(FileFault(nil, call: call, lasts: true))
      for _ in 0..<4 {
        // Bytes that cannot be read any more once the head was given are an error of the body.
        guard let reply = try? await scene.get() else { continue }
        #expect(Set(reply.text.utf8).count == 1)
        #expect(reply.text.utf8.count == 33_000)
      }
      failing.heal()
      #expect(try await scene.get().text.utf8.count == 33_000)
      #expect(try await scene.get().source == .cache)
    }
  }

  @Test func `requests at once on one directory get whole bodies`() async throws {
    let files = MemoryFileSystem()
    let scenes = try (0..<2).map { _ in
      CacheScene(try store(files)) { asked in
        .bytes(
          Data(repeating: UInt8.random(in: 1...100), count: 40_000 + asked.index),
          headerFields: [.cacheControl: "max-age=10", .eTag: "\"\(asked.index)\""])
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for round in 0..<30 {
            let reply = try? await scenes[worker % 2].get {
              $0.options.cachePolicy = round % 3 == 0 ? .reload : .protocolDefined
            }
            #expect(reply.map { Set($0.text.utf8).count == 1 } ?? false)
            #expect(reply?.fields[.contentLength] == reply.map { String($0.text.utf8.count) })
          }
        }
      }
    }
  }
}
