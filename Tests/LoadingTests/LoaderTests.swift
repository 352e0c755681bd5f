import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Names the order in which interceptors are passed.
private struct Naming: Interceptor {
  let name: String
  let order: Collected<String>

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    order.append(name)
    let response = try await next(request, in: exchange)
    order.append(name + " back")
    return response
  }
}

@Suite(.timeLimit(.minutes(10))) struct LoaderTests {
  @Test func `a request passes the interceptors, outermost first, and then the transport`() async throws {
    let order = Collected<String>()
    let stub = StubTransport { _ in
      order.append("transport")
      return .text("hello")
    }
    let loader = Loader(stub, interceptors: [Naming(name: "a", order: order), Naming(name: "b", order: order)])
    let (data, head) = try await loader.data(for: Fixture.request(), upTo: 5)
    #expect(data == Data("hello".utf8))
    #expect(head.status == .ok)
    #expect(order.all == ["a", "b", "transport", "b back", "a back"])
  }

  @Test func `unset options come from the loader and set ones stay`() async throws {
    var defaults = RequestOptions()
    defaults.timeouts.total = .seconds(900)
    defaults.priority = .low
    let recording = RecordingTransport(StubTransport(.text("")))
    let loader = Loader(recording, options: defaults)
    var request = Fixture.request()
    request.options.priority = .high
    _ = try await loader.load(request).body.collect(upTo: 0)
    let sent = try #require(recording.requests.first)
    #expect(sent.options.timeouts.total == .seconds(900))
    #expect(sent.options.priority == .high)
  }

  @Test func `what may only come from a cache is never sent, though there is no cache`() async throws {
    let recording = RecordingTransport(StubTransport(.text("hello")))
    var request = Fixture.request()
    request.options.cachePolicy = .returnStoredDontLoad
    let error = await #expect(throws: NetworkError.self) { try await Loader(recording).load(request) }
    #expect(error?.kind == .notInCache)
    #expect(recording.requests.isEmpty)
  }

  @Test func `what is collected says so to the transport`() async throws {
    let recording = RecordingTransport(StubTransport(.text("hello")))
    let loader = Loader(recording)
    _ = try await loader.data(for: Fixture.request(), upTo: 5)
    try await loader.download(Fixture.request(), to: KeepingSink())
    _ = try await loader.load(Fixture.request())
    #expect(recording.requests.map(\.options.delivery) == [.collected, .collected, nil])
  }

  @Test func `a body beyond the limit is an error`() async {
    let loader = Loader(StubTransport(.text("hello")))
    #expect(await Fixture.kind { _ = try await loader.data(for: Fixture.request(), upTo: 4) } == .bodyTooLarge)
  }

  @Test func `what the transport lacks is refused before anything is sent`() async throws {
    let recording = RecordingTransport(StubTransport(.text(""), capabilities: [.backpressure]))
    let observer = RecordingObserver()
    let loader = Loader(recording, settings: Fixture.settings(observer: observer))
    var request = Fixture.request()
    request.options.unixSocketPath = "/run/x"
    request.options.decodesContent = false
    let error = await #expect(throws: NetworkError.self) { try await loader.load(request) }
    #expect(error?.kind == .unsupported)
    #expect(error?.details.missing == [.unixSocket, .rawContent])
    #expect(error?.maybeProcessed == false)
    #expect(recording.requests.isEmpty)
    #expect(observer.names == ["started", "finished"])
  }

  @Test func `a pin is refused where trust cannot be evaluated`() async {
    struct Pin: ServerTrustEvaluating {
      var connectionKey: ConnectionKey { ConnectionKey("pin") }
      var requirements: HandshakeRequirements { HandshakeRequirements() }
      func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {}
    }
    var settings = ExchangeSettings()
    settings.serverTrust = Pin()
    let recording = RecordingTransport(StubTransport(.text("")))
    let loader = Loader(recording, settings: settings)
    #expect(await Fixture.kind { _ = try await loader.load(Fixture.request()) } == .unsupported)
    #expect(recording.requests.isEmpty)
  }

  @Test func `an error page does not reach a sink`() async throws {
    let loader = Loader(StubTransport(.text("gone", status: .notFound)))
    let sink = KeepingSink()
    let error = await #expect(throws: NetworkError.self) { try await loader.download(Fixture.request(), to: sink) }
    #expect(error?.kind == .unacceptableStatus)
    #expect(error?.details.response?.status == .notFound)
    #expect(error?.details.responseBody == Data("gone".utf8))
    #expect(sink.bytes.isEmpty)
  }

  @Test func `the error of a refused response carries no more than the start of its body`() async throws {
    let answer = StubAnswer(.internalServerError, body: [.repeated(Data(count: 10_000), count: 1_000)])
    let loader = Loader(StubTransport(answer))
    let error = await #expect(throws: NetworkError.self) {
      try await loader.download(Fixture.request(), to: KeepingSink())
    }
    #expect(error?.details.responseBody?.count == TransferValidation.errorBodyLimit)
  }
}
