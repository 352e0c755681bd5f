import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for waiting for `100 Continue` (RFC 9110 §10.1.1).
  static let continueRules: [ConformanceRule] = [
    .continueObeyed, .continueNotNeeded, .refusedExpectationDelivered,
    .refusedExpectationHasBody,
  ]
}

extension ConformanceRule {
  package static let continueObeyed = ConformanceRule(
    "continue-obeyed", "a request that expects 100 Continue says so, and its body follows", source: "RFC 9110 §10.1.1",
    because: "A large body is spared if the server refuses the head.",
    capabilities: .expectContinue, features: .continues
  ) { kit in
    let place = kit.serve()
    var request = Request(.post, place.url(), body: .text("a body"))
    request.options.expectsContinue = true
    _ = try await kit.fetch(request)
    try kit.expectEqual(place.requests.first?.fields["Expect"]?.lowercased(), "100-continue", "the expectation")
    try kit.expectEqual(await place.requests.first?.content() ?? [], [UInt8]("a body".utf8), "the body")
  }

  package static let continueNotNeeded = ConformanceRule(
    "continue-not-needed", "a server that never sends 100 Continue receives the body nevertheless",
    source: "RFC 9110 §10.1.1",
    because: "A client must not wait indefinitely.",
    capabilities: .expectContinue, features: .continues
  ) { kit in
    let place = kit.serve(ConformanceAnswer(upload: .readFirstWithoutContinue))
    var request = Request(.post, place.url(), body: .text("a body"))
    request.options.expectsContinue = true
    _ = try await kit.fetch(request)
    try kit.expectEqual(await place.requests.first?.content() ?? [], [UInt8]("a body".utf8), "the body")
  }

  package static let refusedExpectationDelivered = ConformanceRule(
    "refused-expectation-delivered", "417 is delivered as a response, and the body is not sent",
    source: "RFC 9110 §15.5.18",
    because: "A server may reject an expectation with 417.",
    capabilities: [.expectContinue, .streamedUploads], features: [.continues, .earlyAnswers]
  ) { kit in
    let ahead: Int64 = 1 << 20
    var made: Int64 = 0
    // On a busy machine the server may be late, and a transport may rightly stop waiting for it; one that never waits fails each time.
    for _ in 0..<3 {
      let gate = OriginGate()
      let place = kit.serve(ConformanceAnswer(417, upload: .ignored, holdsHead: gate))
      let source = UploadSource(pieces: [.repeated(Data(count: 65_536), 64)])
      var request = Request(.post, place.url(), body: source.body(length: 4 << 20))
      request.options.expectsContinue = true
      // Who does not wait takes the next pieces within these milliseconds. Sleeps because waiting causes no event.
      let answering = Task {
        for _ in 0..<30 where source.made <= ahead { try? await Task.sleep(for: .milliseconds(10)) }
        gate.open()
      }
      let answer = try await kit.fetch(request)
      await answering.value
      try kit.expectEqual(answer.head.status.code, 417, "the status")
      made = source.made
      if made <= ahead { return }
    }
    throw ConformanceFailure("\(made) bytes of the body were taken; at most 1 MiB may be, ahead of the answer")
  }

  package static let refusedExpectationHasBody = ConformanceRule(
    "refused-expectation-has-body", "the body of a 417, or of another rejection, is delivered completely",
    source: "RFC 9110 §15.5.18",
    because: "The body of a 417 explains the refused expectation.",
    capabilities: .expectContinue, features: [.continues, .earlyAnswers]
  ) { kit in
    for status in [417, 401, 413] {
      let refusal = ConformanceAnswer(
        status, fields: ["Content-Type": "text/plain"], content: .bytes([UInt8]("it cannot be met".utf8)),
        upload: .ignored)
      let place = kit.serve(refusal)
      var request = Request(.put, place.url(), body: .bytes(Data(count: 1000)))
      request.options.expectsContinue = true
      let answer = try await kit.fetch(request)
      try kit.expectEqual(answer.head.status.code, status, "the status")
      try kit.expectEqual(answer.body, Data("it cannot be met".utf8), "the body of \(status)")
      try kit.expectEqual(place.requests.count, 1, "the number of requests")
    }
  }
}
