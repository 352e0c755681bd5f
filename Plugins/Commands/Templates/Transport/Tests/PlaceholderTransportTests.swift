import CurlewCore
import CurlewTestSupport
import PlaceholderTransport
import Testing

@Suite(.serialized) struct PlaceholderTransportTests {
  /// What the transport does not do, each with its reason.
  private static let exclusions: [ConformanceRule.ID: String] = [:]  // Still to do: exclusions

  private static let endpoint = Task { try await OriginEndpoint.start() }

  /// Whether there is an engine; without it, every rule would fail for the same reason.
  private static let hasEngine = Result { try !PlaceholderTransport().capabilities.isEmpty }

  @Test func `there is an engine`() throws {
    #expect(try Self.hasEngine.get(), "Still to do: engine, and the capabilities it has")
  }

  @Test(.enabled(if: (try? hasEngine.get()) == true, "Still to do: engine"), arguments: TransportConformance.rules)
  func `a rule of transports is kept`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: try await Self.endpoint.value, excluding: Self.exclusions)
    if case .skipped(let reason) = try await conformance.check(rule, on: { try PlaceholderTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
