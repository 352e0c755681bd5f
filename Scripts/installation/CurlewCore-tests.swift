// The rules for transports, against an endpoint without sockets.
import CurlewTestSupport
import Pigeon
import Testing

struct PigeonTransportTests {
  static let endpoint = StubEndpoint()
  static let exclusions = [
    "total-timeout-in-body": "the stub's timer is a task of its own",
    "total-timeout-of-slow-reader": "the stub's timer is a task of its own",
  ]

  @Test(arguments: TransportConformance.rules) func keeps(_ rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: Self.endpoint, excluding: Self.exclusions)
    let outcome = try await conformance.check(rule, on: { PigeonTransport(Self.endpoint.makeTransport()) })
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }
}
