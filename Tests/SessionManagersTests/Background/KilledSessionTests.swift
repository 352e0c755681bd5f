import CurlewCore
import CurlewDownload
import CurlewRequests
import CurlewSession
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// Processes with twenty downloads, which are killed at any instant and started again.
@Suite(.timeLimit(.minutes(30))) struct KilledSessionTests {
  /// How often processes are killed; `CURLEW_BACKGROUND_KILLS` sets another number.
  private static let kills = ProcessInfo.processInfo.environment["CURLEW_BACKGROUND_KILLS"].flatMap { Int($0) } ?? 3
  private static let count = 20
  private static let length: Int64 = 1_000_000

  private static func resource(_ number: Int) -> SeededResource { SeededResource(length: length, seed: UInt64(number)) }

  /// Runs a session in this process, which is a child.
  ///
  /// - Parameters:
  ///   - adds: Whether to add the downloads; otherwise an earlier process has added them.
  ///   - lifetime: After how many received bytes the process kills itself; nil runs to the end.
  private static func run(_ directory: String, _ origin: URL, adds: Bool, lifetime: Int64?) async throws {
    var names = ComponentNames()
    names[.log] = BackgroundHandler { end in
      // One write, so that the line is there or not whenever the process is killed.
      let (line, file) = (end.line + "\n", open(directory + "/log", O_WRONLY | O_APPEND | O_CREAT, 0o600))
      _ = line.withCString { write(file, $0, line.utf8.count) }
      close(file)
    }
    let manager = Fixture.manager(Carrier.curl.configuration)
    if let lifetime {
      let received = Guarded<Int64>(0)
      manager.hooks.downloadTaskDidWriteData = { _, _, bytes, _, _ in
        let count = received.withLock { received in
          received += bytes
          return received
        }
        guard count >= lifetime else { return }
        // Sleeps because a kill at any instant of the next milliseconds is what is tested.
        Thread.detachNewThread {
          usleep(.random(in: 0...20_000))
          kill(getpid(), SIGKILL)
        }
      }
    }
    let session = try await Fixture.background(directory, names, manager: manager)
    if adds {
      for number in 1...count {
        let request = Request(.get, origin.appending(path: "\(number)"))
        _ = try await session.downloadTask(with: request, to: .file("\(directory)/\(number)"), handler: .log)
      }
      for task in session.tasks { task.resume() }
    }
    // A process that dies within milliseconds of a resume may not have stored it.
    for task in session.tasks where task.state == .suspended { task.resume() }
    guard lifetime != nil else { return try await session.finished() }
    // With so little left that it is finished before, it dies at the end.
    try await session.finished()
    kill(getpid(), SIGKILL)
  }

  @Test func `twenty downloads whose process is killed again and again end as the right files`() async throws {
    var random = SeededRandom(seed: UInt64.random(in: 0 ... .max))
    var (killed, resumed, sent): (Int, Int, Int64) = (0, 0, 0)
    while killed < Self.kills {
      let origin = try await ScriptedOrigin.start { request in
        Self.resource(Int(request.path.dropFirst()) ?? 0).reply(to: request).throttled(to: 1_000_000)
      }
      try await Fixture.withDirectory { directory in
        let url = origin.url("/")
        for round in 0..<min(Int.random(in: 2...5, using: &random), Self.kills - killed) {
          // The first process lives long enough for its downloads to store something.
          let whole = Self.length * Int64(Self.count)
          let lifetime = Int64.random(in: (round == 0 ? whole / 3 : 1)...whole / 2, using: &random)
          await ServedChild.alone {
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [directory = directory as String, url = url as URL, round = round as Int, lifetime = lifetime as Int64] in
              try await Self.run(directory, url, adds: round == 0, lifetime: lifetime)
            }
          }
          killed += 1
        }
        await ServedChild.alone {
          await #expect(processExitsWith: .success) { [directory = directory as String, url = url as URL] in
            try await Self.run(directory, url, adds: false, lifetime: nil)
          }
        }
        for number in 1...Self.count {
          let bytes = FileManager.default.contents(atPath: "\(directory)/\(number)")
          #expect(bytes == Data(Self.resource(number).bytes(count: Int(Self.length))), "file \(number)")
        }
        let lines = try String(contentsOf: URL(filePath: directory + "/log"), encoding: .utf8).split(separator: "\n")
        let ends = Set((1...Self.count).map { "\($0) file \($0) \(Self.length)" })
        #expect(Set(lines.map(String.init)) == ends, "Each transfer has succeeded, and none has failed.")
        let names = ["birds.curlew-background", "log"] + (1...Self.count).map(String.init)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == names.sorted())
        let log = BackgroundLog()
        let session = try await Fixture.background(directory, log.names)
        #expect(session.tasks.isEmpty && log.lines.isEmpty)
        await session.close()
        resumed += origin.requests.count { $0["Range"] != nil }
        sent += origin.counters.bytesSent
      }
      await origin.stop()
    }
    #expect(resumed > 0, "No process was killed in the middle of a download.")
    FileHandle.standardError.write(
      Data("figure: \(killed) processes killed, \(resumed) downloads resumed, \(sent) bytes sent\n".utf8))
  }
}
