import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewReachability
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

extension NamespaceTests {
  /// Requests over a cable that is pulled and put back.
  @Suite(.serialized) struct Requests {
    /// Sends a request through interceptors and returns the status of its answer.
    private func load(
      _ transport: CurlTransport, _ interceptors: [any Interceptor], allowing networks: AllowedNetworks? = nil
    ) throws -> Task<HTTPResponse.Status, any Error> {
      let loader = Loader(transport, chain: InterceptorChain(perHop: interceptors))
      var request = try Request(.get, "http://192.0.2.2:8080/hello")
      request.options.allowedNetworks = networks
      return Task { [request] in try await loader.load(request).head.status }
    }

    @Test func `a request that waits is sent when the link comes back`() async throws {
      try await Namespace.reset()
      try await Namespace.ip(Namespace.route)
      let monitor = ReachabilityMonitor()
      monitor.start()
      let transport = try CurlTransport()
      let gate = ManualGate()
      let wait = ConnectivityWait(monitor) { _ in gate.open() }
      #expect(try await load(transport, [wait]).value == .ok)
      #expect(!gate.isOpen)

      try await Namespace.ip("link set cp0 down")
      #expect(await ProcessLook.settles { monitor.path == .notReachable })
      let waiting = try load(transport, [wait])
      try await gate.wait()
      try await Namespace.ip("link set cp0 up", Namespace.route)
      #expect(try await waiting.value == .ok)
      monitor.stop()
      await transport.shutdown()
    }

    @Test func `a request that may use unmetered networks alone waits through an expensive one`() async throws {
      try await Namespace.reset()
      try await Namespace.ip(
        Namespace.route, "link add cm0 type veth peer name cm1", "link set cm1 up", "link set cm0 up",
        "address add 198.51.100.1/24 dev cm0")
      var configuration = ReachabilityMonitor.Configuration()
      configuration.isExpensive = { $0.name == "cm0" }
      let monitor = ReachabilityMonitor(configuration: configuration)
      monitor.start()
      let transport = try CurlTransport()
      #expect(try await load(transport, [NetworkGate(monitor)], allowing: .unmetered).value == .ok)

      try await Namespace.ip("route replace default dev cm0")
      #expect(await ProcessLook.settles { monitor.path.isExpensive })
      let refused = try load(transport, [NetworkGate(monitor)], allowing: .unmetered)
      let error = await #expect(throws: NetworkError.self) { try await refused.value }
      #expect(error?.kind == .networkNotAllowed)
      #expect(try await load(transport, [NetworkGate(monitor)], allowing: [.unmetered, .expensive]).value == .ok)

      let gate = ManualGate()
      let held = try load(
        transport, [NetworkGate(monitor, .hold()) { _ in gate.open() }], allowing: .unmetered)
      try await gate.wait()
      try await Namespace.ip("route delete default")
      #expect(await ProcessLook.settles { monitor.path == .notReachable })
      try await Namespace.ip(Namespace.route)
      #expect(try await held.value == .ok)
      try await Namespace.ip("link delete cm0")
      monitor.stop()
      await transport.shutdown()
    }
  }
}
