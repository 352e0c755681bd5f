import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// Keeps a body in memory, and reads it when a gate opens.
private struct WaitingSink: TransferSink {
  let gate: ManualGate

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try await gate.wait()
    return try await MemorySink(limit: 1_000).open(head, attempt)
  }
}

/// The blocks that answer the questions of a loader's chain.
@Suite(.timeLimit(.minutes(10))) struct BlockTests {
  private func redirects(_ count: Int) -> StubTransport {
    StubTransport { asked in
      asked.index < count ? StubAnswer(.found, headerFields: [.location: "/\(asked.index)"]) : .text("here")
    }
  }

  private func operation(
    _ transport: any Transport, _ chain: InterceptorChain, _ url: URL = Fixture.url
  ) -> HTTPRequestOperation {
    HTTPRequestOperation(Request(.get, url), over: Loader(transport, chain: chain))
  }

  @Test func `the redirect block is called for each redirect, and nil stops`() async throws {
    let chain = InterceptorChain(redirect: Redirect())
    let seen = Collected<Int>()
    let followed = operation(redirects(3), chain)
    followed.setRedirectBlock { operation, proposed, response in
      seen.append(response?.status.code ?? 0)
      return proposed
    }
    followed.start()
    #expect(try await followed.value(as: Data.self) == Data("here".utf8))
    #expect(seen.all == [302, 302, 302])
    let stopped = operation(redirects(3), chain)
    stopped.setRedirectBlock { _, _, _ in nil }
    stopped.start()
    _ = try? await stopped.value
    #expect(stopped.response?.status == .found)
    #expect((stopped.error as? NetworkError)?.kind == .unacceptableStatus)
  }

  @Test func `a block that nothing would call fails the operation before a byte is sent`() async throws {
    let blocks: [@Sendable (HTTPRequestOperation) -> Void] = [
      { $0.setRedirectBlock { _, proposed, _ in proposed } },
      { $0.setChallengeBlock { _, _, reply in reply(.reject) } },
      { $0.setProtectionSpaceBlock { _, _ in true } }, { $0.setCacheResponseBlock { _, _ in .store } },
      { $0.credential = .bearer(token: "t") },
    ]
    for set in blocks {
      let stub = StubTransport(.text("hello"))
      let operation = operation(stub, InterceptorChain())
      set(operation)
      operation.start()
      let error = await #expect(throws: NetworkError.self) { _ = try await operation.value }
      #expect(error?.kind == .hookNeverAsked && stub.requestCount == 0)
    }
  }

  private func protected() -> StubTransport {
    StubTransport { asked in
      asked.request.headerFields[.authorization] == "Basic dTpw"
        ? .text("hello") : StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: #"Basic realm="birds""#])
    }
  }

  @Test func `the challenge block answers in place of the credential`() async throws {
    let operation = operation(protected(), InterceptorChain(authentication: Authentication()))
    let failures = Collected<Int>()
    operation.credential = .password(user: "wrong", password: "wrong")
    operation.setChallengeBlock { operation, challenge, reply in
      failures.append(challenge.previousFailureCount)
      reply(.use(.password(user: "u", password: challenge.previousFailureCount == 0 ? "x" : "p")))
    }
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    #expect(failures.all == [0, 1])
  }

  @Test func `the credential is used once, and a space that is declined is not asked about`() async throws {
    let stub = protected()
    let wrong = operation(stub, InterceptorChain(authentication: Authentication()))
    wrong.credential = .password(user: "u", password: "wrong")
    wrong.start()
    _ = try? await wrong.value
    #expect(wrong.response?.status == .unauthorized && stub.requestCount == 2)
    let declined = operation(stub, InterceptorChain(authentication: Authentication()))
    declined.credential = .password(user: "u", password: "p")
    declined.setProtectionSpaceBlock { _, space in space.scheme != "basic" }
    declined.start()
    _ = try? await declined.value
    #expect(declined.response?.status == .unauthorized && stub.requestCount == 3)
  }

  @Test func `the credential is for the request's own origin, not for a proxy or for where the request is redirected`()
    async throws
  {
    let asking = StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: #"Basic realm="birds""#])
    let elsewhere = StubTransport { asked in
      asked.index == 0 ? StubAnswer(.found, headerFields: [.location: "http://other.test/"]) : asking
    }
    let chain = InterceptorChain(redirect: Redirect(), authentication: Authentication())
    let redirected = operation(elsewhere, chain)
    redirected.credential = .password(user: "u", password: "p")
    redirected.start()
    _ = try? await redirected.value
    #expect(redirected.response?.status == .unauthorized && elsewhere.requestCount == 2)
    let proxy = StubTransport(capabilities: StubTransport.defaultCapabilities.union(.proxy)) { _ in
      StubAnswer(.proxyAuthenticationRequired, headerFields: [.proxyAuthenticate: #"Basic realm="proxy""#])
    }
    var settings = ExchangeSettings()
    settings.proxy = Proxy(host: "proxy.test", port: 8080)
    let proxied = HTTPRequestOperation(
      Request(.get, Fixture.url), over: Loader(proxy, chain: chain, settings: settings))
    proxied.credential = .password(user: "u", password: "p")
    proxied.start()
    _ = try? await proxied.value
    #expect(proxied.response?.status == .proxyAuthenticationRequired && proxy.requestCount == 1)
  }

  @Test func `stored credentials are used unless the operation forbids it`() async throws {
    let origin = try Request(.get, Fixture.url).origin
    let space = ProtectionSpace(origin: origin, scheme: "basic", realm: "birds")
    let store = MemoryCredentialStore([space: .password(user: "u", password: "p")])
    for mayUse in [false, true] {
      let operation = operation(
        protected(), InterceptorChain(authentication: Authentication(store: store)))
      operation.shouldUseCredentialStorage = mayUse
      operation.start()
      _ = try? await operation.value
      #expect(operation.response?.status == (mayUse ? .ok : .unauthorized))
    }
  }

  @Test func `the block for a new body provides the body of the second sending`() async throws {
    let bodies = Collected<String>()
    let stub = StubTransport { asked in
      bodies.append(String(decoding: asked.body, as: UTF8.self))
      return asked.index == 0
        ? StubAnswer(.temporaryRedirect, headerFields: [.location: "/again"]) : .text("hello")
    }
    let chunks = AsyncStream<Data> { feed in
      feed.yield(Data("first".utf8))
      feed.finish()
    }
    let request = Request(.put, Fixture.url, body: .stream(chunks, length: 5))
    let operation = HTTPRequestOperation(
      request, over: Loader(stub, chain: InterceptorChain(redirect: Redirect())))
    operation.setNewBodyBlock { _, _ in .text("second") }
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    #expect(bodies.all == ["first", "second"])
  }

  @Test func `the cache block is asked once, for the response and not for its redirect`() async throws {
    let stub = StubTransport { asked in
      asked.request.url.path == "/there"
        ? StubAnswer(headerFields: [.cacheControl: "max-age=86400"], body: [.bytes(Data("there".utf8))])
        : StubAnswer(.movedPermanently, headerFields: [.location: "/there", .cacheControl: "max-age=86400"])
    }
    let chain = InterceptorChain(redirect: Redirect(), caching: Caching(MemoryCacheStore()))
    let asked = Collected<Int>()
    for _ in 0..<2 {
      let operation = operation(stub, chain)
      operation.setCacheResponseBlock { _, head in
        asked.append(head.status.code)
        return .refuse
      }
      operation.start()
      #expect(try await operation.value(as: Data.self) == Data("there".utf8))
    }
    // The redirect is stored, the response is not.
    #expect(asked.all == [200, 200] && stub.requestCount == 3)
  }

  @Test func `the cache block is not asked about a response that the cache fetches in the background`() async throws {
    let (revalidation, reading) = (ManualGate(), ManualGate())
    let stub = StubTransport { asked in
      if asked.index > 0 { try await revalidation.wait() }
      return .bytes(
        Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "max-age=0, stale-while-revalidate=60"])
    }
    let caching = Caching(MemoryCacheStore())
    let chain = InterceptorChain(caching: caching)
    let asked = Collected<Int>()
    for isStale in [false, true] {
      let operation = operation(stub, chain)
      operation.setCacheResponseBlock { _, head in
        asked.append(head.status.code)
        return .store
      }
      if isStale { operation.sink = WaitingSink(gate: reading) }
      operation.start()
      if isStale {
        // The operation has the head of the stored response when the new one arrives.
        try await reading.waitForArrivals()
        revalidation.open()
        await caching.waitForRevalidations()
        reading.open()
      }
      #expect(try await operation.value(as: Data.self) == Data("body 0".utf8))
    }
    #expect(asked.all == [200] && stub.requestCount == 2)
  }

  @Test func `the challenge block is asked about a certificate that the policy refuses`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let transport = try CurlTransport()
    for answer in [true, false] {
      let operation = operation(
        transport, InterceptorChain(serverTrust: ServerTrustAsking()), origin.url("/"))
      operation.securityPolicy = try SecurityPolicy.system()
      let schemes = Collected<String>()
      operation.setChallengeBlock { _, challenge, reply in
        schemes.append(challenge.protectionSpace.scheme)
        guard answer, let trust = challenge.serverTrust?.trust else { return reply(.defaultHandling) }
        reply(.use(.serverTrust(trust)))
      }
      operation.start()
      if answer {
        #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
      } else {
        let error = await #expect(throws: NetworkError.self) { _ = try await operation.value }
        #expect(error?.kind == .serverTrustRefused)
      }
      #expect(schemes.all == ["server-trust"])
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a copy has the answers and the serializer, and no completion blocks`() async throws {
    let operation = operation(redirects(1), InterceptorChain(redirect: Redirect()))
    let calls = Count()
    operation.responseSerializer = DataResponseSerializer(validation: .everything)
    operation.setRedirectBlock { _, proposed, _ in
      calls.add()
      return proposed
    }
    operation.completionBlock = { calls.add() }
    operation.cancel()
    let copy = operation.copied()
    #expect(type(of: copy) == HTTPRequestOperation.self && copy.operationState == .ready)
    copy.start()
    #expect(try await copy.value(as: Data.self) == Data("here".utf8))
    await Fixture.wait(while: calls.value < 2)
    #expect(copy.completionBlock == nil && calls.value == 2)
  }
}
