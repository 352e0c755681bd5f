import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// An operation of somebody else's that overrides every step and checks their order.
// Safe because its state is guarded.
private final class SteppingOperation: HTTPRequestOperation, @unchecked Sendable {
  private struct Seen {
    var order = DelegateOrder()
    var calls: [DelegateOrder.Call] = []
    var violations: [String] = []
    var depth = 0
    var body = Data()
    var wasFinished: [Bool] = []
  }

  private let seen = Guarded(Seen())
  /// Called after each step, on the executor.
  private let afterStep = Guarded<(@Sendable (DelegateOrder.Call, SteppingOperation) -> Void)?>(nil)

  var calls: [DelegateOrder.Call] { seen.withLock { $0.calls } }
  var violations: [String] { seen.withLock { $0.violations } }
  var isEnded: Bool { seen.withLock { $0.order.isEnded } }
  var body: Data { seen.withLock { $0.body } }
  var wasFinishedAtTheEnd: [Bool] { seen.withLock { $0.wasFinished } }

  func afterEachStep(_ work: @escaping @Sendable (DelegateOrder.Call, SteppingOperation) -> Void) {
    afterStep.withLock { $0 = work }
  }

  private func step<Answer>(_ call: DelegateOrder.Call, _ body: () -> Answer) -> Answer {
    seen.withLock { seen in
      if seen.depth > 0 { seen.violations.append("\(call) while another step goes on") }
      seen.depth += 1
      seen.calls.append(call)
      if let violation = seen.order.take(call) { seen.violations.append(violation) }
    }
    defer {
      seen.withLock { $0.depth -= 1 }
      afterStep.withLock { $0 }?(call, self)
    }
    return body()
  }

  override func willSend(_ request: Request, redirectedBy response: ResponseHead?) -> Request? {
    step(.willSend(redirectStatus: response?.status.code)) { super.willSend(request, redirectedBy: response) }
  }

  override func canAuthenticate(against space: ProtectionSpace) -> Bool {
    step(.canAuthenticate(space)) { super.canAuthenticate(against: space) }
  }

  override func mayUseStoredCredentials(for space: ProtectionSpace) -> Bool {
    step(.mayUseStoredCredentials(space)) { super.mayUseStoredCredentials(for: space) }
  }

  override func didReceive(_ challenge: Challenge, reply: ChallengeReply) {
    step(.challenge(challenge.protectionSpace)) { super.didReceive(challenge, reply: reply) }
  }

  override func didCancel(_ challenge: Challenge) {
    step(.cancelChallenge(challenge.protectionSpace)) { super.didCancel(challenge) }
  }

  override func didSendBodyData(_ bytes: Int64, total: Int64, expected: Int64?) {
    step(.sent(bytes: bytes, total: total, expected: expected)) {
      super.didSendBodyData(bytes, total: total, expected: expected)
    }
  }

  override func needNewBody(for request: Request) -> Body? {
    step(.needNewBody) { super.needNewBody(for: request) }
  }

  override func didReceive(_ response: ResponseHead) {
    let hasParts = response.mediaType?.essence == "multipart/x-mixed-replace"
    step(.response(hasParts: hasParts)) { super.didReceive(response) }
  }

  override func didReceive(_ data: Data) {
    step(.data(count: data.count)) {
      super.didReceive(data)
      seen.withLock { $0.body += data }
    }
  }

  override func willCache(_ response: ResponseHead) -> CacheAnswer { step(.willCache) { super.willCache(response) } }

  override func didFinishLoading() {
    seen.withLock { $0.wasFinished.append(isFinished) }
    step(.finish) { super.didFinishLoading() }
  }

