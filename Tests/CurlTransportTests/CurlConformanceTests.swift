import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import Testing

@Suite(.serialized) struct CurlConformanceTests {
  private static let plain = Task { try await OriginEndpoint.start() }

  /// What this transport does not do, each with its reason.
  private static let exclusions: [ConformanceRule: String] = [
    .truncatedCodingReported: "libcurl does not tell whether a coded stream reached its end"
  ]

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: try await Self.plain.value, excluding: Self.exclusions)
    if case .skipped(let reason) = try await conformance.check(rule, on: { try CurlTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
