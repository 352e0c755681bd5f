import CurlewBatch
import CurlewCore
import CurlewDigests
import CurlewSQLiteBatchStore
import CurlewTestSupport
import Foundation
import Synchronization
import Testing

/// Mirrors 1,000 files. Some are missing, some are cancelled, and the process is killed five times.
@Suite struct KilledMirrorTests {
  private static let count = 1_000
  private static let kills = 5

  /// The files that are not there, 100.
  private static func isMissing(_ number: Int) -> Bool { number % 9 == 0 && number < 900 }
  /// The files that are cancelled, 50; they are the last of the listing.
  private static func isCancelled(_ number: Int) -> Bool { number >= 950 }

  /// What `sha256sum` would write.
  private static let sums = (0..<count).map { number in
    line(Data(SeededResource(length: 2_000, seed: UInt64(number)).bytes(count: 2_000)), "\(number).bin")
  }.joined()

  private static func line(_ content: Data, _ name: String) -> String {
    guard let digest = try? Digest.of(content, .sha256) else { return "" }
    let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return digits.joined() + "  " + name + "\n"
  }

  private static func reply(to request: OriginRequest) -> OriginReply {
    switch request.path {
    case "/birds/":
      let links = (0..<count).map { "<a href=\"\($0).bin\">\($0).bin</a>\n" }.joined()
      return .status(200, "<html><a href=\"../\">../</a>\n\(links)</html>")
    case "/birds/SHA256SUMS": return .status(200, sums)
    default:
      guard let number = number(of: request.path), !isMissing(number) else { return .status(404, "no") }
      return SeededResource(length: 2_000, seed: UInt64(number)).reply(to: request)
    }
  }

  private static func number(of path: String) -> Int? {
    Int(path.dropFirst("/birds/".count).prefix { $0 != "." })
  }

  @Test func `the summary is exact, and nothing that was complete is fetched again`() async throws {
    // A process that is to be killed gets 160 answers, of some 950, so that it cannot end before.
    let pace = Mutex((left: 160, gate: OriginGate()))
    let origin = try await ScriptedOrigin.start { request in
      let reply = Self.reply(to: request)
      return pace.withLock { pace in
        pace.left -= 1
        return pace.left < 0 ? reply.pausing(at: pace.gate) : reply
      }
    }
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: copy) }
    let address = origin.address("/birds/")
    var (complete, failed) = (Set<String>(), Set<String>())
    for kill in 1...Self.kills {
      let seen = origin.requests.count
      let run = try MirrorRun(of: address, in: copy)
      _ = await origin.until { $0.requests >= seen + 120 }
      run.kill()
      let held = pace.withLock { pace in
        defer { pace = (kill < Self.kills ? 160 : .max, OriginGate()) }
        return pace.gate
      }
      held.open()
      _ = await origin.until { $0.connectionsOpen == 0 }
      expectNew(origin.requests.dropFirst(seen).map(\.path), complete, failed)
      let store = try await SQLiteBatchStore(copy.path + "/.mirror")
      for outcome in try await store.outcomes(after: 0, limit: 2_000) {
        if case .failed = outcome.result { failed.insert(outcome.name) }
      }
      if kill == 1 {
        for number in 0..<Self.count where Self.isCancelled(number) {
          #expect(try await store.apply(.cancelItem("\(number).bin")))
        }
      }
      await store.close()
      complete = Set(try FileManager.default.contentsOfDirectory(atPath: copy.path).filter { !$0.hasPrefix(".") })
    }
    let seen = origin.requests.count
    let last = try MirrorRun(of: address, in: copy).end()
    #expect(last.status == 1 && last.text.contains("852 of 1002 succeeded"), "\(last.text)")
    expectNew(origin.requests.dropFirst(seen).map(\.path), complete, failed)
    let store = try await SQLiteBatchStore(copy.path + "/.mirror", access: .reading)
    let summary = try await store.summary()
    let counts = [summary.succeeded, summary.failed, summary.cancelled, summary.skipped, summary.total]
    #expect(counts == [852, 100, 50, 0, 1_002])
    await store.close()
    for number in 0..<Self.count where !Self.isMissing(number) && !Self.isCancelled(number) {
      let resource = SeededResource(length: 2_000, seed: UInt64(number))
      #expect(
        try Data(contentsOf: copy.appendingPathComponent("\(number).bin")) == Data(resource.bytes(count: 2_000)),
        "\(number)")
    }
    #expect(origin.requests.compactMap { Self.number(of: $0.path) }.allSatisfy { !Self.isCancelled($0) })
    let requests = origin.requests.count
    await origin.stop()
    print("figure: 1,000 files, 100 missing, 50 cancelled, killed \(Self.kills) times: \(requests) requests")
  }

  @Test func `a file without a digest is not fetched, and fails`() async throws {
    let content = Data("content".utf8)
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/birds/": .status(200, "<a href=\"a.bin\">a.bin</a><a href=\"b.bin\">b.bin</a>")
      case "/birds/SHA256SUMS": .status(200, Self.line(content, "a.bin"))
      default: .status(200, "content")
      }
    }
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: copy) }
    let run = try MirrorRun(of: origin.address("/birds/"), in: copy).end()
    #expect(run.status == 1 && run.text.contains("3 of 4 succeeded"), "\(run.text)")
    #expect(run.text.contains("failed b.bin: SHA256SUMS does not list it"), "\(run.text)")
    #expect(!origin.requests.contains { $0.path == "/birds/b.bin" })
    #expect(try Data(contentsOf: copy.appendingPathComponent("a.bin")) == content)
    await origin.stop()
  }

  @Test(arguments: ["<html>\n", "0f  a.bin\n", "\n\n" + String(repeating: "0", count: 64) + " a.bin\n"])
  func `a line of the digests that is none fails the index`(sums: String) async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/birds/SHA256SUMS" ? .status(200, sums) : .status(200, "<a href=\"a.bin\">a.bin</a>")
    }
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: copy) }
    let run = try MirrorRun(of: origin.address("/birds/"), in: copy).end()
    #expect(run.status == 1 && run.text.contains("of the digests is not a SHA-256"), "\(run.text)")
    #expect(!origin.requests.contains { $0.path == "/birds/a.bin" })
    await origin.stop()
  }

  @Test func `a directory that cannot be written is an error in one line`() async throws {
    let run = try MirrorRun(of: "http://127.0.0.1:1/", in: URL(filePath: "/proc/nowhere")).end()
    #expect(run.status == 1 && run.text.isEmpty && run.errors.hasPrefix("mirror: "), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1, "\(run.errors)")
  }

  /// Checks that no request was for a file that was complete, or for one whose failure was recorded.
  private func expectNew(_ paths: [String], _ complete: Set<String>, _ failed: Set<String>) {
    let names = paths.map { String($0.dropFirst("/birds/".count)) }
    let again = names.filter { complete.contains($0) || failed.contains($0) }
    #expect(again.isEmpty, "\(again) were done, and were asked for again")
  }
}
