import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for connections that break.
  static let faultRules: [ConformanceRule] = [
    .cutBodyReported, .cutChunksReported, .cutBeforeHeadReported, .resetBeforeHeadReported, .cutHeadReported,
    .resetBodyReported, .garbageReported, .conflictingLengthsRefused, .lengthBesideChunkedRefused, .badLengthRefused,
    .badChunkSizeRefused, .badStatusRefused, .refusedConnectionReported, .notRepeated,
    .errorsTellWhere,
  ]
}

extension ConformanceRule {
  package static let cutBodyReported = ConformanceRule(
    "cut-body-reported", "a body shorter than its length ends in truncatedBody", source: "RFC 9112 §8",
    because: "An incomplete message is not a success.", features: .cuts
  ) { kit in
    for count in [0, 1, 999, 70_000] as [Int64] {
      let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 70_001), ending: .cut(after: count)))
      let error = try await kit.expectError(kit.cutKinds, "a body cut after \(count) bytes") {
        _ = try await kit.fetch(place)
      }
      guard count > 0 || kit.endpoint.features.contains(.earlyHeads) else { continue }
      try kit.expectEqual(error.stage, .receivingBody, "the stage")
    }
  }

  package static let cutChunksReported = ConformanceRule(
    "cut-chunks-reported", "a chunked body without a last chunk ends in truncatedBody", source: "RFC 9112 §8",
    because: "An incomplete chunked body is not a success.", features: [.cuts, .rawReplies]
  ) { kit in
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for rest in ["5\r\nhello\r\n", "5\r\nhel", "5\r\n", "5", "5\r\nhello\r\n0\r\n", ""] {
      let place = kit.serve(.raw(head + rest))
      try await kit.expectError(.truncatedBody, "chunks cut after '\(rest.debugDescription)'") {
        _ = try await kit.fetch(place)
      }
    }
  }

  package static let cutBeforeHeadReported = ConformanceRule(
    "cut-before-head-reported", "a connection that closes without an answer ends in connectionLost, maybe processed",
    source: "RFC 9110 §9.2.2",
    because: "The server may have processed the request, which nobody can know.",
    features: .resets
  ) { kit in
    let place = kit.serve(ConformanceAnswer(ending: .cutBeforeHead))
    let error = try await kit.expectError(.connectionLost, "no answer") {
      _ = try await kit.fetch(Request(.post, place.url(), body: .text("a")))
    }
    try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
    try kit.expect(error.details.connectionReused != true, "the error says that the connection was used before")
    try kit.expectEqual(place.requests.count, 1, "the number of requests")
  }

  package static let resetBeforeHeadReported = ConformanceRule(
    "reset-before-head-reported", "a connection that is reset before an answer ends in connectionLost",
    source: "RFC 9110 §9.2.2",
    because: "A reset says no more than a close about what the server has done.",
    features: .resets
  ) { kit in
    let place = kit.serve(ConformanceAnswer(ending: .resetBeforeHead))
    let error = try await kit.expectError(.connectionLost, "a reset") { _ = try await kit.fetch(place) }
    try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
  }

  package static let cutHeadReported = ConformanceRule(
    "cut-head-reported", "an incomplete head ends in connectionLost, like a missing one", source: "RFC 9112 §8",
    because: "Half a head may lack the field that changes its meaning.", features: .rawReplies
  ) { kit in
    for half in ["HTTP/1.1", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"] {
      let place = kit.serve(.raw(half))
      let error = try await kit.expectError(.connectionLost, "'\(half.debugDescription)'") {
        _ = try await kit.fetch(place)
      }
      try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
    }
  }

  package static let resetBodyReported = ConformanceRule(
    "reset-body-reported", "a reset in the body ends in truncatedBody or connectionLost", source: "RFC 9112 §8",
    because: "A body that ended by a reset is not complete, whatever its framing.", features: .resets
  ) { kit in
    for framing in [.length, .chunked(size: 1000), .close] as [ConformanceAnswer.Framing] {
      let answer = ConformanceAnswer(
        content: .pattern(.seeded(1), count: 70_000), framing: framing, ending: .reset(after: 5000))
      try await kit.expectError([.truncatedBody, .connectionLost], "a reset with \(framing)") {
        _ = try await kit.fetch(kit.serve(answer))
      }
    }
  }

  package static let garbageReported = ConformanceRule(
    "garbage-reported", "bytes that are not HTTP end in protocolViolation", source: "RFC 9112 §2.2",
    because: "Bytes that are not HTTP are not interpreted.", features: .rawReplies
  ) { kit in
    for garbage in [
      "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "HTTP/x.y 200 OK\r\n\r\n",
    ] {
      try await kit.expectError(.protocolViolation, "'\(garbage.debugDescription)'") {
        _ = try await kit.fetch(kit.serve(.raw(garbage)))
      }
    }
  }

  package static let conflictingLengthsRefused = ConformanceRule(
    "conflicting-lengths-refused", "two different lengths end in protocolViolation", source: "RFC 9112 §6.3",
    because: "Conflicting lengths can split responses.", features: .rawReplies
  ) { kit in
    for lengths in ["Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 6"] {
      let place = kit.serve(.raw("HTTP/1.1 200 OK\r\n\(lengths)\r\n\r\nhello!"))
      try await kit.expectError(.protocolViolation, "'\(lengths.debugDescription)'") { _ = try await kit.fetch(place) }
    }
  }

  package static let lengthBesideChunkedRefused = ConformanceRule(
    "length-beside-chunked-refused", "a length beside chunks ends in protocolViolation", source: "RFC 9112 §6.1",
    because: "A length beside a transfer coding is an attack or an error.", features: .rawReplies
  ) { kit in
    let place = kit.serve(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    try await kit.expectError(.protocolViolation, "both") { _ = try await kit.fetch(place) }
  }

  package static let badLengthRefused = ConformanceRule(
    "bad-length-refused", "a length that is not a number ends in protocolViolation", source: "RFC 9110 §8.6",
    because: "A length consists of digits and must not overflow.", features: .rawReplies
  ) { kit in
    for length in ["-1", "abc", "1a", "99999999999999999999999", "0x10", "1 1"] {
      let place = kit.serve(.raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"))
      try await kit.expectError(.protocolViolation, "Content-Length: \(length)") { _ = try await kit.fetch(place) }
    }
  }

  package static let badChunkSizeRefused = ConformanceRule(
    "bad-chunk-size-refused", "a chunk size that is not a number ends in protocolViolation", source: "RFC 9112 §7.1",
    because: "A chunk size is a hexadecimal number.", features: .rawReplies
  ) { kit in
    for size in ["zz", "-5", "ffffffffffffffffff", "", "; a=b"] {
      let place = kit.serve(.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n"))
      try await kit.expectError(.protocolViolation, "a chunk of size '\(size)'") { _ = try await kit.fetch(place) }
    }
  }

  package static let badStatusRefused = ConformanceRule(
    "bad-status-refused", "a status that is not three digits ends in protocolViolation", source: "RFC 9112 §4",
    because: "A status code has three digits.", features: .rawReplies
  ) { kit in
    for status in ["20", "abc", "-200"] {
      let place = kit.serve(.raw("HTTP/1.1 \(status) OK\r\nContent-Length: 0\r\n\r\n"))
      try await kit.expectError(.protocolViolation, "the status \(status)") { _ = try await kit.fetch(place) }
    }
  }

  package static let refusedConnectionReported = ConformanceRule(
    "refused-connection-reported", "a port without a listener ends in connectionFailed, certainly not processed",
    source: "NetworkError",
    because: "No byte was sent, so the app may safely send it again.",
    features: .sockets
  ) { kit in
    let socket = try LoopbackSocket()
    let scheme = kit.endpoint.features.contains(.tls) ? "https" : "http"
    let request = try Request(.post, "\(scheme)://127.0.0.1:\(socket.port)/")
    let error = try await kit.expectError(.connectionFailed, "asking nobody") { _ = try await kit.send(request) }
    try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
    try kit.expect(error.isRetryable, "the error is not retryable")
  }

  package static let errorsTellWhere = ConformanceRule(
    "errors-tell-where", "an error has its stage and its request, and after the head the response too",
    source: "NetworkError",
    because: "Reports show them, and whoever sends again decides by them.", features: .cuts
  ) { kit in
    var held = Request(.get, kit.serve(ConformanceAnswer(holdsHead: OriginGate())).url("?held"))
    held.options.timeouts.idle = .milliseconds(150)
    let early = try await kit.expectError(.idleTimedOut, "waiting for a head") { [held] in
      _ = try await kit.fetch(held)
    }
    try kit.expectEqual(early.stage, .awaitingHead, "the stage before the head")
    try kit.expectEqual(early.details.request?.url, held.url, "the request's URL before the head")
    try kit.expect(early.details.response == nil, "there was a response before the head")
    let answer = ConformanceAnswer(203, content: .pattern(.seeded(1), count: 1000), ending: .cut(after: 400))
    let cut = Request(.get, kit.serve(answer).url("?cut"))
    let late = try await kit.expectError(kit.cutKinds, "a body that was cut") { _ = try await kit.fetch(cut) }
    try kit.expectEqual(late.stage, .receivingBody, "the stage in the body")
    try kit.expectEqual(late.details.request?.url, cut.url, "the request's URL in the body")
    try kit.expectEqual(late.details.response?.status.code, 203, "the response's status in the body")
  }

  package static let notRepeated = ConformanceRule(
    "not-repeated", "a request whose connection was lost reached the server once", source: "Transport",
    because: "Only the layers above know whether a request may be repeated.", features: .resets
  ) { kit in
    for method: HTTPRequest.Method in [.get, .post, .delete, .patch] {
      let place = kit.serve(ConformanceAnswer(ending: .cutBeforeHead))
      _ = try await kit.fetch(kit.serve())
      try await kit.expectError(.connectionLost, "\(method.rawValue) without an answer") {
        _ = try await kit.fetch(Request(method, place.url()))
      }
      try kit.expectEqual(place.requests.count, 1, "the number of \(method.rawValue) requests")
    }
  }
}

extension ConformanceKit {
  /// The kinds of errors for a truncated body; HTTP/2 resets the stream.
  fileprivate var cutKinds: [NetworkError.Kind] {
    endpoint.features.contains(.http2) ? [.truncatedBody, .streamReset, .connectionLost] : [.truncatedBody]
  }
}
