import FoundationEssentials
import Glibc

/// The network interfaces of this machine, as far as an error needs them.
package struct LocalNetwork: Sendable, Equatable {
  /// An address of an interface.
  package struct Address: Sendable, Equatable {
    /// Whether the interface is up and has a link.
    package var isUp: Bool
    /// Whether it is the loopback interface.
    package var isLoopback: Bool
    /// Whether the address only reaches the machines on the same wire, as IPv6 addresses that nobody assigned do.
    package var isLinkLocal: Bool

    package init(isUp: Bool = true, isLoopback: Bool = false, isLinkLocal: Bool = false) {
      self.isUp = isUp
      self.isLoopback = isLoopback
      self.isLinkLocal = isLinkLocal
    }
  }

  package var addresses: [Address]

  package init(_ addresses: [Address]) { self.addresses = addresses }

  /// Asks the system (getifaddrs(3)); nil if it does not answer.
  package static func current() -> LocalNetwork? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var network = LocalNetwork([])
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = entry.ifa_addr else { continue }
      let family = Int32(address.pointee.sa_family)
      guard family == AF_INET || family == AF_INET6 else { continue }
      let flags = Int32(truncatingIfNeeded: entry.ifa_flags)
      let needed = Int32(IFF_UP | IFF_RUNNING)
      network.addresses.append(
        Address(
          isUp: flags & needed == needed, isLoopback: flags & Int32(IFF_LOOPBACK) != 0,
          isLinkLocal: family == AF_INET6 && isLinkLocal(address)))
    }
    return network
  }

  /// Returns whether an IPv6 address is in fe80::/10 (RFC 4291 §2.5.6).
  private static func isLinkLocal(_ address: UnsafePointer<sockaddr>) -> Bool {
    address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
      withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
    }
  }

  /// A sentence that says that there is no network; nil if there is one.
  package var absence: String? {
    let up = addresses.filter(\.isUp)
    guard !up.contains(where: { !$0.isLoopback && !$0.isLinkLocal }) else { return nil }
    return up.contains(where: \.isLoopback)
      ? "This machine has no network: only its loopback interface is up."
      : "This machine has no network: none of its interfaces is up."
  }
}

extension NetworkError {
  /// Returns this error with the fact that there is no network, if that is why a server was not reached.
  ///
  /// - Parameter network: Asks for the machine's interfaces.
  package func explained(
    for request: Request, network: () -> LocalNetwork? = LocalNetwork.current
  ) -> NetworkError {
    guard kind == .nameLookupFailed || kind == .connectionFailed, !details.lacksNetwork,
      request.options.unixSocketPath == nil, !request.isForLoopback, let absence = network()?.absence
    else { return self }
    return with {
      $0.lacksNetwork = true
      $0.advice = nil
      $0.message = "\(absence) \($0.message)"
    }
  }
}

extension Request {
  /// Whether the URL's host is this machine itself, which needs no network.
  package var isForLoopback: Bool {
    guard let host = url.host()?.lowercased() else { return false }
    return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "[::1]"
      || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) })
  }
}
