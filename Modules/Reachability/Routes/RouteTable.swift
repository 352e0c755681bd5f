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
