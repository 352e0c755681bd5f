import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for old, unusual or hostile framings.
  ///
  /// A transport must refuse such a framing, or read exactly the body that the server meant.
  static let oddFramingRules: [ConformanceRule] = [
    .unknownTransferCodingRefused, .identityCodingRead, .chunksOfHTTP10NotMisread, .foldedFramingNotMisread,
    .spacedLengthRefused, .headlessReplyRefused, .lengthBesideEmptyCodingRefused, .informationalFramingNotApplied,
    .framingOfBodilessNotRead, .unnegotiatedVersionRefused,
  ]
}

extension ConformanceRule {
  package static let unknownTransferCodingRefused = ConformanceRule(
    "unknown-transfer-coding-refused", "a transfer coding other than chunked ends in an error", source: "RFC 9112 §7.4",
    because: "A server may use only the codings that `TE` names. No transport sends `TE`.", features: .rawReplies
  ) { kit in
    for coding in ["gzip, chunked", "gzip", "foo", "foo, chunked", "xchunked", "deflate, gzip, chunked"] {
      let place = kit.serve(
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
      try await kit.expectError([.protocolViolation, .contentDecodingFailed], "Transfer-Encoding: \(coding)") {
        _ = try await kit.fetch(place)
      }
    }
  }

  package static let identityCodingRead = ConformanceRule(
    "identity-coding-read", "the transfer coding identity leaves the body to the connection's end",
    source: "RFC 2616 §3.6",
    because: "The coding `identity`, which changes nothing, was defined once, and old servers still send it.",
    features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello"))
    try await kit.expect(place, is: ["hello"])
  }

  package static let chunksOfHTTP10NotMisread = ConformanceRule(
    "chunks-of-http10-not-misread", "chunks in an HTTP/1.0 response are read or refused, and end the connection",
    source: "RFC 9112 §6.1",
    because: "An HTTP/1.0 message with a transfer coding has faulty framing.",
    features: .rawReplies
  ) { kit in
    let place = kit.serve { request in
      request.query == nil
        ? .raw(
          "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        : .text("own")
    }
    try await kit.expect(place, is: ["hello"], orFails: true)
    try kit.expectEqual(
      try await kit.fetch(Request(.get, place.url("?own"))).body, Data("own".utf8), "the next body")
  }

  package static let foldedFramingNotMisread = ConformanceRule(
    "folded-framing-not-misread", "folded fields that frame a body are read as one line, or rejected",
    source: "RFC 9112 §5.2",
    because: "A folded line is rejected, or read as one line.",
    features: .rawReplies
  ) { kit in
    let length = kit.serve(.raw("HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhelloworld"))
    try await kit.expect(length, is: ["hello"], orFails: true)
    let chunks = kit.serve(
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    try await kit.expect(chunks, is: ["hello"], orFails: true)
    let both = kit.serve(
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    try await kit.expectError(.protocolViolation, "a length beside folded chunks") { _ = try await kit.fetch(both) }
  }

  package static let spacedLengthRefused = ConformanceRule(
    "spaced-length-refused", "a space before the colon of a length ends in protocolViolation", source: "RFC 9112 §5.1",
    because: "A space before a colon can hide a length from some readers.", features: .rawReplies
  ) { kit in
    let place = kit.serve(.raw("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhelloworld"))
    try await kit.expectError(.protocolViolation, "the space") { _ = try await kit.fetch(place) }
  }

  package static let headlessReplyRefused = ConformanceRule(
    "headless-reply-refused", "a reply without a head ends in protocolViolation and is not an HTTP/0.9 body",
    source: "RFC 9112 §2.2",
    because: "HTTP/0.9 had no head; what has none today is an error or an attack.",
    features: .rawReplies
  ) { kit in
    for reply in ["hello 0.9", "hello\r\n", "<html>hello</html>"] {
      try await kit.expectError(.protocolViolation, "'\(reply.debugDescription)'") {
        _ = try await kit.fetch(kit.serve(.raw(reply)))
      }
    }
  }
}

extension ConformanceRule {
  package static let lengthBesideEmptyCodingRefused = ConformanceRule(
    "length-beside-empty-coding-refused", "a cut body whose length is beside an empty transfer coding ends in an error",
    source: "RFC 9112 §6.3",
    because:
      "Some readers take an empty `Transfer-Encoding` for one and ignore the length. A cut body would then be complete.",
    features: .rawReplies
  ) { kit in
    for fields in [
      "Transfer-Encoding:\r\nContent-Length: 100", "Content-Length: 100\r\nTransfer-Encoding: ,",
      "Transfer-Encoding: \t\r\nContent-Length: 100", "Transfer-Encoding: identity\r\nContent-Length: 100",
    ] {
      let place = kit.serve(.raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nshort"))
      try await kit.expectError([.protocolViolation, .truncatedBody], fields.debugDescription) {
        _ = try await kit.fetch(place)
      }
    }
  }

  package static let informationalFramingNotApplied = ConformanceRule(
    "informational-framing-not-applied", "the framing of an informational response does not end the final body",
    source: "RFC 9110 §8.6, RFC 9112 §6.1",
    because: "An informational response has no content, so its framing fields say nothing.",
    features: .rawReplies
  ) { kit in
    for fields in ["Content-Length: 5", "Content-Length: 0", "Transfer-Encoding: chunked"] {
      for final in ["", "Content-Length: 10\r\n"] {
        let place = kit.serve(
          .raw(
            "HTTP/1.1 103 Early Hints\r\n\(fields)\r\n\r\nHTTP/1.1 200 OK\r\n\(final)Connection: close\r\n\r\nhelloworld"
          ))
        try await kit.expect(place, is: ["helloworld"], orFails: true)
      }
    }
  }

  package static let framingOfBodilessNotRead = ConformanceRule(
    "framing-of-bodiless-not-read", "a response without a body has none, even if its head has a transfer coding",
    source: "RFC 9112 §6.3",
    because: "A response to HEAD, a 204 and a 304 end with their head, whatever it announces.",
    features: .rawReplies
  ) { kit in
    for (method, status) in [(HTTPRequest.Method.get, "204 No Content"), (.get, "304 Not Modified"), (.head, "200 OK")]
    {
      for rest in ["", "5\r\nhello\r\n0\r\n\r\n"] {
        let place = kit.serve(
          .raw("HTTP/1.1 \(status)\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\(rest)"))
        do {
          let body = try await kit.fetch(Request(method, place.url())).body
          try kit.expectEqual(body, Data(), "the body of \(status)")
        } catch let error as NetworkError {
          try kit.expect([.protocolViolation, .truncatedBody].contains(error.kind), "\(status) ended in \(error)")
        }
      }
    }
  }

  package static let unnegotiatedVersionRefused = ConformanceRule(
    "unnegotiated-version-refused", "a status line with HTTP/2 over HTTP/1.1 ends in protocolViolation",
    source: "RFC 9112 §2.3",
    because: "The version of a connection is negotiated by TLS; a status line does not change it.",
    features: .rawReplies
  ) { kit in
    for line in ["HTTP/2 200", "HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/3 200 OK"] {
      let place = kit.serve(.raw("\(line)\r\nContent-Length: 5\r\n\r\nhello", closes: false))
      try await kit.expectError(.protocolViolation, line) { _ = try await kit.fetch(place) }
    }
    let early = kit.serve(
      .raw("HTTP/2 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", closes: false))
    try await kit.expectError(.protocolViolation, "an informational head") { _ = try await kit.fetch(early) }
  }
}

extension ConformanceKit {
  /// Checks that a place's body is one of several.
  ///
  /// With `orFails`, reading may also fail as for bytes that are not HTTP.
  fileprivate func expect(_ place: ConformancePlace, is bodies: [String], orFails: Bool = false) async throws {
    do {
      let body = String(decoding: try await fetch(place).body, as: UTF8.self)
      try expect(bodies.contains(body), "the body was '\(body)'")
    } catch let error as NetworkError {
      try expect(orFails && error.kind == .protocolViolation, "it ended in \(error)")
    }
  }
}
