package import CurlewCore
import Glibc

/// A socket that reserves a free port of 127.0.0.1.
package final class LoopbackSocket: Sendable {
  /// The socket.
  package let descriptor: Int32
  /// Its port.
  package let port: Int

  /// Binds the socket without listening, so connections are refused.
  package init() throws(FileSystemError) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "socket", path: "") }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = Self.withAddress(&address, port: 0) { base in
      bind(descriptor, base, length) == 0 && getsockname(descriptor, base, &length) == 0
    }
    let code = errno
    guard isBound else {
      close(descriptor)
      throw FileSystemError(code: code, operation: "bind", path: "")
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Listens, so that the kernel accepts connections.
  package func listen(backlog: Int32) throws(FileSystemError) {
    guard Glibc.listen(descriptor, backlog) == 0 else {
      throw FileSystemError(code: errno, operation: "listen", path: "")
    }
  }

  /// Starts a connection to itself without waiting.
  package func connectToItself() throws(FileSystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let client = socket(AF_INET, kind, 0)
    guard client >= 0 else { throw FileSystemError(code: errno, operation: "socket", path: "") }
    var address = sockaddr_in()
    _ = Self.withAddress(&address, port: port) { base in
      connect(client, base, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
    return client
  }

  private static func withAddress(
    _ address: inout sockaddr_in, port: Int, _ body: (UnsafeMutablePointer<sockaddr>) -> Bool
  ) -> Bool {
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
