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

  var capabilities: TransportCapabilities { live.capabilities.subtracting(.duplex) }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let path = NSTemporaryDirectory() + "/curlew-replay-\(UUID().uuidString).har"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = ReplayTransport.Options()
    // Everything is recorded, so that everything can be compared.
    options.recording.redaction = nil
    options.recording.bodyLimit = 64 << 20
    options.capabilities = capabilities
    let recorder = try HARRecordingTransport(Unending(live), to: path, options: options.recording)
    do {
      // Another request for those who count, so that only the replay is one.
      var settings = exchange.settings
      settings.observers = []
      let live = Exchange(settings).derived(freshConnection: exchange.requiresFreshConnection)
      for try await _ in try await recorder.send(request, in: live).body {}
    } catch let error as CancellationError {
      throw error
    } catch {
      // The recording has the error.
    }
    await recorder.shutdown()
    return try await ReplayTransport(path, options: options).send(request, in: exchange)
  }

  func shutdown() async { await live.shutdown() }
}

@Suite struct ReplayConformanceTests {
  private static let endpoint = Task { try await OriginEndpoint.start() }

  static let rules = TransportConformance.rules

  /// Rules that a replay cannot keep, or that cannot be checked on one, by their reasons.
  private static let exclusions: [String: [ConformanceRule.ID]] = [
    "a HAR is JSON, whose text cannot have bytes that are not UTF-8": ["response-field-obs-text"],
    // The same transport records and replays here, one after the other, so that an origin sees the request and a rule the replay.
    "a recording is made before it is replayed, so nothing comes before the body has ended": [
      "head-before-body", "trailers-at-the-end", "trickled-body-whole", "early-answer-delivered",
      "answer-while-uploading", "collect-keeps-limit", "drain-sink-error", "cancelled-by-sink", "dropped-body-cancels",
      "cancelled-body-throws", "nothing-late", "cancellation-recorded-once", "shut-down-ends-bodies", "nothing-left",
      "idle-timeout-stands-still",
    ],
    "what is recorded is read at once, whatever the reader of the replay does": [
      "unread-body-stays-outside", "slow-reader-holds-server", "waiting-sink-holds-server", "pause-holds-stream",
    ],
    "the source of the body can be read once, and the transport that is recorded has read it": [
      "stream-with-length", "stream-chunked", "empty-chunks-passed-over", "longer-stream-refused",
      "shorter-stream-refused", "failing-source-reported", "large-upload-arrives", "upload-waits-for-reader",
      "refused-expectation-delivered", "idle-timeout-of-upload", "bytes-counted", "progress-never-falls",
      "events-coalesced", "upload-told-before-head", "pause-holds-upload", "shut-down-ends-uploads",
    ],
    "a replay makes no connection, so it has no phases of one": ["phases-measured"],
  ]

  @Test(arguments: rules)
  func `a replay of its own recording keeps the rule`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(
      endpoint: try await Self.endpoint.value,
      excluding: Dictionary(
        uniqueKeysWithValues: Self.exclusions.flatMap { reason, rules in rules.map { ($0, reason) } }))
    if case .skipped(let reason) = try await conformance.check(
      rule, on: { try ReplayingAtOnce(live: CurlTransport.curl()) })
    {
      try Test.cancel("\(reason)")
    }
  }

  @Test(arguments: rules)
  func `a transport that is recorded keeps the rule`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: try await Self.endpoint.value)
    let recorded: @Sendable () throws -> any Transport = {
      let path = NSTemporaryDirectory() + "/curlew-recorded-\(UUID().uuidString).har"
      defer { unlink(path) }
      return try HARRecordingTransport(CurlTransport.curl(), to: path)
    }
    if case .skipped(let reason) = try await conformance.check(rule, on: recorded) { try Test.cancel("\(reason)") }
  }
}
