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
  package static let cancelledBeforeSending = ConformanceRule(
    "cancelled-before-sending", "a cancelled task sends nothing and ends in CancellationError", source: "Transport",
    because: "A request that nobody waits for must not reach the server."
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

  package static let cancelledBeforeHead = ConformanceRule(
    "cancelled-before-head", "cancelling before the head ends in CancellationError, and the server sees it",
    source: "Transport",
    because: "A cancelled request must free its connection, and its server, while it waits.",
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

  package static let cancelledInBody = ConformanceRule(
    "cancelled-in-body", "cancelling while the body arrives ends in CancellationError, and the server notices it",
    source: "Transport",
    because: "A cancelled download must stop using the network.",
    features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let task = Task {
      let response = try await kit.send(Request(.get, place.url()))
      _ = try await kit.collect(response.body, upTo: 1 << 20)
    }
    await hold.gate.reached()
    task.cancel()
    try await kit.expectCancellation("waiting for the body") { try await task.value }
    try await place.departures()
  }

  package static let cancelledInDrain = ConformanceRule(
    "cancelled-in-drain", "cancelling while a sink takes the body ends in CancellationError", source: "Transport",
    because: "A sink must get no byte after its task was cancelled.", features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let task = Task {
      let response = try await kit.send(Request(.get, place.url()))
      try await kit.drain(response.body, into: CollectingSink())
    }
    await hold.gate.reached()
    task.cancel()
    try await kit.expectCancellation("draining") { try await task.value }
    try await place.departures()
  }

  package static let cancelledBySink = ConformanceRule(
    "cancelled-by-sink", "a sink that cancels its own body ends in CancellationError, and the server notices it",
    source: "BodySink",
    because: "A sink that has enough must be able to stop the transfer from inside its own call.",
    features: .departures
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 5000)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: hold))
    let response = try await kit.send(Request(.get, place.url()))
    let sink = CancellingSink(response.body)
    try await kit.expectCancellation("draining") { try await kit.drain(response.body, into: sink) }
    try await place.departures()
  }

  package static let cancelledUpload = ConformanceRule(
    "cancelled-upload", "cancelling during the upload ends in CancellationError, and the request never looks complete",
    source: "Transport",
    because: "Half a request that looks complete would be acted upon by the server.",
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

  package static let droppedBodyCancels = ConformanceRule(
    "dropped-body-cancels", "releasing a body unread cancels the transfer", source: "ResponseBody",
    because: "A body that was forgotten must not hold a connection.", features: .departures
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

  package static let cancelledBodyThrows = ConformanceRule(
    "cancelled-body-throws", "reading a cancelled body ends in CancellationError, also for a reader that is waiting",
    source: "ResponseBody",
    because: "A reader must not wait for bytes that will never come, nor take a part for the whole.",
    features: .departures
  ) { kit in
    let early = kit.serve(
      ConformanceAnswer(
        content: .pattern(.seeded(1), count: 1000), holdsContent: ConformanceAnswer.Hold(after: 10)))
    let first = try await kit.send(Request(.get, early.url()))
    first.body.cancel()
    first.body.cancel()
    try await kit.expectCancellation("reading") { _ = try await kit.collect(first.body, upTo: 1000) }
    let hold = ConformanceAnswer.Hold(after: 10)
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1000), holdsContent: hold))
    let second = try await kit.send(Request(.get, place.url()))
    let reading = Task { _ = try await kit.collect(second.body, upTo: 1000) }
    await hold.gate.reached()
    second.body.cancel()
    try await kit.expectCancellation("a waiting reader") { try await reading.value }
    try await place.departures()
  }

  package static let cancelAfterEndIsNothing = ConformanceRule(
    "cancel-after-end-is-nothing", "cancelling a body that has ended does nothing", source: "ResponseBody",
    because: "Code that cleans up must not have to know whether the body has ended.", features: .connections
  ) { kit in
    let place = kit.serve(.pattern(1000))
    for _ in 0..<3 {
      let response = try await kit.send(Request(.get, place.url()))
      _ = try await kit.collect(response.body, upTo: 1000)
      response.body.cancel()
    }
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 1, "the number of connections")
  }

  package static let cancelledLeavesOthers = ConformanceRule(
    "cancelled-leaves-others", "cancelling some of many requests does not affect the others", source: "Transport",
    because: "Requests share connections and threads; cancelling one must not harm its neighbours."
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

  package static let nothingLate = ConformanceRule(
    "nothing-late", "no event of a sending follows its metrics", source: "Transport",
    because: "An observer that has closed its records must not receive more.", capabilities: .metrics,
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
      _ = try await observer.first(named: "measured")
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
