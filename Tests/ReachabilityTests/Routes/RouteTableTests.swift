import CurlewCore
import Testing

@testable import CurlewReachability

@Suite struct RouteTableTests {
  private typealias Kernel = KernelMessages

  /// What a kernel with these routes, over the links 2 (eth0), 3 (wlan0), 4 (wwan0), 5 (tun0) and 6 (down), leads to.
  private func path(_ routes: [[UInt8]], towards: [String] = [], addresses: [[UInt8]]? = nil) -> String {
    var kernel = FollowedKernel(towards: towards)
    kernel.links = [
      Kernel.link(1, "lo", flags: 0x49, hardware: 772), Kernel.link(2, "eth0"),
      Kernel.link(3, "wlan0", hardware: 801), Kernel.link(4, "wwan0", hardware: 519),
      Kernel.link(5, "tun0", hardware: 0xFFFE, driver: "tun"), Kernel.link(6, "eth9", flags: 0x01),
      Kernel.link(7, "eth0.7", driver: "vlan", lower: 4), Kernel.link(8, "br0", driver: "bridge"),
      Kernel.link(9, "wwan1", hardware: 519, master: 8),
      Kernel.link(10, "eth10", flags: 0x1002),
    ]
    kernel.addresses =
      addresses ?? [Kernel.address(2, "192.0.2.7"), Kernel.address(2, "2001:db8::7", prefix: 64)]
    kernel.routes = routes
    kernel.settle()
    return kernel.path.summary
  }

  @Test func `the lowest metric comes first, and both families count`() {
    #expect(path([]) == "no")
    #expect(path([Kernel.route("192.0.2.0", 24)]) == "no")
    #expect(path([Kernel.route(nil)]) == "ipv4 eth0")
    #expect(path([Kernel.route(nil, metric: 600), Kernel.route(nil, over: [3], metric: 100)]) == "ipv4 wlan0,eth0")
    #expect(path([Kernel.route(nil, isIPv6: true)]) == "ipv6 eth0")
    #expect(path([Kernel.route(nil), Kernel.route(nil, over: [3], isIPv6: true)]) == "ipv4+ipv6 eth0,wlan0")
    #expect(path([Kernel.route(nil, over: [2, 3])]) == "ipv4 eth0,wlan0")
  }

  @Test func `a route over a link that is down or without a carrier does not count`() {
    #expect(path([Kernel.route(nil, over: [6])]) == "no")
    #expect(path([Kernel.route(nil, over: [99])]) == "no")
    #expect(path([Kernel.route(nil, over: [6]), Kernel.route(nil, over: [3], metric: 9)]) == "ipv4 wlan0")
  }

  @Test func `a route that refuses ends the search in its table, where it wins`() {
    #expect(path([Kernel.route(nil, over: [], type: 7), Kernel.route(nil, metric: 5)]) == "no")
    #expect(path([Kernel.route(nil), Kernel.route(nil, over: [], metric: .max, type: 7)]) == "ipv4 eth0")
  }

  @Test func `a family without an address of its own has no path`() {
    let both = [Kernel.route(nil), Kernel.route(nil, isIPv6: true)]
    #expect(path(both, addresses: [Kernel.address(2, "192.0.2.7")]) == "ipv4 eth0")
    #expect(path(both, addresses: [Kernel.address(10, "192.0.2.7")]) == "no")
    #expect(path(both, addresses: [Kernel.address(2, "fe80::7", prefix: 64, scope: 253)]) == "no")
    #expect(path(both, addresses: [Kernel.address(2, "2001:db8::7", prefix: 64, flags: 0x40)]) == "no")
  }

  @Test func `the halves by which VPNs take everything are a default route, one half is none`() {
    let halves = [Kernel.route("0.0.0.0", 1, over: [5]), Kernel.route("128.0.0.0", 1, over: [5])]
    #expect(path(halves) == "ipv4 tun0")
    #expect(path([halves[0]]) == "no")
    #expect(path(halves + [Kernel.route(nil)]) == "ipv4 tun0,eth0")
    #expect(path([Kernel.route("2000::", 3, over: [5], isIPv6: true)]) == "ipv6 tun0")
  }

