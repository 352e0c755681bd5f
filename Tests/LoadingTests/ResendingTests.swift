import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResendingTests {
  /// A sending that is lost: is it sent again?
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var method = HTTPRequest.Method.get
    var body = Body.empty
    var isIdempotent: Bool?
    var kind = NetworkError.Kind.connectionLost
    var maybeProcessed = true
    var hadHead = false
    var code: Int?
    var version: VersionPolicy?
    var isSentAgain: Bool

    var testDescription: String { name }
  }

  static let oneShot = Body.stream(AsyncStream<Data> { $0.finish() }, length: 0)

  static let cases: [Case] = [
    Case(name: "GET, maybe processed", isSentAgain: true),
    Case(name: "GET, not processed", maybeProcessed: false, isSentAgain: true),
    Case(name: "HEAD, maybe processed", method: .head, isSentAgain: true),
    Case(name: "PUT, maybe processed", method: .put, body: .text("x"), isSentAgain: true),
    Case(name: "DELETE, maybe processed", method: .delete, isSentAgain: true),
    Case(name: "POST, maybe processed", method: .post, body: .text("x"), isSentAgain: false),
    Case(name: "POST, not processed", method: .post, body: .text("x"), maybeProcessed: false, isSentAgain: true),
    Case(name: "POST without a body, maybe processed", method: .post, isSentAgain: false),
    Case(name: "PATCH, maybe processed", method: .patch, body: .text("x"), isSentAgain: false),
    Case(name: "POST opted in, maybe processed", method: .post, isIdempotent: true, isSentAgain: true),
    Case(name: "DELETE opted out, maybe processed", method: .delete, isIdempotent: false, isSentAgain: false),
    Case(
      name: "DELETE opted out, not processed", method: .delete, isIdempotent: false, maybeProcessed: false,
      isSentAgain: true),
    Case(name: "PUT of a one-shot body, maybe processed", method: .put, body: oneShot, isSentAgain: false),
    Case(
      name: "PUT of a one-shot body, not processed", method: .put, body: oneShot, maybeProcessed: false,
      isSentAgain: false),
    Case(name: "GET, stream reset, maybe processed", kind: .streamReset, isSentAgain: false),
    Case(name: "GET, stream refused", kind: .streamReset, maybeProcessed: false, isSentAgain: true),
    Case(name: "POST, stream refused", method: .post, kind: .streamReset, maybeProcessed: false, isSentAgain: true),
    Case(
      name: "POST, HTTP/1.1 required", method: .post, kind: .streamReset, maybeProcessed: false, code: 13,
      isSentAgain: true),
    Case(
      name: "GET, HTTP/1.1 required although HTTP/2 is known", kind: .streamReset, maybeProcessed: false, code: 13,
      version: .http2PriorKnowledge, isSentAgain: false),
    Case(name: "GET, lost after a head", hadHead: true, isSentAgain: false),
    Case(name: "GET, timed out", kind: .timedOut, isSentAgain: false),
    Case(name: "GET, idle", kind: .idleTimedOut, isSentAgain: false),
    Case(name: "GET, no connection", kind: .connectionFailed, maybeProcessed: false, isSentAgain: false),
    Case(name: "GET, not HTTP", kind: .protocolViolation, isSentAgain: false),
  ]

  @Test(arguments: cases)
  func `only what is safe is sent again, once and on a fresh connection`(item: Case) async throws {
    let lost = Fixture.lost(item.kind, maybeProcessed: item.maybeProcessed).with { details in
      if item.hadHead { details.response = ResponseHead(url: Fixture.url, status: .ok) }
      details.streamErrorCode = item.code
    }
    let recording = RecordingTransport(
      StubTransport(
        script: [.failing(lost), .text("hello")],
        capabilities: StubTransport.defaultCapabilities.union([.http2, .versionChoice])))
    let observer = RecordingObserver()
    let loader = Loader(recording, settings: Fixture.settings(observer: observer))
    var request = Fixture.request(item.method, body: item.body)
    request.options.isIdempotent = item.isIdempotent
    request.options.version = item.version
    do {
      let response = try await loader.load(request)
      #expect(item.isSentAgain)
      #expect(response.head.status == .ok)
      #expect(recording.records.map(\.requiresFreshConnection) == [false, true])
      let wanted: VersionPolicy? = item.code == 13 ? .http1 : nil
      #expect(recording.records.map(\.request.options.version) == [nil, wanted])
      #expect(observer.names.count { $0 == "resending" } == 1)
      #expect(observer.names.count { $0 == "sending" } == 2)
    } catch let error as NetworkError {
      #expect(!item.isSentAgain)
      #expect(error.kind == item.kind)
      #expect(error.maybeProcessed == item.maybeProcessed)
      #expect(recording.records.count == 1)
      #expect(!observer.names.contains("resending"))
    }
  }

  @Test func `it is sent again once and no more`() async {
    let stub = StubTransport(.failing(Fixture.lost()))
    #expect(await Fixture.kind { _ = try await Loader(stub).load(Fixture.request()) } == .connectionLost)
    #expect(stub.requestCount == 2)
  }

  @Test func `a request that is refused each time is sent five times, and one that is then lost no more`() async {
    let refused = StubAnswer.failing(Fixture.lost(.streamReset, maybeProcessed: false))
    let always = StubTransport(refused)
    #expect(await Fixture.kind { _ = try await Loader(always).load(Fixture.request(.post)) } == .streamReset)
    #expect(always.requestCount == 5)
    let thrice = StubTransport(script: [refused, refused, refused, .text("hello")])
    #expect(await Fixture.kind { _ = try await Loader(thrice).load(Fixture.request(.post)) } == nil)
    #expect(thrice.requestCount == 4)
    let lost = StubTransport(script: [refused, .failing(Fixture.lost()), .text("hello")])
    #expect(await Fixture.kind { _ = try await Loader(lost).load(Fixture.request()) } == .connectionLost)
    #expect(lost.requestCount == 2)
  }

  @Test func `an error after a repetition still says that the first sending may have been processed`() async {
    let second = Fixture.lost(.connectionFailed, maybeProcessed: false)
    let loader = Loader(StubTransport(script: [.failing(Fixture.lost()), .failing(second)]))
    let error = await #expect(throws: NetworkError.self) { try await loader.load(Fixture.request()) }
    #expect(error?.kind == .connectionFailed)
    #expect(error?.maybeProcessed == true)
  }

  @Test func `a body that is cut is not sent again`() async throws {
    let stub = StubTransport(StubAnswer(body: [.bytes(Data([1])), .failure(Fixture.lost())]))
    let response = try await Loader(stub).load(Fixture.request())
    #expect(await Fixture.kind { _ = try await response.body.collect(upTo: 9) } == .connectionLost)
    #expect(stub.requestCount == 1)
  }

  @Test func `each hop of an interceptor has a repetition of its own`() async throws {
    struct Twice: Interceptor {
      func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
        try await next(request, in: exchange).body.discard()
        return try await next(request, in: exchange.derived(hop: 1))
      }
    }
    let lost = StubAnswer.failing(Fixture.lost())
    let stub = StubTransport(script: [lost, .text(""), lost, .text("")])
    _ = try await Loader(stub, interceptors: [Twice()]).load(Fixture.request())
    #expect(stub.requestCount == 4)
  }
}
