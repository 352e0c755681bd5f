import CurlewCore
import CurlewLoading
import CurlewReachability
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension DemoStep {
  static let reachability = DemoStep(
    title: "A network that goes and comes back.",
    explanation:
      "The kernel says what this machine has. Then a request meets no network, and a cellular one that it may not use."
  ) { stage in
    let monitor = ReachabilityMonitor()
    monitor.start()
    let here = Reach.text(monitor.path)
    monitor.stop()
    // The network is simulated, because a demo must not disconnect the machine.
    let network = ManualReachability(.notReachable)
    let waits = Waits()
    var chain = InterceptorChain()
    chain.perHop = [
      ConnectivityWait(network) { _ in waits.began("a network") },
      NetworkGate(network, .hold()) { _ in waits.began("an unmetered one") }, ToLoopback(port: stage.origin.port),
    ]
    let loader = Loader(stage.transport, chain: chain)
    var request = try Request(.get, "http://far.example/birds/7")
    request.options.allowedNetworks = .unmetered
    let before = stage.origin.counters.requests
    let loading = Task { [request] in try await loader.load(request).head.status }
    var reasons = waits.reasons.makeAsyncIterator()
    try expect(await reasons.next() == "a network", "the request did not wait for a network")
    network.set(.reachableViaCellular)
    try expect(await reasons.next() == "an unmetered one", "the request did not wait for an unmetered network")
    try expect(stage.origin.counters.requests == before, "the request was sent too early")
    network.set(.reachableViaWiFi)
    try expect(try await loading.value == .ok, "the request was refused")
    return "here it is \"\(here)\"; the request waited for a network, then for an unmetered one, and was sent."
  }
}

/// Reports what a request waits for, when it begins to wait.
private final class Waits: Sendable {
  let reasons: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  init() { (reasons, continuation) = AsyncStream.makeStream() }
  func began(_ reason: String) { continuation.yield(reason) }
}

/// Redirects connections to the demo's origin, for a host name that does not exist.
private struct ToLoopback: Interceptor {
  let port: Int

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    var request = request
    request.options.addressOverrides = [AddressOverride(address: "127.0.0.1", addressPort: port)]
    return try await next(request, in: exchange)
  }
}
