import Curlew
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import OfflineCache

@Suite(.timeLimit(.minutes(10))) struct NewsReaderTests {
  private let first = Edition(number: 1, headline: "Curlews are back")

  private func withFolder(_ work: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-news-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await work(folder)
  }

  /// A server whose edition has a tag and is never fresh for long.
  private func start(_ edition: @escaping @Sendable () -> Int = { 1 }) async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      let number = edition()
      let fields: OriginFields = ["ETag": "\"\(number)\"", "Cache-Control": "max-age=0"]
      if request["If-None-Match"] == "\"\(number)\"" { return .status(304, fields) }
      let headline = number == 1 ? "Curlews are back" : "Godwits follow"
      return .json(#"{"number":\#(number),"headline":"\#(headline)"}"#, fields)
    }
  }

  @Test func `an edition is fetched, then confirmed, then replaced by the next`() async throws {
    try await withFolder { folder in
      let number = Mutex(1)
      let origin = try await start { number.withLock { $0 } }
      let reader = try NewsReader(baseURL: origin.address("/"), cacheDirectory: folder)
      #expect(try await reader.edition() == (first, .network))
      #expect(try await reader.edition() == (first, .validated))
      number.withLock { $0 = 2 }
      let second = try await reader.edition()
      #expect(second.edition.number == 2 && second.source == .network)
      await origin.stop()
    }
  }

  @Test func `without a server the last edition is still there, also for the next process`() async throws {
    try await withFolder { folder in
      let origin = try await start()
      let reader = try NewsReader(baseURL: origin.address("/"), cacheDirectory: folder)
      _ = try await reader.edition()
      await origin.stop()
      #expect(try await reader.edition() == (first, .cache))
      // What the next process does: another reader with the same directory.
      let next = try NewsReader(baseURL: origin.address("/"), cacheDirectory: folder)
      #expect(try await next.edition() == (first, .cache))
      #expect(try await next.storedEdition() == first)
    }
  }

  @Test func `what was never read cannot be had without a server`() async throws {
    try await withFolder { folder in
      let origin = try await start()
      let reader = try NewsReader(baseURL: origin.address("/"), cacheDirectory: folder)
      let missing = await #expect(throws: NetworkError.self) { try await reader.storedEdition() }
      #expect(missing?.kind == .notInCache && origin.requests.isEmpty)
      await origin.stop()
      let unreachable = await #expect(throws: NetworkError.self) { try await reader.edition() }
      #expect(unreachable?.kind == .connectionFailed)
    }
  }
}