  @Test func `routes of other tables count behind the main one`() {
    #expect(path([Kernel.route(nil, over: [5], table: 100)]) == "ipv4 tun0")
    #expect(path([Kernel.route(nil, over: [5], table: 100), Kernel.route(nil)]) == "ipv4 eth0")
  }

  @Test func `a modem is cellular, below tunnels, VLANs and bridges too`() {
    #expect(path([Kernel.route(nil, over: [4])]) == "ipv4 wwan0 cellular")
    #expect(path([Kernel.route(nil, over: [7])]) == "ipv4 eth0.7 cellular")
    #expect(path([Kernel.route(nil, over: [8])]) == "ipv4 br0 cellular")
    let tunnel = [
      Kernel.route("0.0.0.0", 1, over: [5]), Kernel.route("128.0.0.0", 1, over: [5]), Kernel.route(nil, over: [4]),
    ]
    #expect(path(tunnel) == "ipv4 tun0,wwan0 cellular")
    #expect(
      path(tunnel + [Kernel.route("10.0.0.0", 8, over: [5])], towards: ["10.1.2.3"]) == "ipv4 tun0,wwan0 cellular")
  }

  @Test func `an address is reached by the longest prefix, and needs no default route`() {
    let routes = [Kernel.route("198.51.100.0", 24, over: [3]), Kernel.route("198.51.100.128", 25, over: [2])]
    #expect(path(routes, towards: ["198.51.100.200"]) == "ipv4 eth0,wlan0")
    #expect(path(routes, towards: ["198.51.100.1"]) == "ipv4 wlan0")
    #expect(path(routes, towards: ["203.0.113.1"]) == "no")
    #expect(path(routes, towards: ["203.0.113.1", "198.51.100.1"]) == "ipv4 wlan0")
    #expect(path([Kernel.route("127.0.0.0", 8, over: [1], table: 255, type: 2)], towards: ["127.0.0.1"]) == "ipv4 lo")
    #expect(path([Kernel.route("fe80::", 64)], towards: ["fe80::1"], addresses: []) == "ipv6 eth0")
  }

  @Test func `tables stay small, whatever is put into them`() {
    var table = RouteTable()
    for number in 0..<UInt32(RouteTable.routeLimit + 100) {
      table.insert(
        NetworkRoute(destination: RouteAddress(.ipv4), prefix: 0, table: 254, metric: number, fate: .sent, links: [2]))
      table.insert(
        NetworkRoute(
          destination: RouteAddress(.ipv4, bits: UInt128(number) << 100), prefix: 28, table: 254, fate: .sent,
          links: [2]))
    }
    #expect(table.routes.count == RouteTable.routeLimit)
    #expect(table.routes.allSatisfy { $0.prefix == 0 })
  }

  @Test func `every kind of interface has its name`() {
    let cases: [(NetworkLink, InterfaceFacts, NetworkInterface.Kind)] = [
      (NetworkLink(index: 1, hardware: 772), [], .loopback), (NetworkLink(index: 1, hardware: 1), [], .wired),
      (NetworkLink(index: 1, hardware: 1), .wireless, .wiFi), (NetworkLink(index: 1, hardware: 1), .modem, .cellular),
      (NetworkLink(index: 1, hardware: 519), [], .cellular), (NetworkLink(index: 1, hardware: 512), [], .tunnel),
      (NetworkLink(index: 1, hardware: 0xFFFE, driver: "tun"), [], .tunnel),
      (NetworkLink(index: 1, hardware: 0xFFFE, driver: "wireguard"), [], .tunnel),
      (NetworkLink(index: 1, hardware: 1, driver: "bridge"), [], .bridge),
      (NetworkLink(index: 1, hardware: 1, driver: "veth"), [], .virtual),
      (NetworkLink(index: 1, hardware: 1, driver: "macvlan"), [], .virtual),
      (NetworkLink(index: 1, hardware: 1, driver: "vlan"), [], .wired),
      (NetworkLink(index: 1, hardware: 1, driver: "wwan"), [], .cellular),
      (NetworkLink(index: 1, hardware: 280), [], .other),
    ]
    for (link, facts, kind) in cases { #expect(InterfaceFacts.kind(of: link, facts) == kind, "\(link)") }
  }
}
