import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for finding the end of a response's body.
  static let framingRules: [ConformanceRule] = [
    .bodyByLength, .bodyByChunks, .bodyByClose, .bodyOfHTTP10, .emptyBody, .noBodyByStatus, .noBodyForHead,
    .expectedLengthTold, .largeBodyWhole, .trailersAtTheEnd, .noTrailersIsNil, .trickledBodyWhole,
  ]
}

extension ConformanceRule {
  package static let bodyByLength = ConformanceRule(
    "body-by-length", "a body with a length is delivered completely", source: "RFC 9112 §6.2",
    because: "A `Content-Length` ends the body."
  ) {
    kit in
    for count in [1, 1000, 65_536, 300_001] as [Int64] {
      try await kit.expectBody(.pattern(count))
    }
  }

  package static let bodyByChunks = ConformanceRule(
    "body-by-chunks", "a chunked body is delivered completely", source: "RFC 9112 §7.1",
    because: "The last chunk ends the body.", features: .framings
  ) { kit in
    for size in [1, 7, 4096, 100_000] {
      try await kit.expectBody(
        ConformanceAnswer(
          content: .pattern(.seeded(2), count: size < 100 ? 700 : 100_001), framing: .chunked(size: size)))
    }
    try await kit.expectBody(ConformanceAnswer(framing: .chunked(size: 1)))
  }

  package static let bodyByClose = ConformanceRule(
    "body-by-close", "a body that ends with the connection is delivered completely", source: "RFC 9112 §6.3",
    because: "Without any framing the connection's end ends the body.", features: .framings
  ) { kit in
    try await kit.expectBody(ConformanceAnswer(content: .pattern(.seeded(2), count: 100_001), framing: .close))
    try await kit.expectBody(ConformanceAnswer(framing: .close))
  }

  package static let bodyOfHTTP10 = ConformanceRule(
    "body-of-http10", "an HTTP/1.0 answer is understood", source: "RFC 9110 §2.5",
    because: "Clients understand HTTP/1.0.", features: .framings
  ) { kit in
    try await kit.expectBody(ConformanceAnswer(content: .pattern(.seeded(2), count: 5000), framing: .http10))
  }

  package static let emptyBody = ConformanceRule(
    "empty-body", "a body without bytes ends at once", source: "RFC 9110 §8.6",
    because: "A body may have no bytes."
  ) { kit in
    try await kit.expectBody(ConformanceAnswer())
  }

  package static let noBodyByStatus = ConformanceRule(
    "no-body-by-status", "204 and 304 have no body", source: "RFC 9112 §6.3",
    because: "204 and 304 end with their head, whatever they announce."
  ) { kit in
    for status in [204, 304] {
      let place = kit.serve(ConformanceAnswer(status, fields: ["ETag": "\"1\""]))
      let answer = try await kit.fetch(place)
      try kit.expectEqual(answer.head.status.code, status, "the status")
      try kit.expectEqual(answer.body, Data(), "the body of \(status)")
    }
    guard kit.endpoint.features.contains(.rawReplies) else { return }
    let place = kit.serve(ConformanceAnswer(304, fields: ["Content-Length": "1000"]))
    try kit.expectEqual(try await kit.fetch(place).body, Data(), "the body of a 304 with a length")
  }

  package static let noBodyForHead = ConformanceRule(
    "no-body-for-head", "HEAD has no body, whatever is announced", source: "RFC 9110 §9.3.2",
    because: "A response to HEAD has no body."
  ) {
    kit in
    let place = kit.serve(.pattern(12_345))
    let answer = try await kit.fetch(Request(.head, place.url()))
    try kit.expectEqual(answer.head.headerFields[.contentLength], "12345", "the announced length")
    try kit.expectEqual(answer.body, Data(), "the body")
    _ = try await kit.fetch(kit.serve())
  }

  package static let expectedLengthTold = ConformanceRule(
    "expected-length-told", "the expected length is that of the body, and nil when none was announced",
    source: "ResponseHead",
    because: "Progress and disk space are planned with it."
  ) { kit in
    try kit.expectEqual(try await kit.fetch(kit.serve(.pattern(4321))).head.expectedLength, 4321, "the expected length")
    guard kit.endpoint.features.contains(.framings) else { return }
    let chunked = kit.serve(ConformanceAnswer(content: .bytes([1]), framing: .chunked(size: 10)))
    try kit.expectEqual(try await kit.fetch(chunked).head.expectedLength, nil, "the expected length in chunks")
  }

  package static let largeBodyWhole = ConformanceRule(
    "large-body-whole", "a body of 8 MiB is delivered completely", source: "RFC 9110 §6.4",
    because: "Bytes are lost most easily where buffers are handed over."
  ) {
    kit in
    try await kit.expectBody(.pattern(8 << 20))
  }

  package static let trailersAtTheEnd = ConformanceRule(
    "trailers-at-the-end", "trailers are available after the end of the body, not before", source: "RFC 9110 §6.5",
    because: "Trailers arrive after the body.", capabilities: .trailers,
    features: .trailers
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(
      ConformanceAnswer(
        fields: ["Trailer": "X-Sum"], content: .bytes([UInt8]("hello".utf8)), framing: .chunked(size: 2),
        trailers: ["X-Sum": "1", "X-Sum": "2"], holdsContent: .init(after: 4, gate)))
    let response = try await kit.send(Request(.get, place.url()))
    try kit.expect(response.body.trailers == nil, "there were trailers before the end of the body")
    gate.open()
    try kit.expectEqual(try await kit.collect(response.body, upTo: 100), Data("hello".utf8), "the body")
    guard let name = HTTPField.Name("X-Sum") else { return }
    try kit.expectEqual(response.body.trailers?[values: name], ["1", "2"], "the trailers")
    try kit.expectEqual(response.head.headerFields[name], nil, "the trailer among the header fields")
  }

  package static let noTrailersIsNil = ConformanceRule(
    "no-trailers-is-nil", "a response without trailers has none", source: "ResponseBody",
    because: "A reader must be able to tell no trailers from empty ones."
  ) {
    kit in
    let response = try await kit.send(Request(.get, kit.serve().url()))
    _ = try await kit.collect(response.body, upTo: 100)
    try kit.expect(response.body.trailers?.isEmpty ?? true, "there were trailers")
  }

  package static let trickledBodyWhole = ConformanceRule(
    "trickled-body-whole", "bytes that have arrived are delivered although more will follow", source: "Transport",
    because: "Events and lines must arrive when they are sent, not when a buffer is full."
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(
      ConformanceAnswer(content: .bytes([UInt8]("hello, world".utf8)), holdsContent: .init(after: 5, gate)))
    let response = try await kit.send(Request(.get, place.url()))
    var iterator = response.body.makeAsyncIterator()
    var seen = Data()
    while seen.count < 5, let chunk = try await iterator.next() { seen += chunk }
    try kit.expectEqual(seen, Data("hello".utf8), "the bytes before the pause")
    gate.open()
    while let chunk = try await iterator.next() {
      try kit.expect(!chunk.isEmpty, "a chunk was empty")
      seen += chunk
    }
    try kit.expectEqual(seen, Data("hello, world".utf8), "the body")
  }
}

extension ConformanceKit {
  /// Fetches an answer twice and checks its bytes.
  ///
  /// The second answer shows that the end of the first was found.
  fileprivate func expectBody(_ answer: ConformanceAnswer) async throws {
    let place = serve(answer)
    let wanted = Data(answer.content.all)
    for _ in 0..<2 {
      let body = try await fetch(place).body
      try expect(body == wanted, "\(body.count) bytes came, not the \(wanted.count) that were sent")
    }
  }
}
