import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct ServerSentEventsTests {
  private let clock = ManualClock()

  private func session(_ transport: any Transport) -> HTTPSession {
    HTTPSession(transport) { $0.settings.clock = clock }
  }

  private static func stream(_ text: String, then steps: StubAnswer.Step...) -> StubAnswer {
    StubAnswer(
      headerFields: [.contentType: "text/event-stream; charset=utf-8"], body: [.bytes(Data(text.utf8))] + steps)
  }

  private static var options: EventStreamOptions {
    var options = EventStreamOptions()
    options.random = { 1 }
    return options
  }

  private static let lost = NetworkError(.connectionLost, stage: .receivingBody, message: "The connection was lost.")
  private static let refused = NetworkError(.connectionFailed, stage: .connecting, message: "Nobody listens.")

  @Test func `waits of any length are limited to what can be waited for`() {
    var options = Self.options
    (options.longestWait, options.reconnectionTime, options.failureLimit) = (.seconds(Int64.max) * 18, .seconds(1), nil)
    var reconnection = Reconnection()
    for _ in 0..<200 { _ = reconnection.noteFailure(options.failureLimit) }
    #expect(reconnection.wait(asked: nil, options) == .zero)
    #expect(reconnection.wait(asked: nil, options) == .seconds(1 << 31))
    #expect(reconnection.wait(asked: .seconds(Int64.max), options) == .seconds(1 << 31))
  }

  /// Lets the waits between connections end.
  ///
  /// A timeout of a request is longer than any of them, and is over when the request is: it must not end by itself.
  private func ticking(_ each: @escaping @Sendable (Duration) -> Void = { _ in }) -> Task<Void, any Error> {
    Task { [clock] in
      while !Task.isCancelled {
        try await clock.waitForSleepers()
        if let wait = clock.untilNextSleeper, wait <= .seconds(86_400) {
          each(wait)
          clock.advance(by: wait)
        } else {
          await Task.yield()
        }
      }
    }
  }

  /// Reads to the end and returns the data of the events, the waits, and the error.
  private func read(
    _ transport: any Transport, _ options: EventStreamOptions = options
  ) async throws -> (data: [String], waits: [Duration], error: NetworkError?) {
    let events = session(transport).serverSentEvents("http://h.test/stream", events: options)
    let reading = Task { () -> ([String], NetworkError?) in
      var data: [String] = []
      let error = await networkError { for try await event in events { data.append(event.data) } }
      return (data, error)
    }
    let waits = Guarded<[Duration]>([])
    let ticking = ticking { wait in waits.withLock { $0.append(wait) } }
    let (data, error) = await reading.value
    ticking.cancel()
    return (data, waits.withLock { $0 }, error)
  }

  @Test func `a stream that ends is asked for again, behind its last event`() async throws {
    let recording = RecordingTransport(
      StubTransport(script: [
        Self.stream("retry: 750\nid: 41\ndata: a\n\ndata: b\n\n"), Self.stream("id: é\ndata: c\n\ndata: cut"),
        Self.stream(": nothing\n\n"), StubAnswer(.noContent),
      ]))
    let read = try await read(recording)
    #expect(read.data == ["a", "b", "c"] && read.error == nil)
    #expect(read.waits == Array(repeating: .milliseconds(750), count: 3))
    let name = try #require(HTTPField.Name("Last-Event-ID"))
    #expect(recording.requests.map { $0.headerFields[name] } == [nil, "41", "é", "é"])
    #expect(recording.requests.allSatisfy { $0.headerFields[.accept] == "text/event-stream" })
    #expect(recording.requests.allSatisfy { $0.options.cachePolicy == .noStore })
  }

  @Test func `a lost connection is made again, later each time it fails`() async throws {
    let stub = StubTransport(script: [
      Self.stream("data: a\n\n", then: .failure(Self.lost)), .failing(Self.refused), .failing(Self.refused),
      .failing(Self.refused), Self.stream("data: b\n\n", then: .failure(Self.lost)), StubAnswer(.noContent),
    ])
    var options = Self.options
    options.longestWait = .seconds(10)
    let read = try await read(stub, options)
    #expect(read.data == ["a", "b"] && read.error == nil)
    #expect(read.waits == [.seconds(3), .seconds(6), .seconds(10), .seconds(10), .seconds(3)])
  }

  @Test func `after too many failures in a row the last error ends the sequence`() async throws {
    let stub = StubTransport(
      script: [Self.stream("data: a\n\n")] + (0..<4).map { _ in .failing(Self.refused) } + [StubAnswer(.noContent)])
    var options = Self.options
    options.failureLimit = 3
    let read = try await read(stub, options)
    #expect(read.error?.kind == .connectionFailed && read.error?.details.attempts == 4)
    #expect(stub.requestCount == 5)
    #expect(read.waits == [.seconds(3), .seconds(3), .seconds(6), .seconds(12)])
  }

  @Test(arguments: [10, nil]) func `a server that never answered is asked three times, without a limit for ever`(
    limit: Int?
  ) async throws {
    let stub = StubTransport(
      script: (0..<3).map { _ in .failing(Self.refused) } + [Self.stream("data: a\n\n"), StubAnswer(.noContent)])
    var options = Self.options
    options.failureLimit = limit
    let read = try await read(stub, options)
    #expect(read.data == (limit == nil ? ["a"] : []) && read.error?.details.attempts == (limit == nil ? nil : 3))
    #expect(stub.requestCount == (limit == nil ? 5 : 3))
  }

  @Test func `what a server asks for is waited for, up to the limit`() async throws {
    let stub = StubTransport(script: [Self.stream("retry: 3600000\ndata: a\n\n"), StubAnswer(.noContent)])
    #expect(try await read(stub).waits == [.seconds(60)])
  }

  @Test func `a server that asks for no wait at all is asked at most twice a second`() async throws {
    let empty = Self.stream("retry: 0\n\n")
    #expect(
      try await read(StubTransport(script: [empty, empty, StubAnswer(.noContent)])).waits
        == [.milliseconds(500), .milliseconds(500)])
    var options = Self.options
    options.shortestWait = .zero
    #expect(try await read(StubTransport(script: [empty, StubAnswer(.noContent)]), options).waits == [])
    // What the app itself asks for has no floor.
    options.shortestWait = .seconds(1)
    options.reconnectionTime = .milliseconds(5)
    let waits = try await read(StubTransport(script: [Self.stream(""), StubAnswer(.noContent)]), options).waits
    #expect(waits == [.milliseconds(5)])
  }

  @Test func `chance shortens no wait below the floor`() {
    var options = Self.options
    options.random = { 0 }
    for (asked, expected) in [(Duration.zero, 500), (.milliseconds(700), 500), (.seconds(4), 2_000), (nil, 1_500)] {
      var reconnection = Reconnection()
      _ = reconnection.wait(asked: nil, options)
      options.reconnectionTime = .seconds(3)
      _ = reconnection.noteFailure(options.failureLimit)
      #expect(reconnection.wait(asked: asked, options) == .milliseconds(expected), "\(String(describing: asked))")
    }
  }

  @Test func `a stream that is silent for days is healthy, whatever the timeouts of the session are`() async throws {
    let gate = ManualGate()
    let answer = StubAnswer(
      headerFields: [.contentType: "text/event-stream"],
      body: [.bytes(Data("data: a\n\n".utf8)), .wait { try await gate.wait() }, .bytes(Data("data: b\n\n".utf8))])
    let recording = RecordingTransport(StubTransport(answer))
    let session = session(recording).with { $0.options.timeouts = Timeouts(idle: .seconds(10), total: .seconds(20)) }
    let reading = Task {
      var data: [String] = []
      for try await event in session.serverSentEvents("http://h.test/stream", events: Self.options) {
        data.append(event.data)
        if data.count == 2 { break }
      }
      return data
    }
    try await gate.waitForArrivals()
    clock.advance(by: .seconds(3 * 86_400))
    gate.open()
    #expect(try await reading.value == ["a", "b"])
    let first = try #require(recording.requests.first)
    #expect(first.headerFields[.cacheControl] == "no-store")
    // What the call asks for holds.
    var asked = RequestOptions()
    asked.timeouts = Timeouts(idle: .seconds(30), total: .seconds(40))
    let other = RecordingTransport(StubTransport(StubAnswer(.noContent)))
    for try await _ in self.session(other).serverSentEvents("http://h.test/", options: asked) {}
    #expect(other.requests.first?.options.timeouts == asked.timeouts)
  }

  @Test func `a POST is not sent again once a server can have received it, unless the call allows it`() async throws {
    let answers = [Self.stream("data: a\n\n"), Self.stream("data: b\n\n"), StubAnswer(.noContent)]
    var options = RequestOptions()
    for (isIdempotent, expected) in [(nil, ["a"]), (false, ["a"]), (true, ["a", "b"])] {
      options.isIdempotent = isIdempotent
      let stub = StubTransport(script: answers)
      var data: [String] = []
      let ticking = ticking()
      for try await event in session(stub).serverSentEvents(
        "http://h.test/", method: .post, content: .text("question"), options: options, events: Self.options)
      {
        data.append(event.data)
      }
      ticking.cancel()
      #expect(data == expected)
    }
  }

  @Test func `a POST whose stream is lost is an error, and one that nobody received is sent again`() async throws {
    let cut = StubTransport(script: [Self.stream("data: a\n\n", then: .failure(Self.lost)), StubAnswer(.noContent)])
    let unsure = StubTransport(script: [
      .failing(Self.refused.with { $0.maybeProcessed = true }), StubAnswer(.noContent),
    ])
    let unsent = StubTransport(script: [.failing(Self.refused), StubAnswer(.noContent)])
    for (stub, kind, requests) in [
      (cut, NetworkError.Kind.connectionLost as NetworkError.Kind?, 1), (unsure, .connectionFailed, 1),
      (unsent, nil, 2),
    ] {
      let session = session(stub)
      let ticking = ticking()
      let error = await networkError {
        for try await _ in session.serverSentEvents(
          "http://h.test/", method: .post, content: .text("question"), events: Self.options)
        {}
      }
      ticking.cancel()
      #expect(error?.kind == kind && stub.requestCount == requests)
    }
  }

  @Test func `an event whose data is one long line is read up to the limit of events`() async throws {
    let long = String(repeating: "x", count: 2 << 20)
    let stub = StubTransport(script: [Self.stream("data: \(long)\n\n"), StubAnswer(.noContent)])
    #expect(try await read(stub).data == [long])
    var limits = EventStreamLimits()
    #expect(limits.maximumLineBytes == limits.maximumEventBytes + 6)
    limits.maximumEventBytes = .max
    #expect(limits.maximumLineBytes == .max)
    limits.maximumLineBytes = 7
    #expect(limits.maximumLineBytes == 7)
  }

  @Test(arguments: [
    (HTTPResponse.Status.notFound, "text/event-stream", NetworkError.Kind.unacceptableStatus),
    (.serviceUnavailable, "text/event-stream", .unacceptableStatus),
    (.created, "text/event-stream", .unacceptableStatus),
    (.ok, "text/plain", .unacceptableContentType), (.ok, "", .unacceptableContentType),
  ]) func `anything but a 200 with events is an error, with the start of the body`(
    _ status: HTTPResponse.Status, _ type: String, _ kind: NetworkError.Kind
  ) async throws {
    var answer = StubAnswer(status, body: [.bytes(Data("no".utf8))])
    if !type.isEmpty { answer.headerFields[.contentType] = type }
    let stub = StubTransport(answer)
    let read = try await read(stub)
    #expect(read.error?.kind == kind)
    #expect(read.error?.details.response?.status == status)
    #expect(read.error?.details.responseBody == Data("no".utf8))
    #expect(stub.requestCount == 1)
  }

  @Test func `a server that answers with a temporary status was met, and is asked up to the limit`() async throws {
    let away = StubAnswer.text("", status: .badGateway)
    let stub = StubTransport(
      script: [away] + (0..<5).map { _ in .failing(Self.refused) } + [
        Self.stream("data: a\n\n"), StubAnswer(.noContent),
      ])
    var options = Self.options
    options.temporaryStatuses = [502]
    let read = try await read(stub, options)
    #expect(read.data == ["a"] && read.error == nil)
  }

  @Test func `a status can be declared temporary`() async throws {
    let stub = StubTransport(script: [
      .text("", status: .badGateway), Self.stream("data: a\n\n"), StubAnswer(.noContent),
    ])
    var options = Self.options
    options.temporaryStatuses = [502]
    let read = try await read(stub, options)
    #expect(read.data == ["a"] && read.error == nil)
  }

  @Test func `an error that no other connection can help ends the sequence`() async throws {
    let stub = StubTransport(.failing(NetworkError(.serverTrustRefused, stage: .connecting, message: "No.")))
    #expect(try await read(stub).error?.kind == .serverTrustRefused)
    #expect(stub.requestCount == 1)
  }

  @Test(arguments: [false, true]) func `a first host that is not known ends the sequence, unless there is no network`(
    lacksNetwork: Bool
  ) async throws {
    let unknown = NetworkError(.nameLookupFailed, stage: .connecting, message: "No.")
      .with { $0.lacksNetwork = lacksNetwork }
    let read = try await read(StubTransport(script: [.failing(unknown), StubAnswer(.noContent)]))
    #expect(read.error?.kind == (lacksNetwork ? nil : .nameLookupFailed))
  }

  @Test func `a host that was known before is asked for again when its name is not found`() async throws {
    let unknown = NetworkError(.nameLookupFailed, stage: .connecting, message: "No.")
    let stub = StubTransport(script: [Self.stream("data: a\n\n"), .failing(unknown), StubAnswer(.noContent)])
    let read = try await read(stub)
    #expect(read.data == ["a"] && read.error == nil)
    #expect(stub.requestCount == 3)
  }

  @Test func `an event above its limit ends the sequence`() async throws {
    let stub = StubTransport(Self.stream("data: a\n\ndata: 12345\n\n"))
    var options = Self.options
    options.limits.maximumEventBytes = 4
    let read = try await read(stub, options)
    #expect(read.data == ["a"] && read.error?.kind == .eventTooLarge)
    #expect(read.error?.details.request?.url.lastPathComponent == "stream")
  }

  @Test func `an app can continue where it was, with any method`() async throws {
    let recording = RecordingTransport(StubTransport(StubAnswer(.noContent)))
    var options = EventStreamOptions()
    options.lastEventID = "7"
    for try await _ in session(recording).serverSentEvents(
      "http://h.test/", method: .post, content: .text("question"), events: options)
    {}
    #expect(recording.requests.map(\.method) == [.post])
    #expect(recording.requests.first?.headerFields[try #require(HTTPField.Name("Last-Event-ID"))] == "7")
  }

  @Test func `cancelling ends the wait, and leaving the loop the connection`() async throws {
    let stub = StubTransport(script: [Self.stream("data: a\n\n"), Self.stream("data: b\n\n", then: .stall)])
    let events = session(stub).serverSentEvents("http://h.test/", events: Self.options)
    let waiting = Task { for try await _ in events {} }
    try await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    for try await event in events {
      #expect(event.data == "b")
      break
    }
    #expect(stub.inFlightCount == 0)
  }
}
