import CurlewCore
package import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// All rules, including those that need a proxy, and those for endpoints that choose HTTP/2 frames.
  package static let rulesWithFrames: [ConformanceRule] = rulesWithProxies + streamRules

  /// The rules about HTTP/2 streams that end abnormally.
  package static let streamRules: [ConformanceRule] = [
    .resetInBodyReported, .resetBeforeHeadOfStreamReported, .refusedStreamNotProcessed, .goAwayNotProcessed,
    .http11RequiredReported, .malformedHeadOfStreamReported, .brokenFramesReported, .goAwayLetsStreamEnd,
    .goAwayInBodyReported, .lostStreamReported, .streamLengthChecked, .cutHeadOfStreamReported,
    .earlyAnswerOfStream, .headerLimitOfStream, .trailersOfStream, .hungHandshakeHoldsUpNoOther,
    .idleSiblingsLeft,
  ]
}

extension ConformanceRule {
  static func rule(
    _ id: String, _ sentence: String, check: @escaping @Sendable (ConformanceKit) async throws -> Void
  ) -> ConformanceRule {
    ConformanceRule(id, sentence, capabilities: .http2, features: .frames, check: check)
  }

  /// A response is complete only with END_STREAM (RFC 9113 §8.1).
  ///
  /// NO_ERROR only means that the client may stop sending.
  package static let resetInBodyReported = rule(
    "reset-in-body-reported", "over HTTP/2 a stream that is reset in its body ends in an error, whatever its code"
  ) { kit in
    let kinds: [NetworkError.Kind] = [.streamReset, .truncatedBody]
    for code in [FrameError.noError, .cancel, .internalError] {
      let beginnings: [[FrameStep]] = [
        [.head(200)], [.head(200), .content(some)], [.head(200, ["content-length": "5000"]), .content(some)],
      ]
      for beginning in beginnings {
        let gate = OriginGate()
        let count = beginning.count > 1 ? some.utf8.count : 0
        let origin = try kit.serveFrames { _ in beginning + [.wait(for: gate), .reset(code)] }
        let response = try await kit.send(kit.overHTTP2(.get, origin.url))
        var received = 0
        try await kit.expectError(kinds, "a reset with \(code) after \(count) bytes") {
          var chunks = response.body.makeAsyncIterator()
          while received < count, let chunk = try await chunks.next() { received += chunk.count }
          gate.open()
          while let chunk = try await chunks.next() { received += chunk.count }
        }
        try kit.expectEqual(received, count, "the number of bytes before the reset")
      }
      let atOnce = try kit.serveFrames { _ in [.head(200), .content(some), .reset(code)] }
      try await kit.expectError(kinds, "head, content and a reset with \(code) at once") {
        _ = try await kit.fetch(kit.overHTTP2(.get, atOnce.url))
      }
    }
  }

  /// A stream that closes without a head is not a response (RFC 9113 §8.1).
  package static let resetBeforeHeadOfStreamReported = rule(
    "reset-before-head-of-stream-reported",
    "over HTTP/2 a stream that is reset before its head ends in streamReset, with its code"
  ) { kit in
    for code in [FrameError.noError, .protocolError, .internalError, .cancel, .enhanceYourCalm] {
      for method in [HTTPRequest.Method.get, .post] {
        let origin = try kit.serveFrames { _ in [.waitForUpload(nil), .reset(code)] }
        let error = try await kit.expectError(.streamReset, "a \(method) reset with \(code)") {
          _ = try await kit.fetch(kit.overHTTP2(method, origin.url, method == .get ? .empty : .text("a")))
        }
        try kit.expectEqual(error.details.streamErrorCode, Int(code.rawValue), "the code of a \(method)")
        try kit.expect(error.maybeProcessed, "after \(code) the error says that the server cannot have processed it")
        try kit.expectEqual(origin.requests.count, 1, "the number of requests")
        try kit.expectEqual(origin.acceptedConnections, 1, "the number of connections")
      }
    }
  }

