import CurlewCore

/// Knowledge about interfaces beyond the kernel's messages.
struct InterfaceHeuristics: Sendable {
  /// Returns the properties of a link in the system's files.
  var facts: @Sendable (NetworkLink) -> InterfaceFacts = { _ in [] }
  /// Whether an interface is charged by volume.
  var isExpensive: @Sendable (NetworkInterface) -> Bool = { $0.kind == .cellular }
  /// Whether an interface should be used sparingly.
  var isConstrained: @Sendable (NetworkInterface) -> Bool = { _ in false }
}

extension RouteTable {
  /// Returns the path to the internet.
  func internetPath(_ heuristics: InterfaceHeuristics) -> NetworkPath {
    let ipv4 = Self.internet.filter { $0.family == .ipv4 }.map { links(to: $0, where: leadsToInternet) }
    let ipv6 = Self.internet.filter { $0.family == .ipv6 }.map { links(to: $0, where: leadsToInternet) }
    // If one half of the address space has no route, the family has none.
    let ways = [ipv4, ipv6].map { $0.contains([]) ? [] : $0.flatMap(\.self) }
    return path(ipv4: ways[0], ipv6: ways[1], heuristics)
  }

  /// Returns the path to one host: to those of its addresses that have a route.
  func path(to addresses: [RouteAddress], _ heuristics: InterfaceHeuristics) -> NetworkPath {
    let ways = [RouteAddress.Family.ipv4, .ipv6].map { family in
      addresses.filter { $0.family == family }.flatMap { links(to: $0) { _ in true } }
    }
    return path(ipv4: ways[0], ipv6: ways[1], heuristics)
  }

  /// Returns the links that lead to an address, in the kernel's order of preference.
  ///
  /// Tables are searched in order: this machine's own addresses, the main table, then all others, because the rules
  /// that choose among them are unknown here. Within a table the longest prefix wins, then the lowest metric; a route
  /// whose links are down or have no carrier is skipped.
  private func links(to address: RouteAddress, where isMeant: (NetworkRoute) -> Bool) -> [Int32] {
    guard address.isLinkLocal || address.isLoopback || hasAddress(address.family) else { return [] }
    let candidates = routes.filter { $0.covers(address) && isMeant($0) }
    for group in Dictionary(grouping: candidates, by: \.table).sorted(by: { Self.rank($0.key) < Self.rank($1.key) }) {
      var found: [Int32] = []
      for route in group.value.sorted(by: { ($1.prefix, $0.metric) < ($0.prefix, $1.metric) }) {
        if route.fate == .refused { break }
        found += route.links.filter { link($0)?.isUsable == true && !found.contains($0) }
      }
      if !found.isEmpty { return found }
    }
    return []
  }

  private static func rank(_ table: UInt32) -> UInt64 {
    switch table {
    case NetworkRoute.localTable: 0
    case NetworkRoute.mainTable: 1
    default: 2 + UInt64(table)
    }
  }

  private func hasAddress(_ family: RouteAddress.Family) -> Bool {
    addresses.contains { address in
      address.isUsable && address.address.family == family && (link(address.index)?.isUp ?? false)
    }
  }

  private func path(ipv4: [Int32], ipv6: [Int32], _ heuristics: InterfaceHeuristics) -> NetworkPath {
    var families: AddressFamilies = []
    if !ipv4.isEmpty { families.insert(.ipv4) }
    if !ipv6.isEmpty { families.insert(.ipv6) }
    var indices: [Int32] = []
    for index in ipv4 + ipv6 where !indices.contains(index) { indices.append(index) }
    guard !indices.isEmpty else { return .notReachable }
    let interfaces = indices.map { interface($0, heuristics) }
    // A tunnel costs what the interface below it costs, which is the next one on the way to the internet.
    var carrier = zip(indices, interfaces).first { $1.kind != .tunnel }?.0
    if carrier == nil {
      carrier = Self.internet.flatMap { links(to: $0, where: leadsToInternet) }.first {
        interface($0, heuristics).kind != .tunnel
      }
    }
    let below = self.below(carrier ?? indices[0], heuristics)
    return NetworkPath(
      below.contains { $0.kind == .cellular } ? .reachableViaCellular : .reachableViaWiFi, interfaces: interfaces,
      families: families, isExpensive: below.contains(where: heuristics.isExpensive),
      isConstrained: below.contains(where: heuristics.isConstrained))
  }

  private func interface(_ index: Int32, _ heuristics: InterfaceHeuristics) -> NetworkInterface {
    guard let link = link(index) else { return NetworkInterface("", .other) }
    return NetworkInterface(link.name, InterfaceFacts.kind(of: link, heuristics.facts(link)))
  }

  /// Returns an interface with those below it.
  ///
  /// They are the link of a VLAN, or the parts of a bridge or bond.
  private func below(_ index: Int32, _ heuristics: InterfaceHeuristics) -> [NetworkInterface] {
    var seen: [Int32] = [index]
    var place = 0
    while place < seen.count, seen.count < 64 {
      let link = link(seen[place])
      let parts = link?.lower.map { [$0] } ?? links.filter { $0.master == seen[place] && $0.isUsable }.map(\.index)
      seen += parts.filter { self.link($0) != nil && !seen.contains($0) }.sorted()
      place += 1
    }
    return seen.map { interface($0, heuristics) }
  }
}
