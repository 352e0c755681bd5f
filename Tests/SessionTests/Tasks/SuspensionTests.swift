import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSession

/// Tasks that are suspended and resumed at random instants; every byte must come through.
@Suite(.timeLimit(.minutes(20))) struct SuspensionTests {
  /// `Scripts/soak` asks for 500.
  private static let rounds = getenv("CURLEW_SUSPENDED_TASKS").flatMap { Int(String(cString: $0)) } ?? 12
  private static let scripted = SeededResource(length: 600_000, seed: 12)
  /// nginx is not slowed down, so its file has to be longer.
  private static let long = SeededResource(length: 6_000_000, seed: 13)

  /// What happened to the tasks of one run.
  private struct Tally {
    var suspensions = 0
    var attempts = 0
    var ranges = 0
  }

  @Test(arguments: Carrier.allCases) func `suspended at random instants, tasks have the same bytes`(
    carrier: Carrier
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      var random = SeededRandom(seed: UInt64(request.connection) &* 31 &+ UInt64(request.index))
      let reply = Self.scripted.reply(to: request).throttled(
        to: Int.random(in: 4_000_000...16_000_000, using: &random))
      // Some connections are lost in the middle.
      return Int.random(in: 0..<8, using: &random) == 0
        ? reply.cut(after: .random(in: 500...500_000, using: &random)) : reply
    }
    try await run(carrier, "scripted", Self.scripted) { origin.url("/f") }
    await origin.stop()
  }

  @Test(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"), arguments: Carrier.allCases)
  func `suspended at random instants, tasks have the same bytes as nginx has`(carrier: Carrier) async throws {
    try await TaskFixture.withFolder { folder in
      let path = folder + "/f"
      let file = try LocalFileSystem().open(path, [.write, .create])
      try Self.long.bytes(count: Int(Self.long.length)).withUnsafeBytes { try file.write($0, at: 0) }
      try file.setPermissions(0o644)
      try file.close()
      let nginx = try NginxFolder(folder)
      defer { nginx.stop() }
      try await run(carrier, "nginx", Self.long) { nginx.url("/f") }
    }
  }

  private func run(_ carrier: Carrier, _ server: String, _ resource: SeededResource, _ url: () -> URL) async throws {
    let (whole, rounds) = (resource.bytes(count: Int(resource.length)), Self.rounds)
    var random = SeededRandom(seed: 77)
    var tally = Tally()
    let retry = RetryPolicy(limit: 50, delay: .fixed(.zero))
    try await carrier.withSession { session in
      try await TaskFixture.withFolder { folder in
        for round in 0..<rounds {
          let pausing: PausePolicy =
            [.hold, .release(after: .zero), .release(after: .milliseconds(2))].randomElement(using: &random) ?? .hold
          let request = Request(.get, url())
          if Bool.random(using: &random) {
            let task = session.dataTask(request) { configuration in
              configuration.pausing = pausing
              configuration.retry = retry
            }
            await storm(task, &random, &tally)
            let data = try await task.value
            #expect([UInt8](data) == whole, "data task \(round)")
          } else {
            let path = folder + "/\(round)"
            let task = session.download(request, to: .file(path)) { configuration in
              configuration.pausing = pausing
              configuration.retry = retry
            }
            await storm(task, &random, &tally)
            _ = try await task.value
            #expect(try TaskFixture.contents(path) == whole, "download task \(round)")
            try LocalFileSystem().remove(path)
          }
        }
        #expect(try TaskFixture.names(in: folder) == [])
      }
    }
    #expect(tally.suspensions > rounds / 4)
    print(
      "figure: \(carrier.rawValue), \(server): \(rounds) tasks, \(tally.suspensions) suspensions, "
        + "\(tally.attempts) attempts, \(tally.ranges) with Range")
  }

  /// Suspends and resumes a task up to a hundred times, and waits until it is over.
  private func storm(_ task: SessionTask, _ random: inout SeededRandom, _ tally: inout Tally) async {
    task.resume()
    let most = tally.suspensions + 100
    while task.state != .completed, tally.suspensions < most {
      // Waits of all magnitudes, because other tests on a busy machine make each turn long.
      let turns = 1 << Int.random(in: 0...8, using: &random)
      for _ in 1..<turns where task.state != .completed { await Task.yield() }
      guard task.suspend() else { continue }
      tally.suspensions += 1
      switch Int.random(in: 0..<3, using: &random) {
      case 0: await task.halted()
      case 1: for _ in 0..<Int.random(in: 0...50, using: &random) { await Task.yield() }
      default: break
      }
      task.resume()
    }
    await task.settled()
    tally.attempts += task.attemptCount
    tally.ranges += task.attempts.count { $0.request?.headerFields[.range] != nil }
  }
}
