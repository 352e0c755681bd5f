/// One rtnetlink message, as far as reachability needs it (rtnetlink(7)).
struct NetlinkMessage: Hashable, Sendable {
  /// The header of every message.
  struct Header: Hashable, Sendable {
    var type: UInt16
    var flags: UInt16
    var sequence: UInt32
    var port: UInt32
  }

  /// The content of a message.
  enum Content: Hashable, Sendable {
    case link(NetworkLink)
    case linkRemoved(index: Int32)
    case address(LinkAddress)
    case addressRemoved(LinkAddress)
    case route(NetworkRoute)
    case routeRemoved(NetworkRoute)
    /// The end of a dump.
    case done
    /// The answer to a request: 0 for success, else an `errno`.
    case error(Int32)
    /// The kernel has lost messages.
    case overrun
    /// Anything else.
    case other
  }

  var header: Header
  var content: Content
}

/// A network interface as the kernel describes it.
struct NetworkLink: Hashable, Sendable {
  var index: Int32
  var name = ""
  /// The flags, such as `IFF_UP`.
  var flags: UInt32 = 0
  /// The hardware type, such as `ARPHRD_ETHER`.
  var hardware: UInt16 = 0
  /// The driver's kind, such as `veth` or `wireguard`; empty when it has none.
  var driver = ""
  /// The interface below, such as a VLAN's, in this namespace; nil without one.
  var lower: Int32?
  /// The bridge or bond that it is part of; nil without one.
  var master: Int32?

  /// Whether it is switched on.
  var isUp: Bool { flags & Self.up != 0 }
  /// Whether it is switched on and has a carrier.
  var isUsable: Bool { isUp && flags & Self.running != 0 }

  static let up: UInt32 = 1
  static let running: UInt32 = 0x40
}

/// An address of an interface.
struct LinkAddress: Hashable, Sendable {
  var index: Int32
  var address: RouteAddress
  var prefix: UInt8
  /// Whether it can be the source of packets to the internet.
  ///
  /// It has global scope, and duplicate address detection is complete.
  var isUsable: Bool

  /// The properties that identify an address.
  struct Key: Hashable, Sendable {
    var index: Int32
    var address: RouteAddress
    var prefix: UInt8
  }

  var key: Key { Key(index: index, address: address, prefix: prefix) }
}

/// A route as the kernel describes it.
struct NetworkRoute: Hashable, Sendable {
  /// What happens to a packet.
  enum Fate: Hashable, Sendable {
    /// It is forwarded.
    case sent
    /// It is for this machine.
    case local
    /// It is dropped or refused.
    case refused
  }

  var destination: RouteAddress
  var prefix: UInt8
  var table: UInt32
  /// The priority; the lowest value wins.
  var metric: UInt32 = 0
  var fate: Fate
  /// The interfaces that it leads to.
  var links: [Int32] = []
  /// Whether it replaces a route with the same destination, table and metric.
  var replaces = false

  /// Returns whether both have the same destination, table and metric.
  func isRival(of other: NetworkRoute) -> Bool {
    destination == other.destination && prefix == other.prefix && table == other.table && metric == other.metric
  }

  func covers(_ address: RouteAddress) -> Bool {
    address.family == destination.family && address.masked(prefix) == destination.masked(prefix)
  }

  static let mainTable: UInt32 = 254
  static let localTable: UInt32 = 255
}