  /// Streams up to the last one of GOAWAY continue to their end (RFC 9113 §6.8).
  package static let goAwayLetsStreamEnd = rule(
    "goaway-lets-stream-end", "a stream that GOAWAY includes is delivered completely"
  ) { kit in
    let origin = try kit.serveFrames { _ in
      [.head(200), .content(some), .goAway(), .content("tail", ends: true), .close()]
    }
    let (_, body) = try await kit.fetch(kit.overHTTP2(.get, origin.url))
    try kit.expectEqual(body, Data((some + "tail").utf8), "the body")
  }

  /// A body is complete or ends in an error, even after GOAWAY.
  package static let goAwayInBodyReported = rule(
    "goaway-in-body-reported", "a body that GOAWAY excludes ends in an error"
  ) { kit in
    let origin = try kit.serveFrames { _ in [.head(200), .content(some), .goAway(lastStream: 0), .close()] }
    try await kit.expectError([.streamReset, .truncatedBody, .connectionLost], "a body behind GOAWAY") {
      _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
    }
  }

  /// A lost connection is not the end of a response (RFC 9113 §8.1).
  package static let lostStreamReported = rule(
    "lost-stream-reported", "over HTTP/2 a connection that ends in a body, or before it, ends in an error"
  ) { kit in
    for notified in [true, false] {
      let told = notified ? "told" : "untold"
      for steps in [
        [.head(200), .content(some)], [.head(200)], [.head(200), .content(some), .goAway()],
      ] as [[FrameStep]] {
        let origin = try kit.serveFrames { _ in steps + [.close(notified: notified)] }
        try await kit.expectError([.truncatedBody, .streamReset, .connectionLost], "an \(told) end in a body") {
          _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
        }
      }
      let origin = try kit.serveFrames { _ in [.waitForUpload(nil), .close(notified: notified)] }
      let error = try await kit.expectError([.connectionLost, .streamReset], "an \(told) end before a head") {
        _ = try await kit.fetch(kit.overHTTP2(.post, origin.url, .text("a")))
      }
      try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
    }
  }

  /// A body must have the length that its head states (RFC 9113 §8.1.1).
  package static let streamLengthChecked = rule(
    "stream-length-checked", "over HTTP/2 a body that is shorter or longer than its length ends in an error"
  ) { kit in
    for length in ["100", "2000"] {
      let origin = try kit.serveFrames { _ in [.head(200, ["content-length": length]), .content(some, ends: true)] }
      try await kit.expectError([.truncatedBody, .streamReset, .protocolViolation], "1000 bytes for \(length)") {
        _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
      }
    }
  }

  /// An incomplete head is a lost connection, as over HTTP/1.1.
  package static let cutHeadOfStreamReported = rule(
    "cut-head-of-stream-reported", "over HTTP/2 an incomplete head ends in connectionLost"
  ) { kit in
    for count in [1, 9, 12, 25] {
      let origin = try kit.serveFrames { _ in [.cutHead(200, ["x-a": "b"], count: count), .close()] }
      try await kit.expectError(.connectionLost, "\(count) bytes of a head") {
        _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
      }
    }
  }

  /// A response may be complete before its request (RFC 9113 §8.1).
  ///
  /// NO_ERROR then indicates that the rest is not needed.
  package static let earlyAnswerOfStream = rule(
    "early-answer-of-stream",
    "over HTTP/2 an answer that is complete before the upload is delivered completely, at once"
  ) { kit in
    let upload = Body.bytes(Data(repeating: 0x61, count: 3_000_000))
    for resets in [true, false] {
      for content in ["too large", ""] {
        let head: [FrameStep] =
          content.isEmpty ? [.head(413, ends: true)] : [.head(413), .content(content, ends: true)]
        let origin = try kit.serveFrames { request in
          guard request.number == 1 else { return [.head(200, ends: true)] }
          return [.waitForUpload(10_000)] + head + (resets ? [.reset(.noError)] : [])
        }
        let (answer, body) = try await kit.fetch(kit.overHTTP2(.post, origin.url, upload))
        try kit.expectEqual(answer.status.code, 413, "the status")
        try kit.expectEqual(body, Data(content.utf8), "the body")
        let next = try await kit.fetch(kit.overHTTP2(.get, origin.url))
        try kit.expectEqual(next.head.status.code, 200, "the status of the next answer")
      }
    }
  }

