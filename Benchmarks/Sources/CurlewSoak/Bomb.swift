import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import HTTPTypes

/// A few bytes that inflate to 100 MB, read slowly.
struct Bomb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bomb", abstract: "A few coded bytes that inflate to 100 MB of zeros, read slowly.")

  @Argument(help: "The coded resource.") var url: String

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("bomb")
    let response = try await transport.send(Request(.get, url), in: Exchange())
    var count = 0
    do {
      for try await chunk in response.body {
        count += chunk.count
        try await Task.sleep(for: .milliseconds(20))
      }
      report.promise(count == 104_857_600, "all of it (\(count) bytes)")
    } catch let error as NetworkError {
      report.promise(error.kind == .bufferLimitExceeded, "\(error.kind.rawValue) after \(count) bytes")
    }
    report.promise(ProcessFigures.peakMemory < 60, "peak memory \(ProcessFigures.peakMemory.short) MB (< 60.0)")
    await transport.shutdown()
    try report.finish()
  }
}
