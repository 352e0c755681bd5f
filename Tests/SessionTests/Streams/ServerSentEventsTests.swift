import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(2))) struct ServerSentEventsTests {
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
    let ticking = Task {
      while !Task.isCancelled {
        try await clock.waitForSleepers()
        if let wait = clock.untilNextSleeper { waits.withLock { $0.append(wait) } }
        clock.advanceToNextSleeper()
      }
    }
    let (data, error) = await reading.value
    ticking.cancel()
    return (data, waits.withLock { $0 }, error)
  }

  @Test func `a stream that ends is asked for again, behind its last event`() async throws {
    let recording = RecordingTransport(
      StubTransport(script: [
        Self.stream("retry: 250\nid: 41\ndata: a\n\ndata: b\n\n"), Self.stream("id: é\ndata: c\n\ndata: cut"),
        Self.stream(": nothing\n\n"), StubAnswer(.noContent),
      ]))
    let read = try await read(recording)
    #expect(read.data == ["a", "b", "c"] && read.error == nil)
    #expect(read.waits == Array(repeating: .milliseconds(250), count: 3))
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
    let stub = StubTransport(.failing(Self.refused))
    var options = Self.options
    options.failureLimit = 3
    let read = try await read(stub, options)
    #expect(read.error?.kind == .connectionFailed)
    #expect(stub.requestCount == 4)
    #expect(read.waits == [.seconds(3), .seconds(6), .seconds(12)])
  }

  @Test func `what a server asks for is waited for, up to the limit`() async throws {
    let stub = StubTransport(script: [Self.stream("retry: 3600000\ndata: a\n\n"), StubAnswer(.noContent)])
    #expect(try await read(stub).waits == [.seconds(60)])
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

  @Test func `an event above its limit ends the sequence`() async throws {
    let stub = StubTransport(Self.stream("data: a\n\ndata: 12345\n\n"))
    var options = Self.options
    options.limits.maximumEventBytes = 4
    let read = try await read(stub, options)
    #expect(read.data == ["a"] && read.error?.kind == .eventTooLarge)
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
