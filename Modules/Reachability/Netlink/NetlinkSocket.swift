import CLinux
import CurlewCore
import Glibc

/// A socket that receives changes of links, addresses and routes.
///
/// It belongs to the network namespace of the thread that opens it. One thread reads; any thread may wake it.
final class NetlinkSocket: Sendable {
  /// The result of reading.
  enum Reading {
    case bytes(Int)
    /// No datagram is available at the moment.
    case nothing
    /// Messages were lost.
    case overrun
    /// The socket is no longer usable.
    case failed(Int32)
  }

  /// The address of this socket; the kernel's replies carry it.
  let port: UInt32
  private let descriptor: Int32
  private let isOpen = Guarded(true)

  /// Opens a socket and joins the multicast groups.
  ///
  /// - Parameter receiveBuffer: The size of the receive buffer in bytes; nil means the system's default.
  /// - Throws: `NetlinkRefusal` when the system refuses one of the steps.
  init(receiveBuffer: Int32? = nil) throws(NetlinkRefusal) {
    let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
    guard descriptor >= 0 else { throw NetlinkRefusal(code: errno, step: "socket") }
    do {
      port = try Self.bind(descriptor, receiveBuffer)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close() }

  private static func bind(_ descriptor: Int32, _ receiveBuffer: Int32?) throws(NetlinkRefusal) -> UInt32 {
    if var bytes = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_nl()
    address.nl_family = UInt16(AF_NETLINK)
    address.nl_groups = UInt32(
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE)
    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) == 0 }
    }
    guard isBound else { throw NetlinkRefusal(code: errno, step: "bind") }
    let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isNamed else { throw NetlinkRefusal(code: errno, step: "getsockname") }
    return address.nl_pid
  }

  /// Reads one datagram from the kernel.
  ///
  /// - Parameter waits: Whether to wait for a datagram.
  func read(into buffer: UnsafeMutableRawBufferPointer, waits: Bool) -> Reading {
    while true {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let flags = Int32(MSG_TRUNC) | (waits ? 0 : Int32(MSG_DONTWAIT))
      let count = withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, buffer.baseAddress, buffer.count, flags, $0, &length)
        }
      }
      if count < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN, EWOULDBLOCK: return .nothing
        case ENOBUFS: return .overrun
        default: return .failed(errno)
        }
      }
      // Other programs can also send to this socket; only the kernel's messages count.
      guard sender.nl_pid == 0 else { continue }
      return count > buffer.count ? .overrun : .bytes(count)
    }
  }

  /// Waits until a datagram is available.
  ///
  /// - Parameter milliseconds: The longest wait; −1 means no limit.
  /// - Returns: Whether a datagram is available.
  func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Sends a message to the kernel; does nothing after `close`.
  ///
  /// - Returns: Whether the message was sent.
  @discardableResult
  func send(_ message: [UInt8]) -> Bool {
    isOpen.withLock { isOpen in
      guard isOpen else { return false }
      var kernel = sockaddr_nl()
      kernel.nl_family = UInt16(AF_NETLINK)
      let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      return withUnsafePointer(to: &kernel) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          message.withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, 0, address, length) == $0.count }
        }
      }
    }
  }

  /// Wakes the reading thread: the kernel answers an empty message.
  func wake() { send(NetlinkRequest.wake) }

  /// Closes the socket.
  ///
  /// Only the reading thread may call it, or any thread when none reads.
  func close() {
    isOpen.withLock { isOpen in
      if isOpen { Glibc.close(descriptor) }
      isOpen = false
    }
  }
}

/// The system does not allow this process to read the network's state.
struct NetlinkRefusal: Error, Hashable {
  /// The `errno`.
  var code: Int32
  /// The call that failed.
  var step: String
}
