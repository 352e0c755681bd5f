import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for metrics and events.
  static let metricsRules: [ConformanceRule] = [
    .recordedOnce, .failureRecordedOnce, .cancellationRecordedOnce, .refusalNotRecorded, .bytesCounted,
    .codedBytesCounted, .phasesMeasured, .headToldBeforeBytes, .eventsInOrder, .uploadToldBeforeHead, .eventsCoalesced,
    .progressNeverFalls,
  ]
}

extension ConformanceRule {
  package static let recordedOnce = ConformanceRule(
    "recorded-once", "a sending is recorded once, when its body has ended", source: "Transport",
    because: "Measurements are summed; a sending that is recorded twice is counted twice.", capabilities: .metrics
  ) { kit in
    let exchange = kit.exchange().derived(attempt: 3, hop: 2)
    let response = try await kit.send(Request(.get, kit.serve(.pattern(8 << 20)).url()), in: exchange)
    try kit.expect(exchange.metrics.isEmpty, "it was recorded before its body ended")
    _ = try await kit.collect(response.body, upTo: 8 << 20)
    response.body.cancel()
    try kit.expectEqual(exchange.metrics.count, 1, "the number of records")
    try kit.expectEqual(exchange.metrics.first?.attempt, 3, "the attempt")
    try kit.expectEqual(exchange.metrics.first?.hop, 2, "the hop")
  }

  package static let failureRecordedOnce = ConformanceRule(
    "failure-recorded-once", "a sending that fails in its body is recorded once", source: "Transport",
    because: "Failures are what measurements are read for.", capabilities: .metrics,
    features: .cuts
  ) { kit in
    let place = kit.serve(ConformanceAnswer(content: .pattern(.seeded(1), count: 1000), ending: .cut(after: 400)))
    let exchange = kit.exchange()
    let response = try await kit.send(Request(.get, place.url()), in: exchange)
    _ = try? await response.body.collect(upTo: 1000)
    try kit.expectEqual(exchange.metrics.count, 1, "the number of records")
    try kit.expectEqual(exchange.metrics.first?.bytesReceived, 400, "the bytes received")
  }

  package static let cancellationRecordedOnce = ConformanceRule(
    "cancellation-recorded-once", "a cancelled sending is recorded once", source: "Transport",
    because: "A cancelled sending has used the network, too.", capabilities: .metrics
  ) { kit in
    let place = kit.serve(
      ConformanceAnswer(content: .pattern(.seeded(1), count: 1000), holdsContent: .init(after: 400)))
    let observer = RecordingObserver()
    let exchange = kit.exchange(observer: observer)
    do {
      let response = try await kit.send(Request(.get, place.url()), in: exchange)
      response.body.cancel()
      response.body.cancel()
    }
    _ = try await observer.first(named: "measured")
    try kit.expectEqual(exchange.metrics.count, 1, "the number of records after cancel")
    let gate = OriginGate()
    let held = kit.serve(ConformanceAnswer(holdsHead: gate))
    let other = RecordingObserver()
    let second = kit.exchange(observer: other)
    let task = Task { _ = try await kit.send(Request(.get, held.url()), in: second) }
    await gate.reached()
    task.cancel()
    _ = await task.result
    _ = try await other.first(named: "measured")
    try kit.expectEqual(second.metrics.count, 1, "the number of records before the head")
  }

  package static let refusalNotRecorded = ConformanceRule(
    "refusal-not-recorded", "a rejected request is not recorded", source: "Transport",
    because: "A request that was never sent has nothing to measure.", capabilities: .metrics
  ) { kit in
    let exchange = kit.exchange()
    _ = try? await kit.send(try Request(.get, "ftp://127.0.0.1/"), in: exchange)
    try kit.expectEqual(exchange.metrics.count, 0, "the number of records")
  }

