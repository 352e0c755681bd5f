import CLinux
public import FoundationEssentials
import Glibc

/// The error for a failed system call of the scripted origin.
public struct OriginError: Error, Sendable, CustomStringConvertible {
  /// The failed call, such as `bind`.
  public let operation: String
  /// The reason in words.
  public let reason: String

  package init(_ operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  package init(errno code: Int32, in operation: String) {
    self.init(operation, reason: String(cString: strerror(code)))
  }

  /// A sentence with the call and the reason.
  public var description: String { "The scripted origin could not \(operation): \(reason)." }
}

/// Functions for non-blocking stream sockets.
package enum Socket {
  /// The result of reading or writing a non-blocking socket.
  package enum Outcome {
    case bytes(Int)
    case end
    case wouldBlock
    case failed(Int32)
  }

  package static func open(_ family: Int32) throws(OriginError) -> Int32 {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw OriginError(errno: errno, in: "open a socket") }
    return descriptor
  }

  package static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .failed(code)
    }
  }

  package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .bytes(count) }
      let code = errno
      if code == EINTR { continue }
      return code == EAGAIN ? .wouldBlock : .failed(code)
    }
  }

  package static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Returns why connecting failed; 0 if it did not.
  package static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  /// Starts to connect; the socket becomes writable when it is done.
  package static func connect(to address: SocketAddress) throws(OriginError) -> Int32 {
    let descriptor = try open(address.family)
    let outcome = address.withPointer { Glibc.connect(descriptor, $0, $1) }
    let code = errno
    guard outcome == 0 || code == EINPROGRESS else {
      close(descriptor)
      throw OriginError(errno: code, in: "connect")
    }
    return descriptor
  }

  /// Makes the next `close` send RST instead of FIN.
  package static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Returns whether the kernel holds unread bytes of the peer.
  ///
  /// Closing the socket would then send RST, and the peer could lose the reply.
  package static func hasUnreadBytes(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
  }
}

extension OriginError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

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
