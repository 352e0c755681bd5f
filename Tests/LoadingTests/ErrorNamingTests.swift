import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

/// Whoever fails a request, the error says which one it was.
@Suite(.timeLimit(.minutes(10))) struct ErrorNamingTests {
  private struct Refusing: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      throw NetworkError(.authenticationFailed, stage: .preparing, message: "No.")
    }
  }

  private static let name = Fixture.request().url

  private func request(of work: () async throws -> Void) async -> Request? {
    await #expect(throws: NetworkError.self) { try await work() }?.details.request
  }

  @Test func `an interceptor's error names the request, in loaders and in transfers`() async {
    let loader = Loader(StubTransport(.text("")), interceptors: [Refusing()])
    #expect(await request { _ = try await loader.load(Fixture.request()) }?.url == Self.name)
    let transfer = Transfer(loader, Fixture.request(), to: MemorySink(limit: 9))
    #expect(await request { _ = try await transfer.run() }?.url == Self.name)
  }

  @Test func `an error in the body names it`() async {
    let loader = Loader(StubTransport(.text("hello")))
    #expect(await request { _ = try await loader.data(for: Fixture.request(), upTo: 1) }?.url == Self.name)
    let transfer = Transfer(loader, Fixture.request(), to: MemorySink(limit: 1))
    #expect(await request { _ = try await transfer.run() }?.url == Self.name)
    let gone = Loader(StubTransport(.text("", status: .gone)))
    #expect(await request { _ = try await gone.download(Fixture.request(), to: KeepingSink()) }?.url == Self.name)
  }

  @Test func `an error of decoding names it`() async {
    let transfer = Transfer<Int>(
      Loader(StubTransport(.text("hello"))),
      Transfer<Int>.Configuration(Fixture.request(), to: MemorySink(limit: 9)) { _ in
        throw NetworkError(.serializationFailed, stage: .decoding, message: "No.")
      })
    #expect(await request { _ = try await transfer.run() }?.url == Self.name)
  }

  @Test func `a deadline's error names it`() async {
    let clock = ManualClock()
    var settings = Fixture.settings(clock: clock, observer: RecordingObserver())
    settings.deadline = clock.now
    let loader = Loader(StubTransport(.text("")), settings: settings)
    #expect(await request { _ = try await loader.load(Fixture.request()) }?.url == Self.name)
  }

  @Test func `an error is retryable exactly if a policy retries it by default`() {
    let kinds = RetryConditions.temporaryKinds.union([
      .invalidURL, .serverTrustRefused, .bodyTooLarge, .fileError, .authenticationFailed, .protocolViolation,
      .unacceptableContentType, .notInCache, .transportShutDown,
    ])
    for kind in kinds {
      let error = NetworkError(kind, stage: .sending, message: "No.")
      #expect(error.isRetryable == RetryConditions().hold(for: RetryPolicyTests.attempt(nil, error)), "\(kind)")
      #expect(error.isRetryable == RetryConditions.temporaryKinds.contains(kind))
    }
    for code in [304, 400, 404, 408, 409, 425, 429, 500, 501, 503, 505, 511, 599] {
      let head = ResponseHead(url: Self.name, status: .init(code: code))
      let error = NetworkError(.unacceptableStatus, stage: .validating, message: "No.").with { $0.response = head }
      #expect(error.isRetryable == RetryConditions().hold(for: RetryPolicyTests.attempt(code, error)), "\(code)")
      #expect(error.isRetryable == [408, 429, 500, 503, 599].contains(code))
    }
  }

  private static let methods: [HTTPRequest.Method] = [.get, .head, .put, .delete, .post, .patch]

  @Test(arguments: methods, [NetworkError.Kind.unacceptableStatus, .connectionLost, .timedOut, .serializationFailed])
  func `a policy repeats what is retryable and also safe to repeat, by method, key and kind`(
    method: HTTPRequest.Method, kind: NetworkError.Kind
  ) {
    let isIdempotent = method != .post && method != .patch
    for code in [404, 408, 429, 500, 503] {
      let error = NetworkError(kind, stage: .validating, message: "No.").with {
        $0.response = ResponseHead(url: Self.name, status: .init(code: code))
      }
      for (key, declared, maybeProcessed) in [
        (nil, nil, true), (nil, nil, false), ("\"k\"", nil, true), (nil, true, true), (nil, false, true),
      ] as [(String?, Bool?, Bool)] {
        var attempt = RetryPolicyTests.attempt(code, error, method: method, maybeProcessed: maybeProcessed)
        attempt.request?.options.isIdempotent = declared
        if let key { attempt.request?.headerFields[HTTPField.Name("Idempotency-Key")!] = key }
        let isSafe = declared ?? isIdempotent || key != nil || !maybeProcessed
        let verdict = RetryPolicyTests.decide(RetryPolicy(limit: 2, delay: .fixed(.zero)), attempt)
        #expect((verdict == .retry(after: .zero)) == (error.isRetryable && isSafe), "\(code) \(key ?? "-")")
      }
    }
  }

  @Test func `an error counts the attempts of its transfer, and one attempt is not counted`() async throws {
    for (method, attempts) in [(HTTPRequest.Method.get, 3), (.post, 1)] {
      let clock = ManualClock()
      let transfer = RetryFixture.transfer(
        StubTransport(.text("no", status: .serviceUnavailable)),
        RetryPolicy(limit: 2, delay: .fixed(.seconds(10))), Fixture.request(method), clock: clock
      ) { configuration in
        configuration.validate = { head, _ in try TransferValidation.successStatus(head) }
      }
      let error = await #expect(throws: NetworkError.self) { try await RetryFixture.run(transfer, clock) }
      // Of a POST too the error could pass, but the policy does not repeat it.
      #expect(error?.isRetryable == true && error?.details.attempts == attempts)
      #expect(error?.description.hasSuffix(", after 3 attempts)") == (attempts == 3), "\(method)")
    }
  }
}
