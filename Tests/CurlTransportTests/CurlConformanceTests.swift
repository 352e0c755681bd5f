import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite(.serialized) struct CurlConformanceTests {
  private static let identity = Result { try TestIdentity.authority().issue() }
  private static let plain = Task { try await OriginEndpoint.start() }
  private static let secure = Task { try await OriginEndpoint.start(tls: try identity.get()) }
  private static let nginx = Task { try await NginxEndpoint.start(try identity.get()) }

  /// What this transport does not do, each with its reason.
  private static let exclusions: [ConformanceRule: String] = [
    .cancelledStreamKeepsConnection:
      "libcurl tells the server of a cancelled stream only when it next writes, so a connection nobody else is on is closed"
  ]

  private static let record = ConformanceRecord(
    "libcurl \(CurlTransport.libraryVersion)", in: ProcessInfo.processInfo.environment["CURLEW_CONFORMANCE_RESULTS"])

  private func check(
    _ rule: ConformanceRule, at endpoint: any ConformanceEndpoint, _ version: VersionPolicy = .automatic
  ) async throws {
    let conformance = TransportConformance(
      endpoint: endpoint, excluding: Self.exclusions, recording: Self.record)
    if case .skipped(let reason) = try await conformance.check(rule, on: { try CurlTransport.speaking(version) }) {
      try Test.cancel("\(reason)")
    }
  }

  @Test(arguments: TransportConformance.rulesWithProxies)
  func `HTTP/1.1`(rule: ConformanceRule) async throws {
    try await check(rule, at: try await Self.plain.value)
  }

  @Test(arguments: TransportConformance.rulesWithProxies)
  func `HTTP/1.1 over TLS`(rule: ConformanceRule) async throws {
    try await check(rule, at: try await Self.secure.value)
  }

  @Test(
    .enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"),
    .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"),
    arguments: TransportConformance.rulesWithFrames)
  func `HTTP/2 through nginx`(rule: ConformanceRule) async throws {
    try await check(rule, at: try await Self.nginx.value, .http2)
  }
}
