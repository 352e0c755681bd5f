import CurlewCore

/// The links, addresses and routes that matter for the monitored target.
///
/// A dump marks the entries it reports; when it ends, unmarked entries are removed, so a dump corrects everything.
struct RouteTable: Sendable {
  /// A part that is dumped and swept separately.
  enum Part: CaseIterable, Sendable {
    case links
    case addresses
    case routes
  }

  /// An entry, and the number of the last dump that reported it.
  private struct Entry<Value: Sendable>: Sendable {
    var value: Value
    var dump: UInt32
  }

  /// The most links, and the most addresses; further ones are ignored.
  static let limit = 1 << 16
  /// The most routes; only routes to the monitored target are kept.
  static let routeLimit = 1 << 10

  private var linkEntries: [Int32: Entry<NetworkLink>] = [:]
  private var addressEntries: [LinkAddress.Key: Entry<LinkAddress>] = [:]
  private var routeEntries: [Entry<NetworkRoute>] = []
  private var dump: UInt32 = 0

  /// The addresses whose routes are kept, besides those to the internet.
  var targets: [RouteAddress] = []

  /// Links by their index.
  func link(_ index: Int32) -> NetworkLink? { linkEntries[index]?.value }
  var links: some Sequence<NetworkLink> { linkEntries.values.lazy.map(\.value) }
  var addresses: some Sequence<LinkAddress> { addressEntries.values.lazy.map(\.value) }
  var routes: [NetworkRoute] { routeEntries.map(\.value) }

  // MARK: Dumps

  /// Starts a dump; entries reported from now on belong to it.
  mutating func beginDump() { dump &+= 1 }

  /// Removes entries that the dump has not reported.
  mutating func sweep(_ part: Part) {
    switch part {
    case .links: linkEntries = linkEntries.filter { $0.value.dump == dump }
    case .addresses: addressEntries = addressEntries.filter { $0.value.dump == dump }
    case .routes: routeEntries.removeAll { $0.dump != dump }
    }
  }

  // MARK: Changes

  /// What a change may have removed without a message from the kernel.
  enum Suspicion: Sendable {
    case none
    case routes
  }

  mutating func insert(_ link: NetworkLink) -> Suspicion {
    guard linkEntries[link.index] != nil || linkEntries.count < Self.limit else { return .none }
    let was = linkEntries.updateValue(Entry(value: link, dump: dump), forKey: link.index)
    // The kernel removes the IPv4 routes of a link that is switched off, without a message.
    return was.map { $0.value.flags & NetworkLink.up != 0 } == true && link.flags & NetworkLink.up == 0
      ? .routes : .none
  }

  mutating func removeLink(_ index: Int32) -> Suspicion {
    linkEntries[index] = nil
    addressEntries = addressEntries.filter { $0.key.index != index }
    return .routes
  }

  mutating func insert(_ address: LinkAddress) {
    guard addressEntries[address.key] != nil || addressEntries.count < Self.limit else { return }
    addressEntries[address.key] = Entry(value: address, dump: dump)
  }

  /// Removes an address.
  ///
  /// - Returns: A suspicion about routes that needed the address, because the kernel removes them without a message.
  mutating func remove(_ address: LinkAddress) -> Suspicion {
    addressEntries[address.key] = nil
    return .routes
  }

  mutating func insert(_ route: NetworkRoute) {
    guard matters(route) else { return }
    var route = route
    if route.replaces { routeEntries.removeAll { $0.value.isRival(of: route) } }
    route.replaces = false
    if let place = routeEntries.firstIndex(where: { $0.value == route }) {
      routeEntries[place].dump = dump
    } else if routeEntries.count < Self.routeLimit {
      routeEntries.append(Entry(value: route, dump: dump))
    }
  }

  mutating func remove(_ route: NetworkRoute) -> Suspicion {
    guard matters(route) else { return .none }
    if let place = routeEntries.firstIndex(where: { $0.value == route }) {
      routeEntries.remove(at: place)
      return .none
    }
    // It is one path of a multipath route, reported separately or together; a dump tells what is left.
    return routeEntries.contains { $0.value.isRival(of: route) } ? .routes : .none
  }

  /// Returns whether a route leads to the internet or to a target.
  ///
  /// Other routes are not kept, because there may be a million.
  private func matters(_ route: NetworkRoute) -> Bool {
    leadsToInternet(route) || targets.contains { route.covers($0) }
  }

  /// Returns whether it is a default route, or a half or an eighth of one.
  ///
  /// VPNs set those to take precedence over the default route.
  func leadsToInternet(_ route: NetworkRoute) -> Bool {
    guard route.prefix <= (route.destination.family == .ipv4 ? 1 : 3), route.table != NetworkRoute.localTable else {
      return false
    }
    return Self.internet.contains { route.covers($0) }
  }

  /// One address in each half of IPv4, and one in the allocated IPv6 range (2000::/3).
  static let internet = [
    RouteAddress(.ipv4, bits: 1 << 120), RouteAddress(.ipv4, bits: 0xDF << 120), RouteAddress(.ipv6, bits: 0x2 << 124),
  ]
}

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
