import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for cancelling at every point.
  static let cancellationRules: [ConformanceRule] = [
    .cancelledBeforeSending, .cancelledBeforeHead, .cancelledInBody, .cancelledInDrain, .cancelledBySink,
    .cancelledUpload,
    .droppedBodyCancels, .cancelledBodyThrows, .cancelAfterEndIsNothing, .cancelledLeavesOthers, .nothingLate,
  ]
}

extension ConformanceRule {
  /// Checks a task that was cancelled before sending.
  package static let cancelledBeforeSending = ConformanceRule(
    "cancelled-before-sending", "a cancelled task sends nothing and ends in CancellationError"
  ) { kit in
    let place = kit.serve()
    let gate = OriginGate()
    let task = Task {
      await Awaiting.oneCall { gate.arrive($0) }
      _ = try await kit.send(Request(.get, place.url()))
    }
    task.cancel()
    gate.open()
    try await kit.expectCancellation("sending") { try await task.value }
    _ = try await kit.fetch(kit.serve())
    try kit.expect(place.requests.isEmpty, "it reached the server")
  }

  /// Checks cancellation while waiting for the head.
  package static let cancelledBeforeHead = ConformanceRule(
    "cancelled-before-head", "cancelling before the head ends in CancellationError, and the server sees it",
    features: .departures
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(holdsHead: gate))
    let task = Task { _ = try await kit.send(Request(.get, place.url())) }
    await gate.reached()
    task.cancel()
    try await kit.expectCancellation("waiting for the head") { try await task.value }
    try await place.departures()
  }

  /// Checks cancellation while the body arrives.
  package static let cancelledInBody = ConformanceRule(
    "cancelled-in-body", "cancelling while the body arrives ends in CancellationError, and the server notices it",
    features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let task = Task {
      let response = try await kit.send(Request(.get, place.url()))
      _ = try await response.body.collect(upTo: 1 << 20)
    }
    await hold.gate.reached()
    task.cancel()
    try await kit.expectCancellation("waiting for the body") { try await task.value }
    try await place.departures()
  }

  /// Checks cancellation while a sink receives the body.
  package static let cancelledInDrain = ConformanceRule(
    "cancelled-in-drain", "cancelling while a sink takes the body ends in CancellationError", features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let task = Task {
      let response = try await kit.send(Request(.get, place.url()))
      try await response.body.drain(into: CollectingSink())
    }
    await hold.gate.reached()
    task.cancel()
    try await kit.expectCancellation("draining") { try await task.value }
    try await place.departures()
  }

  /// Checks a sink that cancels its own body while it receives bytes.
  package static let cancelledBySink = ConformanceRule(
    "cancelled-by-sink", "a sink that cancels its own body ends in CancellationError, and the server notices it",
    features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let response = try await kit.send(Request(.get, place.url()))
    let sink = CancellingSink(response.body)
    try await kit.expectCancellation("draining") { try await response.body.drain(into: sink) }
    try await place.departures()
  }

  /// Checks cancellation while the request's body is sent.
  package static let cancelledUpload = ConformanceRule(
    "cancelled-upload", "cancelling during the upload ends in CancellationError, and the request never looks complete",
    capabilities: .streamedUploads, features: .brokenUploads
  ) { kit in
    let place = kit.serve()
    let gate = OriginGate()
    let source = UploadSource(pieces: [.bytes(Data(count: 1000)), .wait(gate), .bytes(Data(count: 1000))])
    let task = Task { _ = try await kit.send(Request(.post, place.url(), body: source.body())) }
    await gate.reached()
    task.cancel()
    try await kit.expectCancellation("uploading") { try await task.value }
    for request in place.requests {
      _ = await request.content()
      try kit.expect(!request.isComplete, "it looked complete to the server")
    }
  }

  /// Releasing a `ResponseBody` unread cancels the transfer.
  package static let droppedBodyCancels = ConformanceRule(
    "dropped-body-cancels", "releasing a body unread cancels the transfer", features: .departures
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: .init(after: 5000)))
    _ = try await kit.send(Request(.get, place.url())).head
    try await place.departures(1)
    do {
      let response = try await kit.send(Request(.get, place.url()))
      var iterator = response.body.makeAsyncIterator()
      _ = try await iterator.next()
    }
    try await place.departures(2)
  }

  /// Reading a body after `ResponseBody.cancel` throws `CancellationError`.
  package static let cancelledBodyThrows = ConformanceRule(
    "cancelled-body-throws", "reading a cancelled body ends in CancellationError, also for a reader that is waiting",
    features: .departures
  ) { kit in
    let early = kit.serve(
      ConformanceAnswer(
        content: .pattern(.seeded(1), count: 1000), holdsContent: ConformanceAnswer.Hold(after: 10)))
    let first = try await kit.send(Request(.get, early.url()))
    first.body.cancel()
    first.body.cancel()
    try await kit.expectCancellation("reading") { _ = try await first.body.collect(upTo: 1000) }
    let hold = ConformanceAnswer.Hold(after: 10)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1000), holdsContent: hold))
    let second = try await kit.send(Request(.get, place.url()))
    let reading = Task { _ = try await second.body.collect(upTo: 1000) }
    await hold.gate.reached()
    second.body.cancel()
    try await kit.expectCancellation("a waiting reader") { try await reading.value }
    try await place.departures()
  }

  /// `ResponseBody.cancel` does nothing after the end of the body.
  package static let cancelAfterEndIsNothing = ConformanceRule(
    "cancel-after-end-is-nothing", "cancelling a body that has ended does nothing", features: .connections
  ) { kit in
    let place = kit.serve(.pattern(1000))
    for _ in 0..<3 {
      let response = try await kit.send(Request(.get, place.url()))
      _ = try await response.body.collect(upTo: 1000)
      response.body.cancel()
    }
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 1, "the number of connections")
  }

  /// Checks the cancellation of some of many requests.
  package static let cancelledLeavesOthers = ConformanceRule(
    "cancelled-leaves-others", "cancelling some of many requests does not affect the others"
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve { request in
      ConformanceAnswer(content: .bytes([UInt8]((request.query ?? "").utf8)), holdsHead: gate)
    }
    let tasks = (0..<20).map { number in
      Task { try await kit.fetch(Request(.get, place.url("?\(number)"))).body }
    }
    await gate.reached(by: 20)
    for number in stride(from: 0, to: 20, by: 2) { tasks[number].cancel() }
    for number in stride(from: 0, to: 20, by: 2) {
      try await kit.expectCancellation("request \(number)") { _ = try await tasks[number].value }
    }
    gate.open()
    for number in stride(from: 1, to: 20, by: 2) {
      try kit.expectEqual(try await tasks[number].value, Data("\(number)".utf8), "the body of \(number)")
    }
  }

  /// Checks that no event follows the record of a sending.
  package static let nothingLate = ConformanceRule(
    "nothing-late", "no event of a sending follows its metrics", capabilities: .metrics,
    features: .departures
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: .init(after: 100_000)))
    for number in 0..<10 {
      let observer = RecordingObserver()
      let response = try await kit.send(Request(.get, place.url()), in: kit.exchange(observer: observer))
      if number % 2 == 0 {
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
      }
      response.body.cancel()
      _ = try await observer.first { $0.kind.name == "measured" }
      _ = try await kit.fetch(kit.serve(.pattern(1 << 20)))
      try kit.expectEqual(observer.names.last, "measured", "the last event")
      try kit.expectEqual(observer.names.filter { $0 == "measured" }.count, 1, "the number of records")
    }
  }
}

/// A sink that gives its body up with the first bytes.
private final class CancellingSink: BodySink {
  private let body: ResponseBody

  init(_ body: ResponseBody) { self.body = body }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkDemand {
    body.cancel()
    return .more
  }
}
