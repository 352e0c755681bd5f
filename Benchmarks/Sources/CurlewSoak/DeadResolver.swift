import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import HTTPTypes

/// Looks up names without an answer, while other transfers must not be delayed.
///
/// Run it where the resolver does not answer.
struct DeadResolver: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead-resolver", abstract: "Cancel and connect timeout while a name is being looked up.")

  @Argument(help: "A small resource by address.") var other: String

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("dead resolver")
    let other = try Request(.get, other)
    let gaps = Task { () -> Duration in
      var worst = Duration.zero
      while !Task.isCancelled {
        let start = ContinuousClock.now
        if let response = try? await transport.send(other, in: Exchange()) {
          _ = try? await response.body.collect(upTo: 1 << 20)
        }
        if !Task.isCancelled { worst = max(worst, ContinuousClock.now - start) }
      }
      return worst
    }
    try await Task.sleep(for: .milliseconds(300))
    let lookup = Task { try await transport.send(Request(.get, "http://one.example/"), in: Exchange()) }
    try await Task.sleep(for: .milliseconds(300))
    var start = ContinuousClock.now
    lookup.cancel()
    let outcome = await lookup.result
    let cancelled = ContinuousClock.now - start
    if case .failure(let error) = outcome {
      report.promise(error is CancellationError, "cancel ends in \(type(of: error))")
    }
    report.promise(cancelled < .milliseconds(350), "in \(cancelled.milliseconds.short) ms (< 350)")
    var request = try Request(.get, "http://two.example/")
    request.options.timeouts.connect = .milliseconds(300)
    start = ContinuousClock.now
    do {
      _ = try await transport.send(request, in: Exchange())
    } catch let error as NetworkError {
      report.promise(error.kind == .connectTimedOut, "timeout of 300 ms ends in \(error.kind.rawValue)")
    }
    let timedOut = ContinuousClock.now - start
    report.promise(timedOut < .milliseconds(350), "in \(timedOut.milliseconds.short) ms (< 350)")
    gaps.cancel()
    let worst = await gaps.value
    report.promise(worst < .milliseconds(50), "longest pause of others \(worst.milliseconds.short) ms (< 50)")
    await transport.shutdown()
    try report.finish()
  }
}
