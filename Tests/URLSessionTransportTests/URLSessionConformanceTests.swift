import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import Testing

@Suite(.serialized) struct URLSessionConformanceTests {
  private static let plain = Task { try await OriginEndpoint.start() }

  /// What this transport does not do, each with its reason. Over TLS it could show nothing: the system's anchors decide,
  /// and they know no certificate of a test.
  static let exclusions: [ConformanceRule: String] = [
    .methodCaseKept: "Foundation writes `get` as `GET`, so that is refused",
    .hostFieldOfAddress: "Foundation refuses URLs whose host is an IPv6 address, so they are refused before",
    .fieldBytesKept: "Foundation's fields are text, so one that is not UTF-8 is refused",
    .bodyWithAnyMethod: "Foundation sends no content with GET, so that is refused",
    .reasonAsSent: "Foundation does not show the phrase",
    .responseFieldObsText: "Foundation refuses a head that is not UTF-8, so that is a protocolViolation",
    .responseFieldsInOrder: "Foundation shows a dictionary: order is lost, lines of one name are joined",
    .informationalAsEvents: "as above, in informational heads; ResponseTests checks the rest of the rule",
    .membersRead: "libcurl takes what follows the first member for an error",
    .truncatedCodingReported: "libcurl does not tell whether a coded stream reached its end",
    .cutHeadReported: "Foundation ends the process; see URLSessionTransport, what a server can do to it",
    .endlessTrailersRefused: "Foundation ends the process; see URLSessionTransport, what a server can do to it",
    .garbageReported: "Foundation takes `HTTP/x.y 200 OK` for 200; FailureTests checks the rest of the rule",
    .connectionReused: "a POST has a connection of its own, since libcurl would send it again unseen",
    .closedIdleConnectionReported: "a POST never is on a connection that was used before; UploadTests checks that",
    .idleBytesAreNoResponse: "libcurl 7.88 inside Foundation takes them for the next response",
    .idleRefusalIsNoResponse: "libcurl 7.88 inside Foundation takes it for the next response",
    .bytesBehindResponseDropped: "Foundation reports a POST behind such a response as lost while it was sent",
    .bytesBehindBodilessDropped: "Foundation reports a POST behind such a response as lost while it was sent",
    .bytesBehindRecordDropped: "Foundation reports a POST behind such a response as lost while it was sent",
    .foldedFramingNotMisread: "libcurl inside Foundation reads the first line of a folded field alone",
    .unnegotiatedVersionRefused: "Foundation does not show the version of a status line",
    .uploadToldBeforeHead: "Foundation sometimes loses an upload of megabytes on a busy machine; why is not known",
    .eventsCoalesced: "Foundation sometimes loses an upload of megabytes on a busy machine; why is not known",
    .notRepeated: "libcurl sends GET and DELETE again unseen; UploadTests checks what must not be repeated",
  ]

  private static let record = ConformanceRecord(
    "URLSession", in: ProcessInfo.processInfo.environment["CURLEW_CONFORMANCE_RESULTS"])

  @Test(arguments: TransportConformance.rules)
  func `HTTP/1.1`(rule: ConformanceRule) async throws {
    let conformance = TransportConformance(
      endpoint: try await Self.plain.value, excluding: Self.exclusions, recording: Self.record)
    if case .skipped(let reason) = try await conformance.check(rule, on: { URLSessionTransport() }) {
      try Test.cancel("\(reason)")
    }
  }
}
