import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for servers that send without end.
  static let limitRules: [ConformanceRule] = [
    .longHeadRefused, .headerFloodRefused, .informationalStormRefused, .endlessStatusLineRefused,
    .endlessTrailersRefused,
  ]
}

extension ConformanceRule {
  private static let start = "HTTP/1.1 200 OK\r\n"

  package static let longHeadRefused = ConformanceRule(
    "long-head-refused", "an endless field ends in headerLimitExceeded", source: "RFC 9110 §5.4",
    because: "A head must not exhaust memory.", features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw(start + "X-Long: ", endless: "0123456789abcdef"))
    try await kit.expectError(.headerLimitExceeded, "an endless field") {
      _ = try await kit.send(Request(.get, place.url()))
    }
  }

  package static let headerFloodRefused = ConformanceRule(
    "header-flood-refused", "endless fields end in headerLimitExceeded", source: "RFC 9110 §5.4",
    because: "Many small fields cost more memory than one long field.", features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw(start, endless: "A: b\r\n"))
    try await kit.expectError(.headerLimitExceeded, "endless fields") {
      _ = try await kit.send(Request(.get, place.url()))
    }
  }

  package static let informationalStormRefused = ConformanceRule(
    "informational-storm-refused", "endless 1xx heads end in headerLimitExceeded", source: "RFC 9110 §15.2",
    because: "Informational heads must not evade the limit.", features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw("", endless: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"))
    try await kit.expectError(.headerLimitExceeded, "endless heads") {
      _ = try await kit.send(Request(.get, place.url()))
    }
  }

  package static let endlessStatusLineRefused = ConformanceRule(
    "endless-status-line-refused", "an endless status line ends in an error", source: "RFC 9112 §4",
    because: "A line without an end must not exhaust memory.", features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw("HTTP/1.1 200 ", endless: "OK OK OK OK OK OK"))
    try await kit.expectError([.headerLimitExceeded, .protocolViolation], "an endless line") {
      _ = try await kit.send(Request(.get, place.url()))
    }
  }

  package static let endlessTrailersRefused = ConformanceRule(
    "endless-trailers-refused", "endless trailers end in an error", source: "RFC 9110 §6.5",
    because: "Trailers count in the same limit as header fields.", features: .rawReplies
  ) { kit in
    let head = start + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    let place = kit.serve(.raw(head, endless: "A: b\r\n"))
    try await kit.expectError([.headerLimitExceeded, .protocolViolation], "endless trailers") {
      _ = try await kit.fetch(place)
    }
  }
}
