import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension TransportConformance {
  /// The rules for the three timeouts.
  static let timeoutRules: [ConformanceRule] = [
    .connectTimeoutKept, .handshakeTimeoutKept, .connectTimeoutsRunTogether, .idleTimeoutBeforeHead, .idleTimeoutInBody,
    .idleTimeoutOfUpload,
    .idleTimeoutStandsStill, .rateLimitKept, .rateLimitOfUploadKept, .totalTimeoutBeforeHead, .totalTimeoutInBody,
    .totalTimeoutInTime, .totalTimeoutOfSlowReader,
    .timeoutsLeaveOthers, .timedOutConnectionLeft, .runningBodyOutlivesTimeout,
  ]
}

extension ConformanceRule {
  private static let short = Duration.milliseconds(150)

  package static let connectTimeoutKept = ConformanceRule(
    "connect-timeout-kept", "a host that never answers ends in connectTimedOut, certainly not processed",
    source: "Timeouts",
    because: "A host that drops packets would be waited for during minutes.",
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
    try kit.expect(error.isTimeout, "the error is not a timeout")
    try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
  }

  package static let handshakeTimeoutKept = ConformanceRule(
    "handshake-timeout-kept", "a handshake that is never answered ends in connectTimedOut", source: "Timeouts",
    because: "A port that accepts and stays silent is no connection.",
    capabilities: .connectTimeout, features: [.sockets, .tls]
  ) { kit in
    // The kernel accepts connections for a listener that never does, so the client's hello stays unanswered.
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 16)
    var request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
    request.options.timeouts.connect = short
    let error = try await kit.expectError(.connectTimedOut, "the handshake") { _ = try await kit.send(request) }
    try kit.expect(!error.maybeProcessed, "the error says that the server may have processed it")
  }

  package static let connectTimeoutsRunTogether = ConformanceRule(
    "connect-timeouts-run-together", "simultaneous requests to a host that never answers each end at their own timeout",
    source: "Timeouts",
    because: "Requests that wait to share a connection have their own connect timeouts.",
    capabilities: .connectTimeout, features: [.sockets, .tls]
  ) { kit in
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 64)
    let limit = Duration.milliseconds(500)
    for kind in [NetworkError.Kind.connectTimedOut, .timedOut] {
      var request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
      request.options.delivery = .collected
      if kind == .timedOut { request.options.timeouts.total = limit } else { request.options.timeouts.connect = limit }
      let took = try await ContinuousClock().measure {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<8 {
            group.addTask { [request] in
              try await kit.expectError(kind, "connecting") { _ = try await kit.send(request) }
            }
          }
          try await group.waitForAll()
        }
      }
      try kit.expect(took < limit * 5, "eight timeouts of \(limit) took \(took)")
    }
  }

  package static let idleTimeoutBeforeHead = ConformanceRule(
    "idle-timeout-before-head", "a server that never responds ends in idleTimedOut, maybe processed",
    source: "Timeouts",
    because: "A server that hangs must not hang the app."
  ) { kit in
    let place = kit.serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.idle = short
    let error = try await kit.expectError(.idleTimedOut, "waiting") { _ = try await kit.send(request) }
    try kit.expect(error.isTimeout && error.isRetryable, "the error is not a timeout, or not retryable")
    try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
  }

  package static let idleTimeoutInBody = ConformanceRule(
    "idle-timeout-in-body", "a body that stops arriving ends in idleTimedOut, after the bytes that arrived",
    source: "Timeouts",
    because: "A dead network announces itself by silence only."
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

  package static let idleTimeoutOfUpload = ConformanceRule(
    "idle-timeout-of-upload", "a server that stops reading ends in idleTimedOut", source: "Timeouts",
    because: "A server that stops reading is as silent as one that stops writing.", capabilities: .streamedUploads,
    features: .slowReading
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(upload: .readPartly(1000, then: gate)))
    let source = UploadSource(pieces: [.repeated(Data(count: 65_536), 1024)])
    var request = Request(.post, place.url(), body: source.body(length: 64 << 20))
    request.options.timeouts.idle = .milliseconds(400)
    try await kit.expectError(.idleTimedOut, "uploading") { _ = try await kit.send(request) }
  }

  package static let idleTimeoutStandsStill = ConformanceRule(
    "idle-timeout-stands-still", "a reader slower than the idle timeout gets everything", source: "Timeouts",
    because: "A slow reader is not a slow server.", capabilities: .backpressure
  ) { kit in
    let answer = ConformanceAnswer.pattern(24 << 20)
    var request = Request(.get, kit.serve(answer).url())
    request.options.timeouts.idle = short
    var seen = 0
    // A busy machine can stop the server for that long, too; a transport that counts the reader's pauses fails each time.
    for attempt in 1...3 {
      seen = 0
      var pauses = 0
      do {
        for try await chunk in try await kit.send(request).body {
          seen += chunk.count
          if pauses < 2, seen > pauses << 20 {
            pauses += 1
            try await kit.passTime(.milliseconds(400))
          }
        }
        break
      } catch let error as NetworkError where error.kind == .idleTimedOut && attempt < 3 {}
    }
    try kit.expectEqual(seen, 24 << 20, "the bytes")
  }

  package static let rateLimitKept = ConformanceRule(
    "rate-limit-kept", "a body under a rate limit arrives evenly and completely, however short the idle timeout is",
    source: "RequestOptions",
    because: "A transport that waits on purpose must not take that for a dead network.",
    capabilities: .rateLimit
  ) { kit in
    var request = Request(.get, kit.serve(.pattern(300_000)).url())
    request.options.timeouts.idle = short
    request.options.rateLimit = RateLimit(receive: 200_000)
    let start = ContinuousClock.now
    var early = 0
    var seen = 0
    for try await chunk in try await kit.send(request).body {
      seen += chunk.count
      if ContinuousClock.now - start < .milliseconds(500) { early = seen }
    }
    try kit.expectEqual(seen, 300_000, "the bytes")
    try kit.expect(early <= 150_000, "\(early) bytes came in the first half second")
    try kit.expect(ContinuousClock.now - start >= .seconds(1), "all of it arrived in less than a second")
  }

  package static let rateLimitOfUploadKept = ConformanceRule(
    "rate-limit-of-upload-kept", "a request's body under a rate limit is sent evenly and completely",
    source: "RequestOptions",
    because: "An upload that waits on purpose is not idle either.",
    capabilities: .rateLimit
  ) { kit in
    for count in [60_000, 100_000] {
      let place = kit.serve()
      var request = Request(.post, place.url(), body: .bytes(Data(repeating: 0x61, count: count)))
      request.options.timeouts.idle = short
      request.options.rateLimit = RateLimit(send: Int64(count))
      let start = ContinuousClock.now
      _ = try await kit.fetch(request)
      try kit.expectEqual(place.requests.first?.contentLength, Int64(count), "the bytes")
      try kit.expect(ContinuousClock.now - start >= .milliseconds(700), "all of it was sent in less than 0.7 s")
    }
  }

  package static let totalTimeoutBeforeHead = ConformanceRule(
    "total-timeout-before-head", "an attempt that takes too long before the head ends in timedOut", source: "Timeouts",
    because: "A server that sends 1xx heads forever is not idle, and never answers."
  ) { kit in
    let place = kit.serve(ConformanceAnswer(holdsHead: OriginGate()))
    var request = Request(.get, place.url())
    request.options.timeouts.total = short
    let error = try await kit.expectError(.timedOut, "waiting") { _ = try await kit.send(request) }
    try kit.expect(error.isTimeout, "the error is not a timeout")
  }

  package static let totalTimeoutInBody = ConformanceRule(
    "total-timeout-in-body", "an attempt that takes too long in the body ends in timedOut", source: "Timeouts",
    because: "A trickle of bytes must not extend the time without end."
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 10_000), holdsContent: .init(after: 4000)))
    var request = Request(.get, place.url())
    request.options.timeouts.total = short
    let response = try await kit.send(request)
    let error = try await kit.expectError(.timedOut, "reading") {
      _ = try await kit.collect(response.body, upTo: 10_000)
    }
    try kit.expectEqual(error.stage, .receivingBody, "the stage")
  }

  package static let totalTimeoutInTime = ConformanceRule(
    "total-timeout-in-time", "a total timeout ends an attempt neither early nor seconds late", source: "Timeouts",
    because: "Whoever sets a time shows something else, or asks another server, when it is over."
  ) { kit in
    let limit = Duration.milliseconds(400)
    let head = ConformanceAnswer(holdsHead: OriginGate())
    let body = ConformanceAnswer(content: .pattern(.seeded(1), count: 10_000), holdsContent: .init(after: 4000))
    for (answer, what) in [(head, "waiting for the head"), (body, "reading the body")] {
      var request = Request(.get, kit.serve(answer).url())
      request.options.timeouts.total = limit
      let took = try await ContinuousClock().measure { [request] in
        try await kit.expectError(.timedOut, what) { _ = try await kit.fetch(request) }
      }
      try kit.expect(took > limit - .milliseconds(20), "\(what) ended after \(took), before its time of \(limit)")
      // A busy machine may be late, but not by this much.
      try kit.expect(took < limit + .seconds(5), "\(what) ended after \(took), long after its time of \(limit)")
    }
  }

  package static let totalTimeoutOfSlowReader = ConformanceRule(
    "total-timeout-of-slow-reader", "the total timeout runs while the reader is slow", source: "Timeouts",
    because: "The total time is a promise to the caller, whoever is slow.", capabilities: .backpressure
  ) { kit in
    let place = kit.serve(.pattern(64 << 20))
    var request = Request(.get, place.url())
    request.options.timeouts.total = .milliseconds(600)
    let response = try await kit.send(request)
    try await kit.passTime(.seconds(1))
    try await kit.expectError(.timedOut, "reading late") { _ = try await kit.collect(response.body, upTo: 64 << 20) }
  }

  package static let timeoutsLeaveOthers = ConformanceRule(
    "timeouts-leave-others", "a request that times out does not affect the others", source: "Timeouts",
    because: "Each request has its own patience."
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(content: .bytes([0x61]), holdsHead: gate))
    let waiting = Task { try await kit.fetch(place).body }
    await gate.reached()
    try await kit.passTime(short)
    gate.open()
    try kit.expectEqual(try await waiting.value, Data("a".utf8), "the other body")
  }

  package static let timedOutConnectionLeft = ConformanceRule(
    "timed-out-connection-left", "after a request timed out, the next one uses another connection", source: "Timeouts",
    because: "A connection on which nothing arrives may be dead, and nothing else says so.",
    features: .connections
  ) { kit in
    for kind in [NetworkError.Kind.timedOut, .idleTimedOut] {
      let place = kit.serve { request in
        request.query == "hold" ? ConformanceAnswer(holdsHead: OriginGate()) : .text("a")
      }
      var held = Request(.get, place.url("?hold"))
      // Beyond 250 ms without a byte, a connection counts as silent.
      if kind == .timedOut { held.options.timeouts.total = short * 2 } else { held.options.timeouts.idle = short * 2 }
      held.options.delivery = .collected
      var next = Request(.get, place.url())
      next.options.delivery = .collected
      _ = try await kit.fetch(next)
      try await kit.expectError(kind, "waiting") { [held] in _ = try await kit.send(held) }
      try kit.expectEqual(try await kit.fetch(next).body, Data("a".utf8), "the next body")
      let used = place.requests.map(\.connection)
      try kit.expect(used.count == 3 && used[2] != used[1], "the next request used connection \(used) again")
    }
  }

  package static let runningBodyOutlivesTimeout = ConformanceRule(
    "running-body-outlives-timeout", "a request that waits goes on when another one times out", source: "Timeouts",
    because: "A connection that others have left may still carry a body.",
    features: .connections
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve { request in
      switch request.query {
      case "hold": ConformanceAnswer(holdsHead: OriginGate())
      case "slow": ConformanceAnswer(content: .bytes([0x61]), holdsHead: gate)
      default: .text("b")
      }
    }
    func request(_ query: String) -> Request {
      var request = Request(.get, place.url(query))
      request.options.delivery = .collected
      return request
    }
    _ = try await kit.fetch(request(""))
    let slow = Task { [slow = request("?slow")] in try await kit.fetch(slow).body }
    await gate.reached()
    var held = request("?hold")
    held.options.timeouts.total = short * 2
    try await kit.expectError(.timedOut, "waiting") { [held] in _ = try await kit.send(held) }
    try kit.expectEqual(try await kit.fetch(request("")).body, Data("b".utf8), "the next body")
    gate.open()
    try kit.expectEqual(try await slow.value, Data("a".utf8), "the body that waited")
  }
}
