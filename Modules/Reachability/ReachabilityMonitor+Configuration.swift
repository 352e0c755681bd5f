import CLinux
public import CurlewCore
import Glibc

extension ReachabilityMonitor {
  /// The settings of a monitor.
  public struct Configuration: Sendable {
    /// Whether an interface is charged by volume; by default only cellular ones.
    ///
    /// The kernel does not know this. It is called for the interface that carries the traffic, below tunnels, VLANs,
    /// bridges and bonds, on the monitor's own thread, so it must not block.
    public var isExpensive: @Sendable (NetworkInterface) -> Bool = { $0.kind == .cellular }
    /// Whether an interface should be used sparingly; none by default.
    ///
    /// It is called like `isExpensive`.
    public var isConstrained: @Sendable (NetworkInterface) -> Bool = { _ in false }
    /// Looks up a name and returns its addresses; the system's resolver by default.
    ///
    /// It runs on a thread of its own and may block. An empty list or an error means that the name has no addresses.
    public var lookUp: @Sendable (String) throws -> [String] = SystemLookup.addresses
    /// The interval of reading where netlink is refused; at least a second.
    public var pollingInterval: Duration = .seconds(10)
    /// Receives everything that the kernel reports; nil, the default, records nothing.
    ///
    /// A `NetlinkRecording` can replay it. It is called on the monitor's own thread. A recording contains the names of
    /// interfaces and the addresses of this machine.
    public var record: (@Sendable (NetlinkRecording.Batch) -> Void)?

    /// The size of the receive buffer in bytes; nil means the system's default.
    package var receiveBuffer: Int32?
    /// Simulates a system that refuses netlink, for tests.
    package var refusesNetlink = false
    /// The directory that contains `/proc` and `/sys`; tests use another one.
    package var root = ""

    /// The defaults.
    public init() {}
  }
}

/// The source of a monitor's knowledge.
public enum ReachabilitySource: Sendable, Hashable {
  /// The monitor is stopped.
  case none
  /// The kernel reports each change.
  case netlink
  /// Files in `/proc` and `/sys` are read at an interval, because netlink is refused.
  ///
  /// - Parameters:
  ///   - step: The call that was refused.
  ///   - code: The `errno`.
  case polling(step: String, code: Int32)
}

/// The system's resolver.
enum SystemLookup {
  /// Looks up a name and returns its addresses; blocks until the resolver returns.
  @Sendable static func addresses(of name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      next = entry.ai_next
    }
    return addresses
  }
}
