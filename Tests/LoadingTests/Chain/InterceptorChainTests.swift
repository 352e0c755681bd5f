import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Names itself, and the hop, when a request passes.
private struct Passed: Interceptor {
  let name: String
  let order: Collected<String>

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    order.append("\(name)\(exchange.hop)")
    return try await next(request, in: exchange)
  }
}

/// Sends a second time, as the next hop.
private struct Again: Interceptor {
  let name: String
  let order: Collected<String>

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    order.append("\(name)\(exchange.hop)")
    try await next(request, in: exchange).body.discard()
    return try await next(request, in: exchange.nextHop())
  }
}

@Suite(.timeLimit(.minutes(10))) struct InterceptorChainTests {
  private let order = Collected<String>()

  private func passed(_ name: String) -> any Interceptor { Passed(name: name, order: order) }

  @Test func `the places of a chain are passed in the order of the architecture`() async throws {
    let chain = InterceptorChain(
      [passed("a"), passed("b")], redirect: passed("redirect"), hsts: passed("hsts"),
      cookies: Cookies(MemoryCookieJar()), proxy: passed("proxy"), authentication: passed("authentication"),
      coalescing: passed("coalescing"), caching: passed("caching"),
      perHop: [passed("x"), passed("y")])
    _ = try await Loader(StubTransport(.text("")), chain: chain).load(Fixture.request())
    #expect(
      order.all == [
        "a0", "b0", "redirect0", "hsts0", "proxy0", "authentication0", "coalescing0", "caching0", "x0", "y0",
      ])
  }

  @Test func `what stands behind the redirect is passed once for each hop`() async throws {
    let chain = InterceptorChain(
      [passed("app")], redirect: Again(name: "redirect", order: order), caching: passed("caching"),
      perHop: [passed("x")])
    _ = try await Loader(StubTransport(.text("")), chain: chain).load(Fixture.request())
    #expect(order.all == ["app0", "redirect0", "caching0", "x0", "caching1", "x1"])
  }

  @Test func `hops of a redirect and of a challenge are counted together`() async throws {
    let chain = InterceptorChain(
      redirect: Again(name: "redirect", order: order), authentication: Again(name: "authentication", order: order),
      perHop: [passed("x")])
    let recording = RecordingTransport(StubTransport(.text("")))
    _ = try await Loader(recording, chain: chain).load(Fixture.request())
    #expect(order.all == ["redirect0", "authentication0", "x0", "x1", "authentication2", "x2", "x3"])
    #expect(recording.records.map(\.hop) == [0, 1, 2, 3])
  }

  @Test func `a new attempt counts its hops from nothing`() {
    let first = Exchange()
    #expect(first.nextHop().nextHop().hop == 2)
    #expect(first.nextHop().hop == 3)
    let second = first.derived(attempt: 2, hop: 0)
    #expect(second.nextHop().hop == 1)
    #expect(second.nextHop().attempt == 2)
  }
}
