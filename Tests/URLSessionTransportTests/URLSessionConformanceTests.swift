import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import Testing

@Suite(.serialized) struct URLSessionConformanceTests {
  private static let plain = Task { try await OriginEndpoint.start() }

  /// What this transport does not do, each with its reason.
  static let exclusions: [ConformanceRule: String] = [
    .methodCaseKept: "Foundation writes `get` as `GET`, so that is refused",
    .hostFieldOfAddress: "Foundation refuses URLs whose host is an IPv6 address, so they are refused before",
    .fieldBytesKept: "Foundation's fields are text, so one that is not UTF-8 is refused",
    .bodyWithAnyMethod: "Foundation sends no content with GET, so that is refused",
    .reasonAsSent: "Foundation does not show the phrase",
    .responseFieldsInOrder: "Foundation shows a dictionary",
    .cutHeadReported: "Foundation traps (FoundationTrapTests)",
    .endlessTrailersRefused: "Foundation traps (FoundationTrapTests)",
  ]

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(endpoint: try await Self.plain.value, excluding: Self.exclusions)
    if case .skipped(let reason) = try await conformance.check(rule, on: { URLSessionTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
