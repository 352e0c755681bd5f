package import Glibc

/// An address on which a scripted origin listens.
public enum OriginAddress: Sendable, Hashable {
  /// 127.0.0.1, on a port that the system chooses.
  case ipv4
  /// [::1], on the same port as `ipv4` if both are used.
  case ipv6
  /// A Unix socket at this path, which must not exist; at most 107 bytes.
  case unix(String)
}

/// A socket address in the kernel's form.
package struct SocketAddress: Sendable {
  package var bytes: [UInt8]
  package var family: Int32

  package static func ipv4(port: UInt16) -> SocketAddress {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return SocketAddress(bytes: withUnsafeBytes(of: &address) { [UInt8]($0) }, family: AF_INET)
  }

  package static func ipv6(port: UInt16) -> SocketAddress {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
    return SocketAddress(bytes: withUnsafeBytes(of: &address) { [UInt8]($0) }, family: AF_INET6)
  }

  /// Creates the address of a Unix socket.
  ///
  /// Nil if the path is empty, too long for the kernel, or contains a zero.
  package static func unix(_ path: String) -> SocketAddress? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = [UInt8](path.utf8)
    guard !path.isEmpty, !path.contains(0), path.count < MemoryLayout.size(ofValue: address.sun_path) else {
      return nil
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return SocketAddress(bytes: withUnsafeBytes(of: &address) { [UInt8]($0) }, family: AF_UNIX)
  }

  /// Calls `body` with the address in the form of the socket calls.
  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    bytes.withUnsafeBytes { raw in
      raw.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
    }
  }

  /// Returns the port of a bound socket; 0 for a Unix socket.
  package static func localPort(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let outcome = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard outcome == 0, storage.ss_family != sa_family_t(AF_UNIX) else { return 0 }
    // Port and family have the same offset in both families.
    return withUnsafeBytes(of: &storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }
}
