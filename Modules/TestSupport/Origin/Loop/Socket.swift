import CLinux
import Glibc

/// A failed system call of the scripted origin: which one and the reason.
public struct OriginError: Error, Sendable, CustomStringConvertible {
  /// What was tried, such as `bind`.
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

  /// One sentence with the call and the reason.
  public var description: String { "The scripted origin could not \(operation): \(reason)." }
}

/// Non-blocking stream sockets, as plain functions over descriptors.
package enum Socket {
  /// What a read or write on a non-blocking socket comes to.
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

  /// Why an attempt to connect failed, 0 when it did not.
  package static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  /// Starts to connect; the socket becomes writable once it is done.
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

  /// Whether the kernel holds bytes of the peer that nobody read: closing now would send RST and could cost the reply.
  package static func hasUnreadBytes(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
  }
}
