import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import HTTPTypes

/// Cancels requests at random times, before the connection and up to the body.
struct Cancels: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancels", abstract: "Requests that are cancelled at random instants.")

  @Argument(help: "A large resource.") var url: String
  @Option(help: "How many.") var count = 1_000
  @Option(help: "The latest instant, microseconds.") var latest = 12_000

  private enum Outcome { case cancelled, finished, failed }

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("cancels of \(url.prefix(5))")
    // The first round fills the pools; the second must leave nothing behind.
    var outcomes = await round(transport)
    try await Task.sleep(for: .milliseconds(500))
    let before = (ProcessFigures.descriptors, ProcessFigures.threads, ProcessFigures.currentMemory)
    outcomes += await round(transport)
    try await Task.sleep(for: .milliseconds(500))
    let after = (ProcessFigures.descriptors, ProcessFigures.threads, ProcessFigures.currentMemory)
    report.promise(!outcomes.contains(.failed), "\(outcomes.count { $0 == .failed }) ended in another error")
    report.note(
      "\(outcomes.count { $0 == .cancelled }) cancelled, \(outcomes.count { $0 == .finished }) read far enough first")
    // The connections of cancelled HTTP/2 streams stay open for the next request.
    report.promise(after.0 <= before.0 + 2, "descriptors \(before.0) → \(after.0)")
    report.promise(after.1 <= before.1, "threads \(before.1) → \(after.1)")
    report.promise(after.2 <= before.2 + 5, "memory \(before.2.short) → \(after.2.short) MB")
    await transport.shutdown()
    try report.finish()
  }

  private func round(_ transport: CurlTransport) async -> [Outcome] {
    await withTaskGroup(of: Outcome.self, returning: [Outcome].self) { group in
      var outcomes: [Outcome] = []
      for number in 0..<count {
        if number >= 32, let outcome = await group.next() { outcomes.append(outcome) }
        group.addTask { await one(number, transport) }
      }
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
  }

  private func one(_ number: Int, _ transport: CurlTransport) async -> Outcome {
    let url = url
    let task = Task { () -> Outcome in
      do {
        var request = try Request(.get, url)
        if number % 2 == 0 { request.options.delivery = .collected }
        let response = try await transport.send(request, in: Exchange(AcceptingTrust.settings))
        guard response.head.status.code == 200 else { return .failed }
        var count = 0
        for try await chunk in response.body {
          count += chunk.count
          if count > 50_000_000 { break }
        }
        return .finished
      } catch is CancellationError {
        return .cancelled
      } catch {
        print("\(error)")
        return .failed
      }
    }
    try? await Task.sleep(for: .microseconds(Int.random(in: 0...latest)))
    task.cancel()
    return await task.value
  }
}
