import CurlewCore
import CurlewCurlTransport
import CurlewHAR
import CurlewReplay
import CurlewTestSupport
import Foundation
import Testing

/// Sends each request with a real transport, records it, and answers with a replay of the recording.
///
/// So an origin sees the request, and a rule the replayed response.
private struct ReplayingAtOnce: Transport {
  let live: any Transport

  var capabilities: TransportCapabilities { live.capabilities }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let path = NSTemporaryDirectory() + "/curlew-replay-\(UUID().uuidString).har"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = ReplayTransport.Options()
    // Everything is recorded, so that everything can be compared.
    options.recording.redaction = nil
    options.recording.bodyLimit = 8 << 20
    options.capabilities = live.capabilities
    let recorder = try HARRecordingTransport(live, to: path, options: options.recording)
    do {
      let settings = exchange.derived(freshConnection: exchange.requiresFreshConnection) { $0.observers = [] }
      for try await _ in try await recorder.send(request, in: settings).body {}
    } catch let error as CancellationError {
      throw error
    } catch {
      // The recording has the error.
    }
    return try await ReplayTransport(path, options: options).send(request, in: exchange)
  }

  func shutdown() async { await live.shutdown() }
}

@Suite struct ReplayConformanceTests {
  private static let endpoint = Task { try await OriginEndpoint.start() }

  static let topics: Set<String> = ["Requests", "Responses", "Framing", "Odd framing", "Content codings", "Faults"]
  static let rules = TransportConformance.topics.filter { topics.contains($0.name) }.flatMap(\.rules)

  /// Rules that a replay cannot keep, with their reasons.
  private static let exclusions: [ConformanceRule.ID: String] = [
    "response-field-obs-text": "a HAR is JSON, whose text cannot have bytes that are not UTF-8",
    "head-before-body": atOnce, "trailers-at-the-end": atOnce, "trickled-body-whole": atOnce,
  ]
  private static let atOnce =
    "here a recording is made before it is replayed, so nothing comes before the body has ended"

  @Test(arguments: rules)
  func `a replay of its own recording keeps the rule`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(
      endpoint: try await Self.endpoint.value, excluding: Self.exclusions, timeLimit: .seconds(5))
    if case .skipped(let reason) = try await conformance.check(
      rule, on: { try ReplayingAtOnce(live: CurlTransport.curl()) })
    {
      try Test.cancel("\(reason)")
    }
  }
}