  package static let bytesCounted = ConformanceRule(
    "bytes-counted", "bytes of both bodies are counted exactly, without framing", source: "ExchangeMetrics",
    because: "Counts are compared with `Content-Length`, which excludes framing.", capabilities: .metrics
  ) { kit in
    let place = kit.serve(.pattern(123_456))
    let exchange = kit.exchange()
    _ = try await kit.fetch(Request(.post, place.url(), body: .bytes(Data(count: 70_000))), in: exchange)
    let metrics = exchange.metrics.first
    try kit.expectEqual(metrics?.bytesSent, 70_000, "the bytes sent")
    try kit.expectEqual(metrics?.bytesReceived, 123_456, "the bytes received")
    try kit.expectEqual(metrics?.bytesDelivered, 123_456, "the bytes delivered")
    guard kit.transport.capabilities.contains(.streamedUploads) else { return }
    let chunked = kit.exchange()
    let source = UploadSource(pieces: [.repeated(Data(count: 10_000), 30)])
    _ = try await kit.fetch(Request(.post, place.url(), body: source.body()), in: chunked)
    try kit.expectEqual(chunked.metrics.first?.bytesSent, 300_000, "the bytes sent in chunks")
  }

  package static let codedBytesCounted = ConformanceRule(
    "coded-bytes-counted", "received bytes are those of the coded content, delivered bytes those of the body",
    source: "ExchangeMetrics",
    because: "The network is charged for coded bytes, and the reader gets decoded ones.",
    capabilities: .metrics, features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    let exchange = kit.exchange()
    let answer = try await kit.fetch(Request(.get, place.url()), in: exchange)
    try kit.expectEqual(exchange.metrics.first?.bytesReceived, Int64(CodedText.gzip.count), "the bytes received")
    try kit.expectEqual(exchange.metrics.first?.bytesDelivered, Int64(answer.body.count), "the bytes delivered")
  }

  package static let phasesMeasured = ConformanceRule(
    "phases-measured", "phases, addresses and version are measured", source: "ExchangeMetrics",
    because: "A slow request is explained by the phase in which it waited.", capabilities: .metrics, features: .sockets
  ) { kit in
    let place = kit.serve(.pattern(1000))
    var records: [ExchangeMetrics] = []
    for _ in 0..<2 {
      let exchange = kit.exchange()
      _ = try await kit.fetch(Request(.get, place.url()), in: exchange)
      records += exchange.metrics
    }
    guard let first = records.first, let second = records.last, records.count == 2 else {
      throw ConformanceFailure("there were \(records.count) records")
    }
    try kit.expect(first.phases.connect != nil, "the connect phase is missing")
    try kit.expect(
      first.phases.firstByte != nil && first.phases.total != nil,
      "the time to the first byte or the total time is missing")
    try kit.expectEqual(first.phases.tls != nil, kit.endpoint.features.contains(.tls), "whether TLS was measured")
    try kit.expectEqual(first.connectionReused, false, "re-use, at first")
    try kit.expectEqual(second.connectionReused, true, "re-use, then")
    try kit.expect(first.remoteAddress?.contains("127.0.0.1") == true, "the address is \(first.remoteAddress ?? "")")
    try kit.expect(first.headerBytesReceived > 0, "the bytes of the head are not counted")
    try kit.expectEqual(first.version, kit.endpoint.features.contains(.http2) ? .http2 : .http11, "the version")
    let phases = first.phases
    let parts = [phases.lookup, phases.connect, phases.tls, phases.firstByte, phases.transfer].compactMap { $0 }
    try kit.expect(parts.allSatisfy { $0 >= .zero }, "a phase is negative")
    try kit.expect(
      parts.reduce(.zero, +) <= (phases.total ?? .zero) + .milliseconds(50), "the phases take longer than the total")
  }

  package static let headToldBeforeBytes = ConformanceRule(
    "head-told-before-bytes",
    "the head is told once, before any bytes of the body, and the last count is the whole body",
    source: "Transport",
    because: "A screen shows what comes before how much of it came, and ends at 100 %."
  ) { kit in
    let observer = RecordingObserver()
    let exchange = kit.exchange(observer: observer)
    let place = kit.serve(.pattern(200_000))
    _ = try await kit.fetch(Request(.get, place.url()), in: exchange)
    try await kit.received(200_000, by: observer)
    let names = observer.names
    try kit.expectEqual(names.filter { $0 == "responded" }.count, 1, "the number of responded events")
    try kit.expect(names.prefix { $0 != "received" }.contains("responded"), "bytes came before the head")
    let received = observer.kinds.compactMap { if case .received(let bytes, _) = $0 { bytes } else { nil } }
    try kit.expectEqual(received.last, 200_000, "the last count of bytes received")
    try kit.expect(observer.events.allSatisfy { $0.exchange == exchange.id }, "an event belongs to another exchange")
  }

