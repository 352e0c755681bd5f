import CurlewCore
package import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// The rules about requests that an HTTP/2 server refuses, and about heads and frames that no server may send.
extension ConformanceRule {
  /// REFUSED_STREAM means that nothing was processed (RFC 9113 §8.7).
  package static let refusedStreamNotProcessed = rule(
    "refused-stream-not-processed",
    "REFUSED_STREAM says that nothing was processed, and the transport neither sends again nor connects again"
  ) { kit in
    try await kit.expectRefusal(.refusedStream) { _ in [.reset(.refusedStream)] }
  }

  /// Streams above the last one of GOAWAY were not processed (RFC 9113 §6.8, §8.7).
  package static let goAwayNotProcessed = rule(
    "goaway-not-processed", "a stream above the last one of GOAWAY was not processed"
  ) { kit in
    for code in [FrameError.noError, .enhanceYourCalm, .http11Required] {
      try await kit.expectRefusal(.refusedStream) { [.goAway(lastStream: max(0, $0.stream - 2), code), .close()] }
      try await kit.expectRefusal(.refusedStream) { [.goAway(lastStream: max(0, $0.stream - 2), code)] }
    }
  }

  /// HTTP_1_1_REQUIRED asks for the same request over HTTP/1.1 (RFC 9113 §7).
  package static let http11RequiredReported = rule(
    "http-1.1-required-reported",
    "HTTP_1_1_REQUIRED says that nothing was processed, and the transport neither sends again nor connects again"
  ) { kit in
    try await kit.expectRefusal(.http11Required) { _ in [.reset(.http11Required)] }
  }

  /// A malformed response is a violation of the protocol (RFC 9113 §8.1.1), which sending again does not heal.
  package static let malformedHeadOfStreamReported = rule(
    "malformed-head-of-stream-reported", "over HTTP/2 a malformed head ends in protocolViolation"
  ) { kit in
    let good = (":status", "200")
    let heads: [[(String, String)]] = [
      [("a", "b")], [(":status", "99")], [(":status", "1000")], [(":status", "2x0")], [(":status", "101")],
      [good, good], [("a", "b"), good], [good, (":path", "/")], [good, ("transfer-encoding", "chunked")],
      [good, ("connection", "close")], [good, ("X-Upper", "v")],
      [good, ("content-length", "1"), ("content-length", "2")],
      [good, ("x-a", "a\r\nset-cookie: e=1")], [good, ("x-a", "a\0b")],
    ]
    for head in heads {
      for isReused in [false, true] {
        let origin = try kit.serveFrames { request in
          isReused && request.number == 1
            ? [.head(200, ends: true)] : [.section(head), .frame(0, flags: 1, [UInt8]("ok".utf8))]
        }
        if isReused { _ = try await kit.fetch(kit.overHTTP2(.get, origin.url)) }
        let error = try await kit.expectError(.protocolViolation, "the head \(head)") {
          _ = try await kit.fetch(kit.overHTTP2(.get, origin.url))
        }
        try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
        try kit.expect(!error.message.contains("e=1"), "the message quotes the value of a field")
        try kit.expectEqual(origin.requests.count, isReused ? 2 : 1, "the number of requests")
        try kit.expectEqual(origin.acceptedConnections, 1, "the number of connections")
      }
    }
  }

  /// A frame that is not allowed ends the connection (RFC 9113 §5.4.1), not silently.
  package static let brokenFramesReported = rule(
    "broken-frames-reported", "over HTTP/2 a frame that is not allowed before the head ends in protocolViolation"
  ) { kit in
    let bad: [(String, FrameStep)] = [
      ("DATA on stream 0", .frame(0, stream: 0, [1])), ("HEADERS on stream 0", .frame(1, flags: 4, stream: 0, [0x88])),
      ("SETTINGS of 5 bytes", .frame(4, stream: 0, [0, 0, 0, 0, 0])),
      ("PING of 7 bytes", .frame(6, stream: 0, [0, 0, 0, 0, 0, 0, 0])),
      ("a DATA frame of 20,000 bytes", .frame(0, Array(repeating: 0, count: 20_000))),
      ("WINDOW_UPDATE by 0 for the connection", .frame(8, stream: 0, [0, 0, 0, 0])),
      ("an index that HPACK does not have", .frame(1, flags: 4, [0xff, 0xff, 0x7f])),
      ("CONTINUATION without HEADERS", .frame(9, flags: 4, [0x88])),
    ]
    for (name, frame) in bad {
      let origin = try kit.serveFrames { _ in [frame] }
      try await kit.expectError(.protocolViolation, name) { _ = try await kit.fetch(kit.overHTTP2(.get, origin.url)) }
      try kit.expectEqual(origin.requests.count, 1, "the number of requests")
      try kit.expectEqual(origin.acceptedConnections, 1, "the number of connections")
    }
  }
}

extension ConformanceKit {
  /// Expects that a server's steps after a request refuse it, on a new connection and on one that has served a request.
  fileprivate func expectRefusal(
    _ code: FrameError, _ steps: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]
  ) async throws {
    for isReused in [false, true] {
      for (method, body) in [(.get, .empty), (.post, .text("a")), (.post, .empty), (.put, .text("a"))]
        as [(HTTPRequest.Method, Body)]
      {
        let origin = try serveFrames { request in
          isReused && request.number == 1 ? [.head(200, ends: true)] : [.waitForUpload(nil)] + steps(request)
        }
        let name = "a \(method) on a \(isReused ? "used" : "new") connection"
        if isReused { _ = try await fetch(overHTTP2(.get, origin.url)) }
        let error = try await expectError(.streamReset, "\(name), refused with \(code)") {
          _ = try await fetch(overHTTP2(method, origin.url, body))
        }
        try expect(!error.maybeProcessed, "\(name): the error says that the server may have processed it")
        try expectEqual(error.details.streamErrorCode, Int(code.rawValue), "\(name): the code")
        try expectEqual(origin.requests.count, isReused ? 2 : 1, "\(name): the number of requests")
        try expectEqual(origin.acceptedConnections, 1, "\(name): the number of connections")
      }
    }
  }
}
