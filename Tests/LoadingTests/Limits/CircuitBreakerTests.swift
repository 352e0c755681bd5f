import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct CircuitBreakerTests {
  private let clock = ManualClock()
  private let breaker = CircuitBreaker(failureLimit: 2, openFor: .seconds(30))

  private func status(_ transport: any Transport, _ request: Request = Fixture.request()) async throws -> Int {
    let loader = Loader(transport, interceptors: [breaker], settings: Fixture.settings(clock: clock))
    let response = try await loader.load(request)
    await response.body.discard()
    return response.head.status.code
  }

  @Test func `a server that fails is left alone, asked once, and trusted again`() async throws {
    let script: [StubAnswer] = [
      .text("", status: .serviceUnavailable), .failing(Fixture.lost(.connectionFailed, maybeProcessed: false)),
      .text("", status: .badGateway), .text("well"), .text("well"),
    ]
    let stub = StubTransport(script: script)
    #expect(try await status(stub) == 503)
    #expect(await Fixture.kind { _ = try await status(stub) } == .connectionFailed)
    for _ in 0..<3 {
      let error = await #expect(throws: NetworkError.self) { _ = try await status(stub) }
      #expect(error?.kind == .circuitOpen && error?.maybeProcessed == false)
    }
    #expect(stub.requestCount == 2)
    clock.advance(by: .seconds(30))
    #expect(try await status(stub) == 502)
    #expect(await Fixture.kind { _ = try await status(stub) } == .circuitOpen)
    clock.advance(by: .seconds(30))
    #expect(try await status(stub) == 200)
    #expect(try await status(stub) == 200)
    #expect(stub.requestCount == 5)
  }

  @Test func `a probe that hangs keeps others from passing only for a while, and its outcome does not count then`()
    async throws
  {
    let gate = ManualGate()
    let down = StubTransport(.text("", status: .serviceUnavailable))
    for _ in 0..<2 { _ = try await status(down) }
    clock.advance(by: .seconds(30))
    let hanging = StubTransport { _ in
      try await gate.wait()
      return .text("", status: .serviceUnavailable)
    }
    let probe = Task { try await status(hanging) }
    try await gate.waitForArrivals()
    let well = StubTransport(.text("well"))
    clock.advance(by: .seconds(29))
    let error = await #expect(throws: NetworkError.self) { _ = try await status(well) }
    #expect(error?.kind == .circuitOpen && error?.message.contains("asked again in 2 s") == true)
    clock.advance(by: .seconds(1))
    #expect(try await status(well) == 200)
    gate.open()
    #expect(try await probe.value == 503)
    #expect(breaker.state(for: try Origin(Fixture.url), at: clock.now) == .closed)
  }

  @Test func `other origins, client errors and cancellations are not the server's fault`() async throws {
    let down = StubTransport(.text("", status: .serviceUnavailable))
    for _ in 0..<2 { _ = try await status(down) }
    let other = Request(.get, URL(string: "http://other.test/") ?? Fixture.url)
    #expect(try await status(down, other) == 503)

    let here = try Origin(Fixture.url)
    clock.advance(by: .seconds(30))
    _ = try await status(StubTransport(.text("ok")))
    for _ in 0..<5 { _ = try await status(StubTransport(.text("", status: .notFound))) }
    for _ in 0..<5 { _ = try? await status(StubTransport(.failing(CancellationError()))) }
    for _ in 0..<5 { _ = try? await status(StubTransport(.failing(Fixture.lost(.serverTrustRefused)))) }
    #expect(breaker.state(for: here, at: clock.now) == .closed)
  }

  @Test func `of very many failing origins only so many are remembered`() async throws {
    let down = StubTransport(.text("", status: .serviceUnavailable))
    for number in 0..<(CircuitBreaker.originLimit + 50) {
      _ = try await status(down, Request(.get, URL(string: "http://h\(number).test/") ?? Fixture.url))
    }
    #expect(down.requestCount == CircuitBreaker.originLimit + 50)
  }
}
