import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for reading a body.
  static let readingRules: [ConformanceRule] = [
    .bodyReadOnce, .collectKeepsLimit, .drainSameBytes, .drainWaits, .drainSinkError, .discardKeepsConnection,
  ]
}

extension ConformanceRule {
  package static let bodyReadOnce = ConformanceRule(
    "body-read-once", "a second reading ends in bodyAlreadyRead", source: "ResponseBody",
    because: "Two readers would each get a part of the bytes."
  ) {
    kit in
    let response = try await kit.send(Request(.get, kit.serve(.pattern(1000)).url()))
    _ = try await kit.collect(response.body, upTo: 1000)
    try await kit.expectError(.bodyAlreadyRead, "reading again") {
      _ = try await kit.collect(response.body, upTo: 1000)
    }
    try await kit.expectError(.bodyAlreadyRead, "draining again") {
      try await kit.drain(response.body, into: CollectingSink())
    }
  }

  package static let collectKeepsLimit = ConformanceRule(
    "collect-keeps-limit", "collecting beyond the limit ends in bodyTooLarge and cancels the transfer",
    source: "ResponseBody",
    because: "The limit protects the memory, so reading must stop there.",
    features: .departures
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: .init(after: 100_000)))
    let response = try await kit.send(Request(.get, place.url()))
    try await kit.expectError(.bodyTooLarge, "collecting") { _ = try await kit.collect(response.body, upTo: 50_000) }
    try await place.departures()
  }

  package static let drainSameBytes = ConformanceRule(
    "drain-same-bytes", "draining gives the same bytes", source: "ResponseBody",
    because: "How a body is read must not change it."
  ) { kit in
    for count in [0, 10, 3_000_000] as [Int64] {
      let answer = ConformanceAnswer.pattern(count)
      let sink = CollectingSink()
      try await kit.send(Request(.get, kit.serve(answer).url())).body.drain(into: sink)
      try kit.expect(sink.bytes == answer.content.all, "\(sink.bytes.count) bytes came, not the \(count) sent")
    }
  }

  package static let drainWaits = ConformanceRule(
    "drain-waits", "a sink that pauses receives nothing until it is ready, and then the rest", source: "BodySink",
    because: "A sink that pauses has no room for another byte."
  ) { kit in
    let answer = ConformanceAnswer.pattern(3_000_000)
    let sink = CollectingSink(waitingEvery: 5)
    try await kit.send(Request(.get, kit.serve(answer).url())).body.drain(into: sink)
    try kit.expect(sink.bytes == answer.content.all, "\(sink.bytes.count) bytes came, not 3000000")
    try kit.expectEqual(sink.receivedWhileWaiting, 0, "the calls while it waited")
    try kit.expect(sink.readyCalls > 0, "ready was never called")
    try kit.expectEqual(sink.readyCalls, sink.waits, "the calls of ready")
  }

  package static let drainSinkError = ConformanceRule(
    "drain-sink-error", "an error that a sink throws ends the draining and the transfer", source: "BodySink",
    because: "The caller must learn why the file is incomplete.",
    features: .departures
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: .init(after: 1000)))
    let response = try await kit.send(Request(.get, place.url()))
    do {
      try await kit.drain(response.body, into: CollectingSink(failingAfter: 1))
      throw ConformanceFailure("draining succeeded")
    } catch is CollectingSink.Failure {
    } catch let failure as ConformanceFailure {
      throw failure
    } catch {
      throw ConformanceFailure("draining ended in \(error), not in the error of the sink")
    }
    try await place.departures()
  }

  package static let discardKeepsConnection = ConformanceRule(
    "discard-keeps-connection", "discarding a small body keeps the connection", source: "ResponseBody",
    because: "A redirect with a short body must not cost a new TLS handshake.", features: .connections
  ) { kit in
    let place = kit.serve(.pattern(10_000))
    for _ in 0..<3 {
      let response = try await kit.send(Request(.get, place.url()))
      try kit.expect(await response.body.discard(), "the end was not reached")
    }
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 1, "the number of connections")
  }
}

/// A sink that keeps its bytes, and waits or fails when told.
final class CollectingSink: BodySink {
  struct Failure: Error {}

  private struct State {
    var bytes: [UInt8] = []
    var calls = 0
    var waits = 0
    var isWaiting = false
    var receivedWhileWaiting = 0
    var readyCalls = 0
  }

  private let state = Guarded(State())
  private let period: Int?
  private let lastCall: Int?

  init(waitingEvery period: Int? = nil, failingAfter calls: Int? = nil) {
    self.period = period
    lastCall = calls
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var waits: Int { state.withLock { $0.waits } }
  var readyCalls: Int { state.withLock { $0.readyCalls } }
  var receivedWhileWaiting: Int { state.withLock { $0.receivedWhileWaiting } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    try state.withLock { state in
      state.calls += 1
      if state.isWaiting { state.receivedWhileWaiting += 1 }
      state.bytes.append(contentsOf: bytes)
      if let lastCall, state.calls >= lastCall { throw Failure() }
      guard let period, state.calls % period == 0 else { return .more }
      state.waits += 1
      state.isWaiting = true
      return .pause
    }
  }

  func ready() async throws {
    try await Task.sleep(for: .milliseconds(1))
    state.withLock { state in
      state.readyCalls += 1
      state.isWaiting = false
    }
  }
}