  package static let eventsInOrder = ConformanceRule(
    "events-in-order", "events come in order: connected, the head, bytes, and the record last", source: "Transport",
    because: "Observers are state machines; an event out of order breaks them.", capabilities: .metrics
  ) { kit in
    let observer = RecordingObserver()
    let place = kit.serve(.pattern(200_000))
    let exchange = kit.exchange(observer: observer)
    _ = try await kit.fetch(Request(.post, place.url(), body: .bytes(Data(count: 50_000))), in: exchange)
    _ = try await observer.first(named: "measured")
    let names = observer.names
    try kit.expectEqual(names.filter { $0 == "connected" }.count, 1, "the number of connected events")
    try kit.expectEqual(names.filter { $0 == "responded" }.count, 1, "the number of responded events")
    try kit.expectEqual(names.last, "measured", "the last event")
    let sent = observer.kinds.compactMap { if case .sent(let bytes, _) = $0 { bytes } else { nil } }
    let received = observer.kinds.compactMap { if case .received(let bytes, _) = $0 { bytes } else { nil } }
    try kit.expectEqual(sent.last, 50_000, "the last count of bytes sent")
    try kit.expectEqual(received.last, 200_000, "the last count of bytes received")
    try kit.expect(observer.events.allSatisfy { $0.exchange == exchange.id }, "an event belongs to another exchange")
    let instants = observer.events.map(\.instant)
    try kit.expect(zip(instants, instants.dropFirst()).allSatisfy { $0 <= $1 }, "the instants decrease")
    let early = names.prefix { $0 != "received" }
    try kit.expect(
      early.contains("connected") || kit.endpoint.features.isDisjoint(with: .sockets), "bytes came before a connection")
    try kit.expect(early.contains("responded"), "bytes came before the head")
  }

  package static let uploadToldBeforeHead = ConformanceRule(
    "upload-told-before-head", "the progress of an upload is complete before the head of the answer to it",
    source: "Transport",
    because: "A progress bar must not move after the answer was shown.",
    features: .earlyAnswers
  ) { kit in
    for count in [1, 65_536, 65_537, 10_000_000] {
      let observer = RecordingObserver()
      let place = kit.serve(.pattern(1000))
      _ = try await kit.fetch(
        Request(.post, place.url(), body: .bytes(Data(count: count))), in: kit.exchange(observer: observer))
      _ = try await observer.first(named: "responded")
      let before = observer.kinds.prefix { $0.name != "responded" }
      let sent = before.compactMap { if case .sent(let bytes, _) = $0 { bytes } else { nil } }
      try kit.expectEqual(sent.last, Int64(count), "the last count of bytes sent before the head")
    }
  }

  package static let eventsCoalesced = ConformanceRule(
    "events-coalesced", "byte counts are reported at most ten times per second, and once at the end",
    source: "Transport",
    because: "An event for each packet would cost more than the transfer."
  ) { kit in
    let observer = RecordingObserver()
    let start = ContinuousClock.now
    let place = kit.serve(.pattern(32 << 20))
    _ = try await kit.fetch(
      Request(.post, place.url(), body: .bytes(Data(count: 8 << 20))), in: kit.exchange(observer: observer))
    try await kit.received(32 << 20, by: observer)
    let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
    for name in ["sent", "received"] {
      let count = observer.names.filter { $0 == name }.count
      try kit.expect(count >= 1 && count <= tenths + 3, "\(count) times \(name) in \(tenths) tenths of a second")
    }
  }

  package static let progressNeverFalls = ConformanceRule(
    "progress-never-falls", "byte counts never decrease and never exceed the expected number", source: "Transport",
    because: "A progress bar that goes back looks like a defect of the app."
  ) { kit in
    let observer = RecordingObserver()
    let place = kit.serve(.pattern(16 << 20))
    _ = try await kit.fetch(
      Request(.post, place.url(), body: .bytes(Data(count: 4 << 20))), in: kit.exchange(observer: observer))
    try await kit.received(16 << 20, by: observer)
    var last: [String: Int64] = [:]
    for kind in observer.kinds {
      switch kind {
      case .sent(let bytes, let expected), .received(let bytes, let expected):
        try kit.expect(bytes >= last[kind.name] ?? 0, "\(kind.name) fell")
        try kit.expect(expected.map { bytes <= $0 } ?? true, "\(kind.name) \(bytes) of \(expected ?? 0)")
        last[kind.name] = bytes
      default: continue
      }
    }
  }
}
