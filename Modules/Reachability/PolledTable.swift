import Glibc

/// Reads links and routes from `/proc` and `/sys` where netlink is refused.
///
/// It sees less than netlink: only the main IPv4 table, and no addresses.
enum PolledTable {
  /// Returns the table; nil when neither routing table can be read.
  ///
  /// - Parameters:
  ///   - root: The directory that contains `/proc` and `/sys`.
  ///   - targets: The addresses whose routes matter, besides those to the internet.
  static func read(root: String, targets: [RouteAddress]) -> RouteTable? {
    let ipv4 = SystemText.read(root + "/proc/net/route")
    let ipv6 = SystemText.read(root + "/proc/net/ipv6_route")
    guard ipv4 != nil || ipv6 != nil else { return nil }
    var table = RouteTable()
    table.targets = targets
    var indices: [Substring: Int32] = [:]
    func index(of name: Substring) -> Int32 {
      if let index = indices[name] { return index }
      let index = Int32(indices.count) + 1
      indices[name] = index
      _ = table.insert(link(String(name), index: index, root: root))
      return index
    }
    for line in (ipv4 ?? "").split(separator: "\n").dropFirst() {
      guard let (name, route) = ipv4Route(line) else { continue }
      var known = route
      known.links = [index(of: name)]
      table.insert(known)
    }
    for line in (ipv6 ?? "").split(separator: "\n") {
      guard let (name, route) = ipv6Route(line) else { continue }
      var known = route
      known.links = [index(of: name)]
      table.insert(known)
    }
    // A route of a family usually means that the interface has an address of that family.
    if let any = indices.values.min() {
      for address in [RouteAddress(.ipv4, bits: 1), RouteAddress(.ipv6, bits: 1 << 125)] {
        table.insert(LinkAddress(index: any, address: address, prefix: 0, isUsable: true))
      }
    }
    return table
  }

  /// Reads a line of `/proc/net/route`: interface, destination, gateway, flags, use, use, metric, mask …
  static func ipv4Route(_ line: Substring) -> (name: Substring, route: NetworkRoute)? {
    let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
    guard words.count >= 8, let destination = UInt32(words[1], radix: 16), let flags = UInt32(words[3], radix: 16),
      let metric = UInt32(words[6]), let mask = UInt32(words[7], radix: 16), flags & isUp != 0
    else { return nil }
    // The file shows addresses as numbers in the machine's byte order.
    let address = RouteAddress(.ipv4, bits: UInt128(destination.bigEndian) << 96)
    let route = NetworkRoute(
      destination: address, prefix: UInt8(mask.nonzeroBitCount), table: NetworkRoute.mainTable, metric: metric,
      fate: flags & isRefused != 0 ? .refused : .sent)
    return (words[0], route)
  }

  /// Reads a line of `/proc/net/ipv6_route`: destination, length, source, length, next hop, metric, uses, flags, interface.
  static func ipv6Route(_ line: Substring) -> (name: Substring, route: NetworkRoute)? {
    let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
    guard words.count >= 10, words[0].utf8.count == 32, let bits = UInt128(words[0], radix: 16),
      let prefix = UInt8(words[1], radix: 16), prefix <= 128, let metric = UInt32(words[5], radix: 16),
      let flags = UInt32(words[8], radix: 16), flags & isUp != 0, flags & isCached == 0
    else { return nil }
    let isLocal = flags & Self.isLocal != 0
    let route = NetworkRoute(
      destination: RouteAddress(.ipv6, bits: bits), prefix: prefix,
      table: isLocal ? NetworkRoute.localTable : NetworkRoute.mainTable, metric: metric,
      fate: flags & isRefused != 0 ? .refused : isLocal ? .local : .sent)
    return (words[9], route)
  }

  private static let isUp: UInt32 = 1
  private static let isRefused: UInt32 = 0x200
  private static let isCached: UInt32 = 0x0100_0000
  private static let isLocal: UInt32 = 0x8000_0000

  /// Reads an interface from `/sys`; one that is not there counts as up.
  private static func link(_ name: String, index: Int32, root: String) -> NetworkLink {
    var link = NetworkLink(index: index, name: name, flags: NetworkLink.up | NetworkLink.running)
    guard !name.contains("/") else { return link }
    let folder = root + "/sys/class/net/" + name + "/"
    if let type = word(folder + "type").flatMap({ UInt16($0) }) { link.hardware = type }
    if let state = word(folder + "operstate"), state != "up", state != "unknown" {
      link.flags &= ~NetworkLink.running
    }
    if let flags = word(folder + "flags"), UInt32(flags.dropFirst(2), radix: 16).map({ $0 & 1 }) == 0 { link.flags = 0 }
    return link
  }

  private static func word(_ path: String) -> Substring? {
    SystemText.read(path)?.split(whereSeparator: { $0 == "\n" || $0 == " " }).first.map { Substring(String($0)) }
  }
}
