import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import HTTPTypes

/// Reads bodies slowly, and one fast: backpressure must reach the socket.
struct SlowReaders: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slow-readers", abstract: "Bodies whose readers sleep, and one whose reader does not.")

  @Argument(help: "A large resource.") var url: String
  @Option(help: "How many readers sleep.") var readers = 1
  @Option(help: "For how many seconds.") var seconds = 10.0
  @Option(help: "The most memory, MB.") var memory = 40.0
  @Flag(help: "Whether one more reads as fast as it can, and once alone before.") var fast = false

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("\(readers) slow readers\(fast ? " beside a fast one" : "") of \(url.prefix(5))")
    let alone = fast ? try await Self.fetch(url, over: transport) : .zero
    let beside = await withTaskGroup(of: Duration?.self) { group in
      for _ in 0..<readers { group.addTask { await Self.sleepThrough(url, seconds, over: transport) } }
      if fast {
        group.addTask {
          try? await Task.sleep(for: .milliseconds(500))
          return try? await Self.fetch(url, over: transport)
        }
      }
      return await group.reduce(nil) { $0 ?? $1 }
    }
    report.promise(
      ProcessFigures.peakMemory < memory, "peak memory \(ProcessFigures.peakMemory.short) MB (< \(memory.short))")
    if fast {
      let ratio = (beside?.milliseconds ?? .infinity) / alone.milliseconds
      report.promise(ratio < 2, "the fast one took \(ratio.short) times as long as alone (< 2.0)")
    }
    await transport.shutdown()
    try report.finish()
  }

  private static func sleepThrough(_ url: String, _ seconds: Double, over transport: CurlTransport) async -> Duration? {
    let end = ContinuousClock.now + .seconds(seconds)
    do {
      let response = try await transport.send(Request(.get, url), in: Exchange(AcceptingTrust.settings))
      guard response.head.status.code == 200 else { throw ExitCode.failure }
      for try await _ in response.body {
        try await Task.sleep(for: .milliseconds(20))
        if ContinuousClock.now > end { break }
      }
    } catch {
      print("a slow reader ended in: \(error)")
    }
    return nil
  }

  private static func fetch(_ url: String, over transport: CurlTransport) async throws -> Duration {
    let start = ContinuousClock.now
    let response = try await transport.send(Request(.get, url), in: Exchange(AcceptingTrust.settings))
    for try await _ in response.body {}
    return ContinuousClock.now - start
  }
}
