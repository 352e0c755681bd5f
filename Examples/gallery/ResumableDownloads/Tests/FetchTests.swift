import Curlew
import CurlewDigests
import CurlewTestSupport
import Foundation
import Synchronization
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(10))) struct FetchTests {
  private static let atlas = SeededResource(length: 400_000, seed: 7)

  /// A server that loses the connection in the middle of every whole response, and a folder.
  private func withOrigin(
    _ resource: @escaping @Sendable () -> SeededResource = { atlas },
    _ work: (ScriptedOrigin, String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-fetch-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let origin = try await ScriptedOrigin.start { request in
      let reply = resource().reply(to: request)
      return request["Range"] == nil ? reply.cut(after: 200_000) : reply
    }
    try await work(origin, folder + "/atlas.bin")
    await origin.stop()
  }

  private func content(of path: String) -> [UInt8]? { (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) } }

  @Test func `a second run goes on where the first was cut off`() async throws {
    try await withOrigin { origin, path in
      let session = HTTPSession()
      let whole = Self.atlas.bytes(count: 400_000)
      let sha256 = try Digest.of(Data(whole), .sha256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let lost = await #expect(throws: NetworkError.self) {
        try await fetch(origin.address("/atlas"), to: path, over: session, retry: nil) { _ in }
      }
      #expect((lost?.details.resumption?.completedBytes ?? 0) > 100_000 && content(of: path) == nil)

      var shown: [Int64] = []
      let file = try await fetch(
        origin.address("/atlas"), to: path, digest: try ExpectedDigest("sha-256:\(sha256)"), over: session, retry: nil
      ) {
        shown.append($0.completed)
      }
      #expect(file.resumedFrom == lost?.details.resumption?.completedBytes)
      #expect(content(of: path) == whole && shown.last == 400_000 && shown == shown.sorted())
      let second = try #require(origin.requests.last)
      #expect(second["Range"] == "bytes=\(file.resumedFrom)-" && second["If-Range"] == Self.atlas.entityTag)
    }
  }

  @Test func `with the default policy one run gets the whole file`() async throws {
    try await withOrigin { origin, path in
      let file = try await fetch(origin.address("/atlas"), to: path, over: HTTPSession()) { _ in }
      #expect(file.length == 400_000 && origin.requests.count == 2)
    }
  }

  @Test func `a file that changed on the server is fetched from its start`() async throws {
    let served = Mutex(Self.atlas)
    try await withOrigin({ served.withLock { $0 } }) { origin, path in
      let session = HTTPSession()
      await #expect(throws: NetworkError.self) {
        try await fetch(origin.address("/atlas"), to: path, over: session, retry: nil) { _ in }
      }
      let new = SeededResource(length: 150_000, seed: 8)
      served.withLock { $0 = new }
      let file = try await fetch(origin.address("/atlas"), to: path, over: session) { _ in }
      #expect(file.resumedFrom == 0 && content(of: path) == new.bytes(count: 150_000))
    }
  }

  @Test func `a file with another digest does not appear`() async throws {
    try await withOrigin { origin, path in
      let error = await #expect(throws: NetworkError.self) {
        try await fetch(
          origin.address("/atlas"), to: path,
          digest: try ExpectedDigest("sha-256:" + String(repeating: "0", count: 64)),
          over: HTTPSession()
        ) { _ in }
      }
      #expect(error?.kind == .digestMismatch && content(of: path) == nil)
    }
  }

  @Test func `a digest that is none is refused before anything is fetched`() throws {
    let digest = String(repeating: "0f", count: 32)
    #expect(try FetchCommand(["http://h/a", "a", digest]).digest != nil)
    #expect(try FetchCommand(["http://h/a", "a"]).digest == nil)
    for wrong in ["", "0f", digest + "0", digest.dropLast() + "g"] {
      #expect(throws: WrongUsage.self) { try FetchCommand(["http://h/a", "a", wrong]) }
    }
    #expect(throws: WrongUsage.self) { try FetchCommand(["http://h/a"]) }
  }

  @Test(
    arguments: [(["http://127.0.0.1:1/a", "/nowhere/a"], 1), (["a"], 2), (["http://h/a", "a", "0f"], 2)]
      as [([String], Int32)])
  func `the program ends with a status that says whether it failed`(arguments: [String], status: Int32) throws {
    let process = Process()
    // The build puts it beside the tests.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("ResumableDownloads")
    process.arguments = arguments
    process.standardError = Pipe()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
  }
}
