import CurlewCore
import CurlewTestSupport
import Testing

@Suite struct StubConformanceTests {
  private let endpoint = StubEndpoint()

  /// Rules that a stub does not keep, and why.
  private static let exclusions: [ConformanceRule: String] = [
    .totalTimeoutInBody: "the stub's timer is a task of its own, which may begin after time was passed by hand",
    .totalTimeoutOfSlowReader: "the stub's timer is a task of its own, which may begin after time was passed by hand",
  ]

  @Test(arguments: TransportConformance.rules)
  func `a stub keeps the rules that need no wire`(rule: ConformanceRule) async throws {
    let endpoint = endpoint
    let conformance = TransportConformance(endpoint: endpoint, excluding: Self.exclusions)
    if case .skipped(let reason) = try await conformance.check(rule, on: { endpoint.makeTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
