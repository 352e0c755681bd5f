import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewOperations
import CurlewSecurity
import CurlewTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// An operation class of another package than Curlew's, which overrides every step.
// Safe because its state is guarded.
private final class OverridingOperation: URLConnectionOperation, @unchecked Sendable {
  private struct Record {
    var order = DelegateOrder()
    var calls: [DelegateOrder.Call] = []
    var violations: [String] = []
  }

  private let record = Mutex(Record())

  var calls: [DelegateOrder.Call] { record.withLock { $0.calls } }
  var violations: [String] { record.withLock { $0.violations } }
  var isEnded: Bool { record.withLock { $0.order.isEnded } }
  /// The names of the steps that were called.
  var steps: Set<String> { Set(calls.map { "\($0)".prefix { $0 != "(" } }.map(String.init)) }

  private func note(_ call: DelegateOrder.Call) {
    record.withLock { record in
      record.calls.append(call)
      if let violation = record.order.take(call) { record.violations.append(violation) }
    }
  }

  override func willSend(_ request: Request, redirectedBy response: ResponseHead?) -> Request? {
    note(.willSend(redirectStatus: response?.status.code))
    return super.willSend(request, redirectedBy: response)
  }

  override func canAuthenticate(against space: ProtectionSpace) -> Bool {
    note(.canAuthenticate(space))
    return super.canAuthenticate(against: space)
  }

  override func mayUseStoredCredentials(for space: ProtectionSpace) -> Bool {
    note(.mayUseStoredCredentials(space))
    return super.mayUseStoredCredentials(for: space)
  }

  override func didReceive(_ challenge: Challenge, reply: ChallengeReply) {
    note(.challenge(challenge.protectionSpace))
    super.didReceive(challenge, reply: reply)
  }

  override func didCancel(_ challenge: Challenge) {
    note(.cancelChallenge(challenge.protectionSpace))
    super.didCancel(challenge)
  }

  override func didSendBodyData(_ bytes: Int64, total: Int64, expected: Int64?) {
    note(.sent(bytes: bytes, total: total, expected: expected))
    super.didSendBodyData(bytes, total: total, expected: expected)
  }

  override func needNewBody(for request: Request) -> Body? {
    note(.needNewBody)
    return .text("again")
  }

  override func didReceive(_ response: ResponseHead) {
    note(.response(hasParts: false))
    super.didReceive(response)
  }

  override func didReceive(_ data: Data) {
    note(.data(count: data.count))
    super.didReceive(data)
  }

  override func willCache(_ response: ResponseHead) -> CacheAnswer {
    note(.willCache)
    return super.willCache(response)
  }

  override func didFinishLoading() {
    note(.finish)
    super.didFinishLoading()
  }

  override func didFail(with error: any Error) {
    note(.fail)
    super.didFail(with: error)
  }
}

/// This package sees only the public API, as an app does.
@Suite(.timeLimit(.minutes(10))) struct OverriddenStepsTests {
  /// Redirects, asks for a password, and answers with the request's body, or with one that may be stored.
  private func withOrigin(_ body: (Loader, ScriptedOrigin) async throws -> Void) async throws {
    let origin = try await ScriptedOrigin.start { request in
      if request.path == "/moved" { return .redirect(307, to: "/") }
      guard request["Authorization"] != nil else {
        return .status(401, "who?", ["WWW-Authenticate": #"Basic realm="birds""#])
      }
      return .ok("hello", ["Cache-Control": "max-age=60"])
    }
    let transport = try CurlTransport()
    let chain = InterceptorChain(
      redirect: Redirect(), authentication: Authentication(store: MemoryCredentialStore()),
      caching: Caching(MemoryCacheStore()))
    try await body(Loader(transport, chain: chain), origin)
    await transport.shutdown()
    await origin.stop()
  }

  private func ended(_ operation: OverridingOperation) async throws {
    while !operation.isEnded { await Task.yield() }
    #expect(operation.violations == [])
  }

  @Test func `a subclass in another package overrides every step and sees the order of the delegate contract`()
    async throws
  {
    try await withOrigin { loader, origin in
      let reading = OverridingOperation(Request(.get, origin.url("/moved")), over: loader)
      reading.credential = .password(user: "u", password: "p")
      reading.start()
      #expect(try await reading.value(as: Data.self) == Data("hello".utf8))
      try await ended(reading)
      #expect(reading.calls.first == .willSend(redirectStatus: 307) && reading.calls.last == .finish)

      // A body that can be sent once, for a request that is redirected.
      let chunks = AsyncStream<Data> { feed in
        feed.yield(Data(count: 50_000))
        feed.finish()
      }
      let sending = OverridingOperation(
        Request(.put, origin.url("/moved"), body: .stream(chunks, length: 50_000)), over: loader)
      sending.credential = .password(user: "u", password: "p")
      sending.start()
      #expect(try await sending.value(as: Data.self) == Data("hello".utf8))
      try await ended(sending)

      // One that is cancelled while its challenge has no answer.
      let asking = OverridingOperation(Request(.get, origin.url("/secret")), over: loader)
      asking.setChallengeBlock { operation, _, reply in
        operation.cancel()
        withExtendedLifetime(reply) {}
      }
      asking.shouldUseCredentialStorage = false
      asking.start()
      _ = try? await asking.value
      try await ended(asking)
      #expect(asking.steps.isSuperset(of: ["challenge", "cancelChallenge", "fail"]))

      let steps = reading.steps.union(sending.steps).union(asking.steps)
      #expect(
        steps == [
          "willSend", "canAuthenticate", "mayUseStoredCredentials", "challenge", "cancelChallenge", "sent",
          "needNewBody", "response", "data", "willCache", "finish", "fail",
        ])
    }
  }
}
