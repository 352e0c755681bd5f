import ArgumentParser
import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Reads a small body slowly that decodes to 100 MB.
struct Bomb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bomb", abstract: "A few coded bytes that inflate to 100 MB of zeros, read slowly.")

  @Argument(help: "The coded resource.") var url: String

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("bomb")
    // Within the limits it is ordinary content, and at most one decoded piece is in memory.
    let (count, ended) = try await read(transport, ContentDecodingLimits())
    report.promise(count == 104_857_600 && ended == nil, "all of it (\(count) bytes)")
    var limits = ContentDecodingLimits()
    limits.allowance = 10_000_000
    let (some, kind) = try await read(transport, limits)
    report.promise(
      kind == .decodingLimitExceeded && some <= 10_000_000, "\(kind?.rawValue ?? "no error") after \(some) bytes")
    report.promise(ProcessFigures.peakMemory < 60, "peak memory \(ProcessFigures.peakMemory.short) MB (< 60.0)")
    await transport.shutdown()
    try report.finish()
  }

  /// Reads the body slowly; returns the number of bytes, and the error if there was one.
  private func read(
    _ transport: CurlTransport, _ limits: ContentDecodingLimits
  ) async throws -> (Int, NetworkError.Kind?) {
    let loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding(limits: limits)))
    let response = try await loader.load(Request(.get, url))
    var count = 0
    do {
      for try await chunk in response.body {
        count += chunk.count
        try await Task.sleep(for: .milliseconds(5))
      }
      return (count, nil)
    } catch let error as NetworkError {
      return (count, error.kind)
    }
  }
}
