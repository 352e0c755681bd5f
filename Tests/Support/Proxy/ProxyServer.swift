import CurlewCore
import CurlewTestSupport
import Glibc

/// The server behind the scripted proxies: a loop, a listener and connections.
// Safe because `listener`, `connections` and `accepted` are used on the loop's thread, the rest is immutable.
final class ProxyServer: @unchecked Sendable {
  let loop: EventLoop
  let ledger = OriginStatistics(requestsKept: 0)
  private let routes: [String: Int]
  private let negotiation: @Sendable () -> any ProxyNegotiating
  private var listener: OriginListener?
  private var connections: [Int: ProxyConnection] = [:]
  private var accepted = 0

  init(routes: [String: Int], negotiation: @escaping @Sendable () -> any ProxyNegotiating) throws(OriginError) {
    self.routes = routes
    self.negotiation = negotiation
    loop = try EventLoop()
  }

  /// Listens on 127.0.0.1, and returns the port.
  func listen() throws(OriginError) -> UInt16 {
    do throws(OriginError) {
      let listener = try OriginListener(.ipv4(port: 0), path: nil, backlog: 1024, receiveBuffer: nil, on: loop) {
        [self] in accept($0)
      }
      loop.execute { [self] in
        self.listener = listener
        listener.begin()
      }
      return listener.port
    } catch {
      loop.stop()
      loop.join()
      throw error
    }
  }

  private func accept(_ descriptor: Int32) {
    accepted += 1
    Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let connection = ProxyConnection(descriptor, number: accepted, server: self, negotiation: negotiation())
    connections[accepted] = connection
    let open = connections.count
    ledger.update { counters in
      counters.connectionsAccepted += 1
      counters.connectionsOpen = open
      counters.connectionsPeak = max(counters.connectionsPeak, open)
    }
    connection.begin()
  }

  func closed(_ connection: ProxyConnection) {
    connections[connection.number] = nil
    let open = connections.count
    let (sent, received) = (connection.client.bytesSent, connection.client.bytesReceived)
    ledger.update { counters in
      counters.connectionsOpen = open
      counters.bytesSent += sent
      counters.bytesReceived += received
    }
  }

  /// Connects to a target on loopback, whatever its name.
  ///
  /// Tests must not use the network.
  func connect(to target: ProxyTarget) -> Wire? {
    let port = UInt16(clamping: routes["\(target.host):\(target.port)"] ?? target.port)
    let isIPv6 = target.host == "::1" || target.host == "[::1]"
    guard let descriptor = try? Socket.connect(to: isIPv6 ? .ipv6(port: port) : .ipv4(port: port)) else { return nil }
    Socket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    return Wire(descriptor, on: loop)
  }

  func stop() {
    loop.stop()
    loop.join()
    ledger.close()
  }
}