  override func didFail(with error: any Error) {
    seen.withLock { $0.wasFinished.append(isFinished) }
    step(.fail) { super.didFail(with: error) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct StepTests {
  private static let url = URL(string: "http://stub.test/first") ?? URL(filePath: "/")

  /// A redirect, then a challenge, then a body of three pieces that may be cached.
  private func script(_ gate: ManualGate? = nil) -> StubTransport {
    StubTransport { asked in
      if asked.request.url.path == "/first" {
        return StubAnswer(.temporaryRedirect, headerFields: [.location: "/next"])
      }
      guard asked.request.headerFields[.authorization] != nil else {
        return StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: #"Basic realm="birds""#])
      }
      return StubAnswer(
        headerFields: [.cacheControl: "max-age=86400"],
        body: [
          .bytes(Data("one".utf8)), .bytes(Data("two".utf8)), .wait { try await gate?.wait() },
          .bytes(Data("six".utf8)),
        ])
    }
  }

  private func loader(_ transport: StubTransport) -> Loader {
    Loader(
      transport,
      chain: InterceptorChain(
        redirect: Redirect(), authentication: Authentication(), caching: Caching(MemoryCacheStore())))
  }

  private func operation(
    _ loader: Loader, _ method: HTTPRequest.Method = .get, body: Body = .empty
  ) -> SteppingOperation {
    let operation = SteppingOperation(Request(method, Self.url, body: body), over: loader)
    operation.completionQueue = DispatchQueue(label: "steps")
    operation.credential = .password(user: "u", password: "p")
    return operation
  }

  @Test func `a subclass sees every step in the order of the delegate contract`() async throws {
    let operation = operation(loader(script()))
    let blocks = Collected<Bool>()
    operation.completionBlock = { blocks.append(operation.isEnded) }
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("onetwosix".utf8))
    await Fixture.wait(while: blocks.all.isEmpty)
    #expect(operation.violations == [])
    #expect(operation.body == Data("onetwosix".utf8))
    let calls = operation.calls
    #expect(calls.first == .willSend(redirectStatus: 307) && calls.last == .finish)
    #expect(calls.contains { if case .challenge = $0 { true } else { false } })
    #expect(calls.filter { $0 == .data(count: 3) }.count == 3)
    #expect(calls.contains(.willCache) && calls.contains(.response(hasParts: false)))
    // The steps come first, then the blocks; both after the outcome.
    #expect(blocks.all == [true] && operation.wasFinishedAtTheEnd == [true])
  }

  @Test func `the steps of an upload come before the response`() async throws {
    let stub = StubTransport { asked in .bytes(asked.body) }
    let operation = operation(Loader(stub), .post, body: .bytes(Data(count: 200_000)))
    operation.credential = nil
    operation.start()
    #expect(try await operation.value(as: Data.self).count == 200_000)
    await Fixture.wait(while: !operation.isEnded)
    #expect(operation.violations == [])
    #expect(operation.calls.contains { if case .sent = $0 { true } else { false } })
  }

  @Test func `cancelled from any step, only the failure follows`() async throws {
    for count in 1...10 {
      let operation = operation(loader(script()))
      let seen = Count()
      operation.afterEachStep { call, operation in
        seen.add()
        if seen.value == count, call != .finish { operation.cancel() }
      }
      operation.start()
      _ = try? await operation.value
      await Fixture.wait(while: !operation.isEnded)
      await operation.settled()
      #expect(operation.violations == [], "cancelled after \(count)")
      if operation.isCancelled {
        #expect(operation.calls.last == .fail)
        let open = operation.calls.dropLast().last
        #expect(operation.calls.count <= count + 2, "\(operation.calls) \(String(describing: open))")
      }
    }
  }

  @Test func `a challenge that still waits for its answer is cancelled before the failure, and an answered one is not`()
    async throws
  {
    for isAnswered in [false, true] {
      let operation = operation(loader(script(ManualGate())))
      let replies = Collected<ChallengeReply>()
      operation.setChallengeBlock { _, _, reply in
        replies.append(reply)
        if isAnswered { reply(.use(.password(user: "u", password: "p"))) }
      }
      operation.start()
      await Fixture.wait(while: isAnswered ? operation.body.count < 6 : replies.all.isEmpty)
      operation.cancel()
      await Fixture.wait(while: !operation.isEnded)
      #expect(operation.violations == [])
      let cancelled = operation.calls.filter { if case .cancelChallenge = $0 { true } else { false } }
      #expect(cancelled.count == (isAnswered ? 0 : 1) && operation.calls.last == .fail)
    }
  }

  @Test func `a response that is refused is told of before it fails`() async throws {
    let operation = operation(Loader(StubTransport(.text("gone", status: .gone))))
    operation.credential = nil
    operation.start()
    _ = try? await operation.value
    await Fixture.wait(while: !operation.isEnded)
    #expect(operation.calls == [.response(hasParts: false), .fail])
  }

  @Test func `pausing and resuming between two pieces loses none of them`() async throws {
    let gate = ManualGate()
    let operation = operation(loader(script(gate)))
    operation.start()
    await Fixture.wait(while: operation.body.count < 6)
    operation.pause()
    await operation.halted()
    operation.resume()
    gate.open()
    #expect(try await operation.value(as: Data.self) == Data("onetwosix".utf8))
  }

  @Test func `each part of a body whose parts replace one another has a response`() async throws {
    let text = "--b\r\nContent-Type: image/png\r\n\r\none\r\n--b\r\n\r\nthree\r\n"
    for end in ["", "--b--"] {
      var answer = StubAnswer.bytes(Data((text + end).utf8), chunkSize: 5)
      answer.headerFields[.contentType] = "multipart/x-mixed-replace; boundary=b"
      answer.announcesLength = false
      let operation = operation(Loader(StubTransport(answer)))
      operation.credential = nil
      operation.start()
      // The operation keeps the body as it was sent.
      #expect(try await operation.value(as: Data.self) == Data((text + end).utf8))
      await Fixture.wait(while: !operation.isEnded)
      #expect(operation.violations == [])
      let heads = operation.calls.filter { if case .response = $0 { true } else { false } }
      #expect(heads == [.response(hasParts: true), .response(hasParts: false), .response(hasParts: false)])
      #expect(operation.calls.last == .finish)
      if !end.isEmpty { #expect(operation.body == Data("onethree".utf8)) }
    }
  }

  @Test func `parts that cannot be told apart are a failure`() async throws {
    var answer = StubAnswer.bytes(Data(repeating: 97, count: 20_000))
    answer.headerFields[.contentType] = "multipart/x-mixed-replace; boundary=b"
    let operation = operation(Loader(StubTransport(answer)))
    operation.credential = nil
    operation.start()
    let error = await #expect(throws: NetworkError.self) { _ = try await operation.value }
    #expect(error?.kind == .serializationFailed && operation.responseSerializationError == nil)
  }
}
