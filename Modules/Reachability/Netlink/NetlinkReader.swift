import CLinux
import Glibc

/// Reads the messages in a datagram from rtnetlink.
///
/// Any bytes yield a list of messages. Lengths are checked against the available bytes; a message that contradicts
/// itself ends the datagram and is reported as lost messages, so that the reader's owner requests a dump.
enum NetlinkReader {
  /// Returns the messages of one datagram, in order.
  static func messages(in bytes: UnsafeRawBufferPointer) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = NetlinkBytes(bytes)
    while rest.count > 0 {
      guard let header = header(rest), let whole = rest.take(header.length) else {
        messages.append(broken)
        break
      }
      rest.skipToAlignment(of: header.length)
      let body = whole.dropping(16)
      messages.append(NetlinkMessage(header: header.header, content: content(of: header.header, body) ?? .overrun))
    }
    return messages
  }

  private static let broken = NetlinkMessage(
    header: .init(type: 0, flags: 0, sequence: 0, port: 0), content: .overrun)

  private static func header(_ bytes: NetlinkBytes) -> (header: NetlinkMessage.Header, length: Int)? {
    guard let length = bytes.uint32(0), let type = bytes.uint16(4), let flags = bytes.uint16(6),
      let sequence = bytes.uint32(8), let port = bytes.uint32(12), length >= 16
    else { return nil }
    return (.init(type: type, flags: flags, sequence: sequence, port: port), Int(length))
  }

  /// Returns a message's content; nil when it is malformed.
  private static func content(of header: NetlinkMessage.Header, _ body: NetlinkBytes) -> NetlinkMessage.Content? {
    switch Int(header.type) {
    case Int(NLMSG_DONE): .done
    case Int(NLMSG_ERROR): body.uint32(0).map { .error(Int32(truncatingIfNeeded: 0 &- Int64(Int32(bitPattern: $0)))) }
    case Int(NLMSG_OVERRUN): .overrun
    case Int(RTM_NEWLINK): link(body).map { .link($0) }
    case Int(RTM_DELLINK): link(body).map { .linkRemoved(index: $0.index) }
    case Int(RTM_NEWADDR): address(body)
    case Int(RTM_DELADDR): removed(address(body))
    case Int(RTM_NEWROUTE): route(body, replaces: header.flags & UInt16(NLM_F_REPLACE) != 0)
    case Int(RTM_DELROUTE): removed(route(body, replaces: false))
    default: .other
    }
  }

  private static func removed(_ content: NetlinkMessage.Content?) -> NetlinkMessage.Content? {
    switch content {
    case .address(let address): .addressRemoved(address)
    case .route(let route): .routeRemoved(route)
    default: content
    }
  }

  /// Reads `ifinfomsg` and its attributes.
  private static func link(_ body: NetlinkBytes) -> NetworkLink? {
    guard let hardware = body.uint16(2), let index = body.int32(4), let flags = body.uint32(8),
      let attributes = body.dropping(16).attributes()
    else { return nil }
    var link = NetworkLink(index: index, flags: flags, hardware: hardware)
    var isElsewhere = false
    for (type, value) in attributes {
      switch Int(type) {
      case IFLA_IFNAME: link.name = value.text(upTo: 64)
      case IFLA_LINK: link.lower = value.int32(0)
      case IFLA_LINK_NETNSID: isElsewhere = true
      case IFLA_MASTER: link.master = value.int32(0)
      case IFLA_LINKINFO:
        for (type, value) in value.attributes() ?? [] where Int(type) == IFLA_INFO_KIND {
          link.driver = value.text(upTo: 32)
        }
      default: break
      }
    }
    // An index in another namespace would refer to another interface here.
    if isElsewhere || link.lower == index { link.lower = nil }
    return link
  }

  /// Reads `ifaddrmsg` and its attributes.
  private static func address(_ body: NetlinkBytes) -> NetlinkMessage.Content? {
    guard let family = body.byte(0), let prefix = body.byte(1), var flags = body.byte(2).map(UInt32.init),
      let scope = body.byte(3), let index = body.int32(4), let attributes = body.dropping(8).attributes()
    else { return nil }
    guard let family = Self.family(family) else { return .other }
    var address: RouteAddress?
    var local: RouteAddress?
    for (type, value) in attributes {
      switch Int(type) {
      case IFA_ADDRESS: address = RouteAddress(family, value.bytes)
      case IFA_LOCAL: local = RouteAddress(family, value.bytes)
      case IFA_FLAGS: flags = value.uint32(0) ?? flags
      default: break
      }
    }
    // On a point-to-point link, IFA_ADDRESS is the address of the other end.
    guard let own = local ?? address else { return nil }
    let isDetecting = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
    let isUsable = scope < 253 && !isDetecting && flags & UInt32(IFA_F_DADFAILED) == 0
    return .address(LinkAddress(index: index, address: own, prefix: prefix, isUsable: isUsable))
  }

  /// Reads `rtmsg` and its attributes.
  private static func route(_ body: NetlinkBytes, replaces: Bool) -> NetlinkMessage.Content? {
    guard let family = body.byte(0), let prefix = body.byte(1), let table = body.byte(4), let type = body.byte(7),
      let flags = body.uint32(8), let attributes = body.dropping(12).attributes()
    else { return nil }
    // A cached copy of a route is not a route of its own.
    guard let family = Self.family(family), flags & UInt32(RTM_F_CLONED) == 0 else { return .other }
    guard let fate = fate(type) else { return .other }
    guard Int(prefix) <= 8 * family.length else { return nil }
    var route = NetworkRoute(
      destination: RouteAddress(family), prefix: prefix, table: UInt32(table), fate: fate, replaces: replaces)
    for (type, value) in attributes {
      switch Int(type) {
      case Int(RTA_DST.rawValue):
        guard let destination = RouteAddress(family, value.bytes) else { return nil }
        route.destination = destination
      case Int(RTA_OIF.rawValue): if let index = value.int32(0) { route.links.append(index) }
      case Int(RTA_PRIORITY.rawValue): route.metric = value.uint32(0) ?? 0
      case Int(RTA_TABLE.rawValue): route.table = value.uint32(0) ?? route.table
      case Int(RTA_MULTIPATH.rawValue):
        guard let links = links(value) else { return nil }
        route.links += links
      default: break
      }
    }
    return .route(route)
  }

  /// Reads a list of `rtnexthop`.
  private static func links(_ value: NetlinkBytes) -> [Int32]? {
    var links: [Int32] = []
    var rest = value
    while rest.count > 0 {
      guard let length = rest.uint16(0), length >= 8, let hop = rest.take(Int(length)), let index = hop.int32(4) else {
        return nil
      }
      rest.skipToAlignment(of: Int(length))
      links.append(index)
    }
    return links
  }

  private static func family(_ value: UInt8) -> RouteAddress.Family? {
    switch Int32(value) {
    case AF_INET: .ipv4
    case AF_INET6: .ipv6
    default: nil
    }
  }

  private static func fate(_ type: UInt8) -> NetworkRoute.Fate? {
    switch Int(type) {
    case Int(RTN_UNICAST): .sent
    case Int(RTN_LOCAL): .local
    case Int(RTN_BLACKHOLE), Int(RTN_UNREACHABLE), Int(RTN_PROHIBIT), Int(RTN_THROW): .refused
    default: nil
    }
  }
}

