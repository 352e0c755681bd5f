#if AsyncHTTPClient
import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct ConformanceTests {
  /// What this transport does not do, each with its reason.
  private static let exclusions: [ConformanceRule.ID: String] = [
    "field-bytes-kept": "AsyncHTTPClient's fields are text, so a value that is not UTF-8 is refused with `unsupported`",
    "response-field-obs-text": "SwiftNIO reads fields as UTF-8 text, so a byte that is not UTF-8 arrives as U+FFFD",
    "reason-as-sent": "SwiftNIO keeps no phrase of a registered status",
  ]

  /// The rules that need a capability that the transport lacks; it refuses what needs one.
  private static let beyondCapabilities: Set<ConformanceRule.ID> = [
    "continue-obeyed", "continue-not-needed", "refused-expectation-delivered", "refused-expectation-has-body",
    "rate-limit-kept", "rate-limit-of-upload-kept",
  ]

  /// The rules of two-way connections, which it does not open.
  private static let twoWay = TransportConformance.rules.filter { $0.capabilities.contains(.duplex) }.map(\.id)

  /// The rules that need an HTTP/2 server; `HTTP2Tests` checks them.
  private static let overHTTP2: Set<ConformanceRule.ID> = [
    "streams-share-connection", "cancelled-stream-keeps-connection", "streamed-bodies-apart",
  ]

  private static let record = ConformanceRecord(
    "AsyncHTTPClient", in: ProcessInfo.processInfo.environment["CURLEW_CONFORMANCE_RESULTS"])

  /// Checks every rule, and that exactly the named ones are skipped.
  private func check(at endpoint: OriginEndpoint, alsoSkipping skipped: Set<ConformanceRule.ID>) async throws {
    let report = try await TransportConformance(
      endpoint: endpoint, excluding: Self.exclusions, recording: Self.record
    ).run { AsyncHTTPClientTransport() }
    let expected = skipped.union(Self.exclusions.keys).union(Self.beyondCapabilities).union(Self.overHTTP2)
      .union(Self.twoWay)
    let found = Set(report.skipped.map(\.rule.id))
    #expect(found == expected, "\(report)")
    #expect(report.passed.count == TransportConformance.rules.count - expected.count)
  }

  @Test func `every rule of transports but the named ones is kept over HTTP/1.1`() async throws {
    let endpoint = try await OriginEndpoint.start()
    try await check(
      at: endpoint,
      alsoSkipping: [
        "untrusted-by-default", "refused-trust-sends-nothing", "trust-seen-once-per-connection", "trust-sees-chain",
        "keys-never-share-connections", "refusal-after-acceptance", "handshake-timeout-kept",
        "connect-timeouts-run-together",
      ])
    await endpoint.stop()
  }

  @Test func `every rule of transports but the named ones is kept over TLS`() async throws {
    let endpoint = try await OriginEndpoint.start(tls: try TestIdentity.authority().issue())
    try await check(at: endpoint, alsoSkipping: ["host-field-of-address", "plain-http-refused"])
    await endpoint.stop()
  }
}
#endif
