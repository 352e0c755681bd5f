import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewSession
import CurlewTestSupport
import FoundationEssentials

/// Creates and releases sessions, used and unused, which must leave nothing behind.
struct Sessions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Sessions made and dropped, every second one of them used.")

  @Option(help: "How many.") var count = 10_000
  @Option(help: "How much more memory than after the first tenth may be taken, MB.") var memory = 4.0

  func run() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("well") }
    var report = Report("sessions")
    let url = origin.address("/")
    try await use(count / 10, url)
    let (threads, descriptors, before) = try await settledFigures(of: origin)
    try await use(count - count / 10, url)
    let after = try await settledFigures(of: origin)
    report.promise(after.threads <= threads, "\(after.threads) threads (\(threads) after the first tenth)")
    report.promise(after.descriptors <= descriptors, "\(after.descriptors) descriptors (\(descriptors))")
    report.promise(after.memory - before < memory, "\((after.memory - before).short) MB more (< \(memory.short))")
    report.promise(origin.counters.requests == count / 2, "\(origin.counters.requests) requests")
    await origin.stop()
    try report.finish()
  }

  private func use(_ count: Int, _ url: String) async throws {
    for index in 0..<count {
      let session = HTTPSession(SessionConfiguration(.made { try CurlTransport() }))
      if index % 2 == 0 { _ = try await session.get(url) as Data }
    }
  }

  /// Returns the figures once the threads of released sessions have ended.
  private func settledFigures(
    of origin: ScriptedOrigin
  ) async throws -> (threads: Int, descriptors: Int, memory: Double) {
    await origin.until { $0.connectionsOpen == 0 }
    var threads = ProcessFigures.threads
    for _ in 0..<100 {
      try await Task.sleep(for: .milliseconds(20))
      guard ProcessFigures.threads < threads else { break }
      threads = ProcessFigures.threads
    }
    return (ProcessFigures.threads, ProcessFigures.descriptors, ProcessFigures.currentMemory)
  }
}
