import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension TransportConformance {
  /// The three timeouts.
  static let timeoutRules: [ConformanceRule] = [
    .connectTimeoutKept, .handshakeTimeoutKept, .idleTimeoutBeforeHead, .idleTimeoutInBody, .idleTimeoutOfUpload,
    .idleTimeoutStandsStill, .totalTimeoutBeforeHead, .totalTimeoutInBody, .totalTimeoutOfSlowReader,
    .timeoutsLeaveOthers,
  ]
}

extension ConformanceRule {
  private static let short = Duration.milliseconds(150)

  /// A queue that is full answers no one.
  public static let connectTimeoutKept = ConformanceRule(
    "connect-timeout-kept", "a host that never answers ends in connectTimedOut, certainly not processed",
    capabilities: .connectTimeout, features: .sockets
  ) { kit in
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 0)
    let clients = try (0..<4).map { _ in try socket.connectToItself() }
    defer { for client in clients { close(client) } }
    let scheme = kit.endpoint.features.contains(.tls) ? "https" : "http"
    var request = try Request(.post, "\(scheme)://127.0.0.1:\(socket.port)/")
    request.options.timeouts.connect = short
    let error = try await kit.expectError(.connectTimedOut, "connecting") { _ = try await kit.send(request) }
    try kit.expect(error.isTimeout, "it is no timeout")
    try kit.expect(!error.maybeProcessed, "it claims that the server may have acted")
  }

  /// `Timeouts.connect`: lookup, connection and handshake together.
  public static let handshakeTimeoutKept = ConformanceRule(
    "handshake-timeout-kept", "a handshake that is never answered ends in connectTimedOut",
    capabilities: .connectTimeout, features: [.sockets, .tls]
  ) { kit in
    // The kernel accepts for a listener that never does, so the client's hello stays unanswered.
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 16)
    var request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
    request.options.timeouts.connect = short
    let error = try await kit.expectError(.connectTimedOut, "the handshake") { _ = try await kit.send(request) }
    try kit.expect(!error.maybeProcessed, "it claims that the server may have acted")
  }

  /// No byte of an answer.
  public static let idleTimeoutBeforeHead = ConformanceRule(
    "idle-timeout-before-head", "a server that says nothing ends in idleTimedOut, maybe processed"
  ) { kit in
    let place = kit.serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.idle = short
    let error = try await kit.expectError(.idleTimedOut, "waiting") { _ = try await kit.send(request) }
    try kit.expect(error.isTimeout && error.isRetryable, "it is no timeout, or not retryable")
    try kit.expect(error.maybeProcessed, "it claims that the server cannot have acted")
  }

  /// No byte more.
  public static let idleTimeoutInBody = ConformanceRule(
    "idle-timeout-in-body", "a body that stops coming ends in idleTimedOut, after the bytes that came"
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 10_000), holdsContent: .init(after: 4000)))
    var request = Request(.get, place.url())
    request.options.timeouts.idle = short
    let response = try await kit.send(request)
    var seen = 0
    let error = try await kit.expectError(.idleTimedOut, "reading") {
      for try await chunk in response.body { seen += chunk.count }
    }
    try kit.expectEqual(seen, 4000, "the bytes before it")
    try kit.expectEqual(error.stage, .receivingBody, "the stage")
  }

  /// Bytes in either direction count.
  public static let idleTimeoutOfUpload = ConformanceRule(
    "idle-timeout-of-upload", "a server that stops reading ends in idleTimedOut", capabilities: .streamedUploads,
    features: .slowReading
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(upload: .readPartly(1000, then: gate)))
    let source = UploadSource(pieces: [.repeated(Data(count: 65_536), 1024)])
    var request = Request(.post, place.url(), body: source.body(length: 64 << 20))
    request.options.timeouts.idle = .milliseconds(400)
    try await kit.expectError(.idleTimedOut, "uploading") { _ = try await kit.send(request) }
  }

  /// `Timeouts.idle`: stands still while the reader makes the transport wait.
  public static let idleTimeoutStandsStill = ConformanceRule(
    "idle-timeout-stands-still", "a reader slower than the idle timeout gets everything", capabilities: .backpressure
  ) { kit in
    let answer = ConformanceAnswer.pattern(24 << 20)
    var request = Request(.get, kit.serve(answer).url())
    request.options.timeouts.idle = short
    let response = try await kit.send(request)
    var seen = 0
    var pauses = 0
    for try await chunk in response.body {
      seen += chunk.count
      if pauses < 2, seen > pauses << 20 {
        pauses += 1
        try await kit.passTime(.milliseconds(400))
      }
    }
    try kit.expectEqual(seen, 24 << 20, "the bytes")
  }

  /// One attempt as a whole.
  public static let totalTimeoutBeforeHead = ConformanceRule(
    "total-timeout-before-head", "an attempt that takes too long before the head ends in timedOut"
  ) { kit in
    let place = kit.serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.total = short
    let error = try await kit.expectError(.timedOut, "waiting") { _ = try await kit.send(request) }
    try kit.expect(error.isTimeout, "it is no timeout")
  }

  /// Bytes that come do not help.
  public static let totalTimeoutInBody = ConformanceRule(
    "total-timeout-in-body", "an attempt that takes too long in the body ends in timedOut"
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 10_000), holdsContent: .init(after: 4000)))
    var request = Request(.get, place.url())
    request.options.timeouts.total = short
    let response = try await kit.send(request)
    let error = try await kit.expectError(.timedOut, "reading") { _ = try await response.body.collect(upTo: 10_000) }
    try kit.expectEqual(error.stage, .receivingBody, "the stage")
  }

  /// `Timeouts.total`: never stands still.
  public static let totalTimeoutOfSlowReader = ConformanceRule(
    "total-timeout-of-slow-reader", "the total timeout runs while the reader is slow", capabilities: .backpressure
  ) { kit in
    let place = kit.serve(.pattern(64 << 20))
    var request = Request(.get, place.url())
    request.options.timeouts.total = .milliseconds(600)
    let response = try await kit.send(request)
    try await kit.passTime(.seconds(1))
    try await kit.expectError(.timedOut, "reading late") { _ = try await response.body.collect(upTo: 64 << 20) }
  }

  /// Each request has its own.
  public static let timeoutsLeaveOthers = ConformanceRule(
    "timeouts-leave-others", "a request that times out leaves the others alone"
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(content: .bytes([0x61]), holdsHead: gate))
    let waiting = Task { try await kit.fetch(place).body }
    await gate.reached()
    try await kit.passTime(short)
    gate.open()
    try kit.expectEqual(try await waiting.value, Data("a".utf8), "the other body")
  }
}