  /// The limit of the header section is the same in all versions.
  package static let headerLimitOfStream = rule(
    "header-limit-of-stream", "over HTTP/2 a header section of 250 kB ends in headerLimitExceeded"
  ) { kit in
    for size in [10, 1_000, 60_000] {
      let value = String(repeating: "v", count: size)
      let fields = OriginFields((0..<(250_000 / (size + 40))).map { OriginFields.Line("x-\($0)", value) })
      let origin = try kit.serveFrames { _ in [.head(200, fields), .content("a", ends: true)] }
      try await kit.expectError(.headerLimitExceeded, "\(fields.lines.count) fields of \(size) bytes") {
        _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
      }
    }
  }

  /// A second header section ends the stream and contains trailers (RFC 9113 §8.1).
  package static let trailersOfStream = ConformanceRule(
    "trailers-of-stream", "over HTTP/2 trailers are available after the body", capabilities: [.http2, .trailers],
    features: .frames
  ) { kit in
    let origin = try kit.serveFrames { _ in [.head(200), .content(some), .trailers(["x-sum": "7"])] }
    let response = try await kit.send(kit.overHTTP2(.get, origin.url))
    try kit.expectEqual(try await response.body.collect(upTo: 10_000), Data(some.utf8), "the body")
    guard let name = HTTPField.Name("x-sum") else { return }
    try kit.expectEqual(response.body.trailers?[name], "7", "the trailer")
    try kit.expectEqual(response.head.headerFields[name], nil, "the field of the head")
  }

  /// Requests wait to share a connection, but not for one that is never ready.
  package static let hungHandshakeHoldsUpNoOther = rule(
    "hung-handshake-holds-up-no-other", "a handshake that is never answered holds up no other request to its origin"
  ) { kit in
    let origin = try kit.serveFrames(ignoring: 1..<2) { _ in [.head(200, ends: true)] }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        var request = kit.overHTTP2(.get, origin.url)
        request.options.delivery = .collected
        request.options.timeouts.connect = .seconds(20)
        group.addTask { [request] in
          try kit.expectEqual(try await kit.fetch(request).head.status.code, 200, "the status")
        }
      }
      try await group.waitForAll()
    }
    try kit.expectEqual(Set(origin.requests.map(\.connection)), [2], "the connections that were used")
  }

  /// A network that drops one connection silently mostly drops them all.
  package static let idleSiblingsLeft = rule(
    "idle-siblings-left", "after a request timed out, no idle connection to its origin is used again"
  ) { kit in
    let gate = OriginGate()
    let origin = try kit.serveFrames { request in
      switch request.number {
      case 1...3: [.wait(for: gate), .head(200, ends: true)]
      case 4: []
      default: [.head(200, ends: true)]
      }
    }
    // Streamed bodies have connections of their own.
    let first = (0..<3).map { _ in Task { try await kit.fetch(kit.overHTTP2(.get, origin.url)) } }
    try await origin.requests(3)
    gate.open()
    for task in first { _ = try await task.value }
    var held = kit.overHTTP2(.get, origin.url)
    held.options.timeouts.total = .milliseconds(400)
    try await kit.expectError(.timedOut, "waiting") { [held] in _ = try await kit.send(held) }
    for _ in 0..<3 { _ = try await kit.fetch(kit.overHTTP2(.get, origin.url)) }
    let used = origin.requests.map(\.connection)
    try kit.expectEqual(Set(used.prefix(3)).count, 3, "the number of connections at first")
    try kit.expect(Set(used.dropFirst(4)).isDisjoint(with: used.prefix(4)), "connections \(used) were used again")
  }

  private static let some = String(repeating: "x", count: 1_000)
}

extension ConformanceKit {
  /// Returns a request that requires HTTP/2.
  func overHTTP2(_ method: HTTPRequest.Method, _ url: URL, _ body: Body = .empty) -> Request {
    var request = Request(method, url, body: body)
    request.options.version = .http2
    return request
  }
}
