import Glibc

/// A port of the loopback network where nobody listens, held so that nobody else gets it.
final class UnusedPort: Sendable {
  let number: Int
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes -> Bool in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(descriptor, base, length) == 0 && getsockname(descriptor, base, &length) == 0
    }
    guard isBound else {
      close(descriptor)
      throw ConformanceSkip("no port can be had")
    }
    self.descriptor = descriptor
    number = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Lets the kernel accept connections that nobody ever reads.
  func listenOnly() throws {
    guard listen(descriptor, 16) == 0 else { throw ConformanceSkip("the port cannot listen") }
  }

  /// Listens with room for one, and takes that place itself, so that the next connection is never answered.
  func fill() throws -> [Int32] {
    guard listen(descriptor, 0) == 0 else { throw ConformanceSkip("the port cannot listen") }
    return try (0..<4).map { _ in
      let client = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      guard client >= 0 else { throw ConformanceSkip("no socket can be had") }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(number).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeBytes(of: &address) { bytes in
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        _ = connect(client, base, length)
      }
      return client
    }
  }
}
