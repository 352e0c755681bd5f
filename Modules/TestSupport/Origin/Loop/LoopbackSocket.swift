import Glibc

/// A socket that holds a port of loopback.
///
/// Connections to the port are refused unless something listens, and nobody else is given it, until this is released.
package final class LoopbackSocket: Sendable {
  /// The socket.
  package let descriptor: Int32
  /// Its address, with the port.
  package let address: SocketAddress
  /// Its port.
  package var port: Int { Int(SocketAddress.localPort(of: descriptor)) }

  /// Binds the socket without listening, so connections are refused.
  ///
  /// - Parameter address: An address of IPv4 or IPv6; for port 0, the system chooses one.
  package init(_ address: SocketAddress = .ipv4(port: 0)) throws(OriginError) {
    let descriptor = try Socket.open(address.family)
    if address.family == AF_INET6 { Socket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      throw OriginError(errno: code, in: "bind")
    }
    // Lets a listener that sets it too bind beside this. Set before `bind`, it would let two holders share a port.
    Socket.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    let port = SocketAddress.localPort(of: descriptor)
    self.descriptor = descriptor
    self.address = address.family == AF_INET6 ? .ipv6(port: port) : .ipv4(port: port)
  }

  deinit { close(descriptor) }

  /// Listens, so that the kernel accepts connections.
  package func listen(backlog: Int32) throws(OriginError) {
    guard Glibc.listen(descriptor, backlog) == 0 else { throw OriginError(errno: errno, in: "listen") }
  }

  /// Starts a connection to itself without waiting.
  package func connectToItself() throws(OriginError) -> Int32 { try Socket.connect(to: address) }
}
