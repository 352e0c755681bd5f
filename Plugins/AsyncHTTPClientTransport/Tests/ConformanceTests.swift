import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewTestSupport
import Testing

@Suite(.serialized) struct ConformanceTests {
  /// What this transport does not do, each with its reason.
  static let exclusions: [ConformanceRule.ID: String] = [
    "field-bytes-kept": "AsyncHTTPClient's fields are text, so a value that is not UTF-8 is refused with `unsupported`",
    "reason-as-sent": "SwiftNIO keeps no phrase of a registered status",
  ]

  private static let identity = Result { try TestIdentity.authority().issue() }
  private static let plain = Task { try await OriginEndpoint.start() }
  private static let secure = Task { try await OriginEndpoint.start(tls: try identity.get()) }

  private func check(_ rule: ConformanceRule, at endpoint: OriginEndpoint) async throws {
    let conformance = TransportConformance(endpoint: endpoint, excluding: Self.exclusions)
    if case .skipped(let reason) = try await conformance.check(rule, on: { AsyncHTTPClientTransport() }) {
      try Test.cancel("\(reason)")
    }
  }

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1`(rule: ConformanceRule) async throws { try await check(rule, at: try await Self.plain.value) }

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1 over TLS`(rule: ConformanceRule) async throws {
    try await check(rule, at: try await Self.secure.value)
  }
}
