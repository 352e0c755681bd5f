import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for readers that are slower than the network.
  static let backpressureRules: [ConformanceRule] = [
    .unreadBodyStaysOutside, .slowReaderHoldsServer, .waitingSinkHoldsServer, .slowReaderLeavesOthers,
    .pauseHoldsStream, .pauseHoldsUpload,
  ]
}

extension ConformanceRule {
  // The kernel's buffers on both sides, and a proxy's between them.
  private static let mostAhead: Int64 = 24 << 20
  private static let size: Int64 = 48 << 20

  package static let unreadBodyStaysOutside = ConformanceRule(
    "unread-body-stays-outside", "the bytes of an unread body stay in the socket", source: "Transport",
    because: "Bytes that nobody reads must not fill the memory of the process.", capabilities: .backpressure,
    features: .progress
  ) { kit in
    let place = kit.serve(.pattern(size))
    let response = try await kit.send(Request(.get, place.url()))
    for _ in 0..<2 { try await kit.spendWork() }
    let sent = place.sentBytes
    try kit.expect(sent <= mostAhead, "\(sent) bytes were taken from the server")
    response.body.cancel()
  }

  package static let slowReaderHoldsServer = ConformanceRule(
    "slow-reader-holds-server", "a reader that stops stops the server, and later gets the rest", source: "Transport",
    because: "A reader that pauses must stop the server, or memory holds what the reader has not taken.",
    capabilities: .backpressure, features: .progress
  ) { kit in
    let place = kit.serve(.pattern(size))
    let response = try await kit.send(Request(.get, place.url()))
    var seen: Int64 = 0
    var hasPaused = false
    for try await chunk in response.body {
      seen += Int64(chunk.count)
      guard !hasPaused, seen > 1 << 20 else { continue }
      hasPaused = true
      try await kit.spendWork()
      let ahead = place.sentBytes - seen
      try kit.expect(ahead <= mostAhead, "\(ahead) bytes were taken from the server ahead of the reader")
    }
    try kit.expectEqual(seen, size, "the bytes")
  }

  package static let waitingSinkHoldsServer = ConformanceRule(
    "waiting-sink-holds-server", "a sink that pauses stops the server, and later gets the rest", source: "BodySink",
    because: "A full disk or pipe must stop the server, not fill the memory.",
    capabilities: .backpressure, features: .progress
  ) { kit in
    let place = kit.serve(.pattern(size))
    let gate = OriginGate()
    let sink = GatedSink(gate: gate)
    let response = try await kit.send(Request(.get, place.url()))
    let draining = Task { try await kit.drain(response.body, into: sink) }
    await gate.reached()
    try await kit.spendWork()
    let ahead = place.sentBytes - sink.count
    try kit.expect(ahead <= mostAhead, "\(ahead) bytes were taken from the server ahead of the sink")
    gate.open()
    try await draining.value
    try kit.expectEqual(sink.count, size, "the bytes")
  }

  package static let pauseHoldsStream = ConformanceRule(
    "pause-holds-stream", "a paused request asks for no more of its body, and resumes where it stopped",
    source: "ExchangeSettings",
    because: "A paused upload must stop its source, which may be a camera or another request.",
    capabilities: [.backpressure, .streamedUploads]
  ) { kit in
    let pause = PauseSignal()
    let place = kit.serve()
    let gate = OriginGate()
    let chunk = Data(count: 65_536)
    let source = UploadSource(
      pieces: [.repeated(chunk, 16), .wait(gate), .repeated(chunk, Int(size) / chunk.count - 16)])
    let sending = Task {
      try await kit.send(Request(.put, place.url(), body: source.body()), in: kit.exchange { $0.pause = pause })
    }
    await gate.reached()
    pause.pause()
    gate.open()
    for _ in 0..<2 { try await kit.spendWork() }
    let ahead = source.made
    try kit.expect(ahead <= mostAhead, "\(ahead) bytes were asked for")
    pause.resume()
    try kit.expectEqual(try await sending.value.head.status, .ok, "the status")
    try kit.expectEqual(place.requests.first?.contentLength, size, "the bytes that arrived")
  }

  package static let pauseHoldsUpload = ConformanceRule(
    "pause-holds-upload", "a paused request sends no more of its body, and the rest after the pause",
    source: "ExchangeSettings",
    because: "A person who pauses an upload wants the network to be quiet at once.",
    capabilities: .backpressure, features: [.sockets, .slowReading]
  ) { kit in
    let pause = PauseSignal()
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(upload: .readPartly(1 << 20, then: gate)))
    let body = Body.bytes(Data(count: Int(size)))
    let sending = Task {
      try await kit.send(Request(.put, place.url(), body: body), in: kit.exchange { $0.pause = pause })
    }
    await gate.reached()
    pause.pause()
    gate.open()
    for _ in 0..<2 { try await kit.spendWork() }
    let arrived = place.requests.first?.contentLength ?? 0
    try kit.expect(arrived <= mostAhead, "\(arrived) bytes arrived")
    pause.resume()
    try kit.expectEqual(try await sending.value.head.status, .ok, "the status")
    try kit.expectEqual(place.requests.first?.contentLength, size, "the bytes that arrived")
  }

  package static let slowReaderLeavesOthers = ConformanceRule(
    "slow-reader-leaves-others", "an unread body delays no other request", source: "Transport",
    because: "One slow reader must not stop the rest of the app."
  ) { kit in
    let stopped = kit.serve(.pattern(8 << 20))
    var responses: [Response] = []
    for _ in 0..<3 { responses.append(try await kit.send(Request(.get, stopped.url()))) }
    for number in 0..<20 {
      let body = try await kit.fetch(kit.serve(.text("answer \(number)"))).body
      try kit.expectEqual(body, Data("answer \(number)".utf8), "another body")
    }
    for response in responses {
      try kit.expectEqual(try await kit.collect(response.body, upTo: 8 << 20).count, 8 << 20, "the body's length")
    }
  }
}

/// A sink that waits once for a gate.
private final class GatedSink: BodySink {
  private let taken = Guarded<(count: Int64, hasWaited: Bool)>((0, false))
  private let gate: OriginGate

  init(gate: OriginGate) { self.gate = gate }

  var count: Int64 { taken.withLock { $0.count } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    taken.withLock { taken in
      taken.count += Int64(bytes.count)
      guard !taken.hasWaited, taken.count > 1 << 20 else { return .more }
      taken.hasWaited = true
      return .pause
    }
  }

  func ready() async throws { await Awaiting.oneCall { gate.arrive($0) } }
}
