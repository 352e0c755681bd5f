import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import Testing

@Suite(.serialized) struct CurlConformanceTests {
  private static let plain = Task { try await OriginEndpoint.start() }

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: try await Self.plain.value)
    if case .skipped(let reason) = try await conformance.check(rule, on: { try CurlTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
