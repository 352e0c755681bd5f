import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for bytes that arrive between two requests.
  static let restingRules: [ConformanceRule] = [
    .idleBytesAreNoResponse, .idleRefusalIsNoResponse, .bytesBehindResponseDropped, .bytesBehindBodilessDropped,
    .bytesBehindRecordDropped, .closedConnectionNotWrittenTo,
  ]
}

extension ConformanceRule {
  /// A response that a hostile server sends in advance for the next request.
  private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nCache-Control: max-age=1000\r\n\r\npoison"
  private static let refusal = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

  package static let idleBytesAreNoResponse = ConformanceRule(
    "idle-bytes-are-no-response", "a response that arrives on an idle connection answers no request",
    source: "RFC 9112 §6.3",
    because: "Bytes after a response are not the next one.",
    features: .rawReplies
  ) { kit in
    for first in [HTTPRequest.Method.get, .head] { try await kit.expectOwnAnswer(after: first, says: poison) }
  }

  package static let idleRefusalIsNoResponse = ConformanceRule(
    "idle-refusal-is-no-response", "a 408 that arrives on an idle connection answers no request",
    source: "RFC 9110 §15.5.9",
    because: "Servers send 408 before they close an idle connection.", features: .rawReplies
  ) { kit in
    for closes in [true, false] { try await kit.expectOwnAnswer(after: .get, says: refusal, closes: closes) }
  }

  package static let bytesBehindResponseDropped = ConformanceRule(
    "bytes-behind-response-dropped", "bytes after a complete response answer no request", source: "RFC 9112 §6.3",
    because: "Bytes after the announced length belong to no response.", features: .rawReplies
  ) { kit in
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    for start in [reply, chunked] {
      for rest in [poison, refusal, "x", String(repeating: poison, count: 1000)] {
        try await kit.expectOwnAnswer(after: .get, answered: start + rest, body: "ok")
      }
    }
  }

  package static let bytesBehindBodilessDropped = ConformanceRule(
    "bytes-behind-bodiless-dropped", "bytes after a response without a body answer no request", source: "RFC 9112 §6.3",
    because: "Responses to HEAD, 204 and 304 end with their head.", features: .rawReplies
  ) { kit in
    for head in ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n"] {
      try await kit.expectOwnAnswer(after: .get, answered: head + poison, body: "")
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n"
    try await kit.expectOwnAnswer(after: .head, answered: head + poison, body: "")
  }

  package static let bytesBehindRecordDropped = ConformanceRule(
    "bytes-behind-record-dropped", "bytes that arrived together with a response answer no request",
    source: "RFC 9112 §6.3",
    because: "Over TLS, decrypted bytes wait in memory, where the socket does not show them.",
    features: .rawReplies
  ) { kit in
    for whole in [4096, 8192, 16_000, 16_384, 32_768] {
      for delivery in [ResponseDelivery.collected, .streamed] {
        let length = whole - "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n".utf8.count
        let padded = String(repeating: " ", count: 5 - String(length).count) + String(length)
        let body = String(repeating: "a", count: length)
        try await kit.expectOwnAnswer(
          after: .get, answered: "HTTP/1.1 200 OK\r\nContent-Length: \(padded)\r\n\r\n\(body)\(poison)",
          body: body, delivery)
      }
    }
  }

  package static let closedConnectionNotWrittenTo = ConformanceRule(
    "closed-connection-not-written-to",
    "a POST after the server has closed the connection uses another one, or is not sent", source: "RFC 9112 §9.3.1",
    because: "A client does not send a POST on a connection that was closed.",
    features: .idleClosing
  ) { kit in
    let place = kit.serve { request in
      request.method == "GET" ? ConformanceAnswer(idling: .close(after: .zero ... .zero)) : .text("posted")
    }
    for round in 0..<50 {
      _ = try await kit.fetch(place)
      // Sometimes the close arrives first, sometimes the request.
      for _ in 0..<(round * 4) { await Task.yield() }
      do {
        let body = try await kit.fetch(Request(.post, place.url(), body: .text("a"))).body
        try kit.expectEqual(body, Data("posted".utf8), "the body")
      } catch let error as NetworkError where error.kind == .connectionLost {
        try kit.expectEqual(error.details.connectionReused, true, "connectionReused")
      }
    }
  }
}

extension ConformanceKit {
  /// Makes the server send bytes on an idle connection, and checks the next answers.
  fileprivate func expectOwnAnswer(
    after method: HTTPRequest.Method, says text: String, closes: Bool = false
  )
    async throws
  {
    for next in [HTTPRequest.Method.get, .post] {
      let gate = OriginGate()
      let place = serve { request in
        request.query == nil
          ? ConformanceAnswer(content: .bytes([UInt8]("ok".utf8)), idling: .speak(text, at: gate, closes: closes))
          : .text("own")
      }
      _ = try await fetch(Request(method, place.url()))
      await gate.reached()
      gate.open()
      await gate.reached(by: 2)
      try await expectOwn(next, at: place)
    }
  }

  /// Answers a request with given bytes, and checks the next answers.
  fileprivate func expectOwnAnswer(
    after method: HTTPRequest.Method, answered reply: String, body: String, _ delivery: ResponseDelivery = .streamed
  ) async throws {
    for next in [HTTPRequest.Method.get, .post] {
      let place = serve { request in request.query == nil ? .raw(reply, closes: false) : .text("own") }
      var request = Request(method, place.url())
      request.options.delivery = delivery
      let got = try await fetch(request).body
      try expect(got == Data(body.utf8), "the first body had \(got.count) bytes, not \(body.utf8.count)")
      try await expectOwn(next, at: place)
    }
  }

  private func expectOwn(_ method: HTTPRequest.Method, at place: ConformancePlace) async throws {
    for _ in 0..<2 {
      let body: Body = method == .post ? .text("a") : .empty
      let answer: (head: ResponseHead, body: Data)
      do {
        answer = try await fetch(Request(method, place.url("?own"), body: body))
      } catch let error as NetworkError where error.kind == .connectionLost && !error.maybeProcessed {
        // The transport noticed in time, so the request can be repeated safely.
        answer = try await fetch(Request(method, place.url("?own"), body: body))
      }
      try expectEqual(answer.head.status.code, 200, "the status of the next \(method)")
      try expectEqual(answer.body, Data("own".utf8), "the body of the next \(method)")
    }
  }
}
