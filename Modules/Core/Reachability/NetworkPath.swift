/// The state of the network at one moment.
public struct NetworkPath: Sendable, Hashable {
  /// Whether there is a network, and of which kind.
  public var status: ReachabilityStatus
  /// The interfaces with a route, the preferred one first; empty without a network.
  public var interfaces: [NetworkInterface]
  /// The address families that have a route.
  public var families: AddressFamilies
  /// Whether the network is charged by volume.
  public var isExpensive: Bool
  /// Whether the network should be used sparingly.
  public var isConstrained: Bool

  /// Creates a path.
  public init(
    _ status: ReachabilityStatus, interfaces: [NetworkInterface] = [], families: AddressFamilies = [],
    isExpensive: Bool = false, isConstrained: Bool = false
  ) {
    self.status = status
    self.interfaces = interfaces
    self.families = families
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
  }

  /// The path while the state is unknown.
  public static let unknown = NetworkPath(.unknown)
  /// The path without a network.
  public static let notReachable = NetworkPath(.notReachable)

  /// Returns whether a request that may use `networks` may use this path.
  ///
  /// False when there is no network or its state is unknown.
  ///
  /// A cellular network requires `.cellular`. Any other requires `.expensive` if it is marked as expensive, and
  /// `.unmetered` otherwise.
  public func isAllowed(by networks: AllowedNetworks) -> Bool {
    switch status {
    case .unknown, .notReachable: false
    case .reachableViaCellular: networks.contains(.cellular)
    case .reachableViaWiFi: networks.contains(isExpensive ? .expensive : .unmetered)
    }
  }
}

/// A network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
  /// The system's name for it, such as `eth0`.
  public var name: String
  /// The kind of interface.
  public var kind: Kind

  /// Creates an interface.
  public init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// The kinds of interfaces; later versions may add more.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value that identifies the kind.
    public var rawValue: String
    /// Creates a kind from its value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// Ethernet or another cable.
    public static let wired = Kind(rawValue: "wired")
    /// A wireless LAN.
    public static let wiFi = Kind(rawValue: "wifi")
    /// A modem for mobile networks.
    public static let cellular = Kind(rawValue: "cellular")
    /// A tunnel, such as a VPN's.
    public static let tunnel = Kind(rawValue: "tunnel")
    /// A bridge, bond or team of other interfaces.
    public static let bridge = Kind(rawValue: "bridge")
    /// A virtual link of a container or virtual machine.
    public static let virtual = Kind(rawValue: "virtual")
    /// This machine itself.
    public static let loopback = Kind(rawValue: "loopback")
    /// Anything else.
    public static let other = Kind(rawValue: "other")
  }
}

/// The families of internet addresses.
public struct AddressFamilies: OptionSet, Sendable, Hashable {
  /// The raw value of the set.
  public let rawValue: UInt8
  /// Creates a set from a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// IPv4.
  public static let ipv4 = AddressFamilies(rawValue: 1)
  /// IPv6.
  public static let ipv6 = AddressFamilies(rawValue: 2)
}