/// A part of a datagram; every access is checked.
struct NetlinkBytes {
  private var base: UnsafeRawBufferPointer

  init(_ base: UnsafeRawBufferPointer) { self.base = base }

  var count: Int { base.count }
  var bytes: UnsafeRawBufferPointer { base }

  func byte(_ offset: Int) -> UInt8? { offset < count ? base[offset] : nil }
  func uint16(_ offset: Int) -> UInt16? { load(offset) }
  func uint32(_ offset: Int) -> UInt32? { load(offset) }
  func int32(_ offset: Int) -> Int32? { load(offset) }

  /// Returns the text up to a zero byte.
  func text(upTo limit: Int) -> String { String(decoding: base.prefix(limit).prefix { $0 != 0 }, as: UTF8.self) }

  /// Returns the bytes after the first ones; empty when there are none.
  func dropping(_ length: Int) -> NetlinkBytes {
    NetlinkBytes(UnsafeRawBufferPointer(rebasing: base.dropFirst(length)))
  }

  /// Removes and returns the first bytes; nil when there are too few.
  mutating func take(_ length: Int) -> NetlinkBytes? {
    guard length >= 0, length <= count else { return nil }
    defer { self = dropping(length) }
    return NetlinkBytes(UnsafeRawBufferPointer(rebasing: base.prefix(length)))
  }

  /// Skips padding to a multiple of four bytes.
  mutating func skipToAlignment(of length: Int) { self = dropping((4 - length % 4) % 4) }

  /// Returns the attributes (`rtattr`); nil when a length is inconsistent.
  func attributes() -> [(type: UInt16, value: NetlinkBytes)]? {
    var attributes: [(type: UInt16, value: NetlinkBytes)] = []
    var rest = self
    while rest.count > 0 {
      guard let length = rest.uint16(0), let type = rest.uint16(2), length >= 4, let whole = rest.take(Int(length))
      else {
        return nil
      }
      rest.skipToAlignment(of: Int(length))
      // The highest two bits say that the value is nested or in network byte order.
      attributes.append((type & 0x3FFF, whole.dropping(4)))
    }
    return attributes
  }

  private func load<Value: BitwiseCopyable>(_ offset: Int) -> Value? {
    guard offset + MemoryLayout<Value>.size <= count else { return nil }
    return base.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }
}
