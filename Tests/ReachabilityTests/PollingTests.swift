import CurlewCore
import Foundation
import Testing

@testable import CurlewReachability

@Suite(.timeLimit(.minutes(10))) struct PollingTests {
  /// A folder that looks like `/proc` and `/sys`.
  private struct Root {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-reach-\(UInt64.random(in: 0 ... .max))"

    func write(_ file: String, _ text: String) throws {
      let whole = path + file
      try FileManager.default.createDirectory(
        atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      // In one step, since a poller reads at the same time.
      try text.write(toFile: whole, atomically: true, encoding: .utf8)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// A table of IPv4 routes with these lines.
    func writeRoutes(_ lines: [String]) throws {
      let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
      try write("/proc/net/route", head + lines.map { $0 + "\n" }.joined())
    }
  }

  private static let defaultRoute = "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0"
  private static let subnet = "eth0\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0"

  @Test func `lines of both tables are read as the kernel writes them, and others are passed over`() throws {
    let (name, route) = try #require(PolledTable.ipv4Route(Substring(Self.subnet)))
    #expect(name == "eth0" && route.prefix == 24 && route.destination == RouteAddress("198.51.100.0"))
    let six =
      "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000001 00000000 00000001     eth0"
    let (other, routeSix) = try #require(PolledTable.ipv6Route(Substring(six)))
    #expect(other == "eth0" && routeSix.prefix == 64 && routeSix.metric == 1024)
    #expect(routeSix.destination == RouteAddress("2001:db8::"))
    for line in ["", "eth0", Self.subnet.replacingOccurrences(of: "006433C6", with: "x")] {
      #expect(PolledTable.ipv4Route(Substring(line)) == nil && PolledTable.ipv6Route(Substring(line)) == nil)
    }
  }

  @Test func `where netlink is refused the monitor says so and polls`() async throws {
    let root = Root()
    defer { root.remove() }
    try root.writeRoutes([Self.defaultRoute])
    try root.write("/sys/class/net/eth0/type", "1\n")
    try root.write("/sys/class/net/eth0/operstate", "up\n")
    try root.write("/sys/class/net/eth0/flags", "0x1003\n")
    var configuration = ReachabilityMonitor.Configuration()
    configuration.refusesNetlink = true
    configuration.root = root.path
    configuration.pollingInterval = .seconds(1)
    let monitor = ReachabilityMonitor(configuration: configuration)
    var changes = monitor.changes().makeAsyncIterator()
    monitor.start()
    #expect(monitor.source == .polling(step: "socket", code: EPERM))
    #expect(monitor.path.summary == "ipv4 eth0" && monitor.path.interfaces.map(\.kind) == [.wired])
    #expect(await changes.next() == .unknown)
    #expect(await changes.next()?.summary == "ipv4 eth0")
    try root.write("/sys/class/net/eth0/operstate", "down\n")
    #expect(await changes.next() == .notReachable)
    try root.write("/sys/class/net/eth0/operstate", "up\n")
    #expect(await changes.next()?.summary == "ipv4 eth0")
    try root.writeRoutes([])
    #expect(await changes.next() == .notReachable)
    monitor.stop()
    #expect(await changes.next() == .unknown)
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-polling").isEmpty })
  }

  @Test func `where nothing can be read nothing is known`() {
    var configuration = ReachabilityMonitor.Configuration()
    configuration.refusesNetlink = true
    configuration.root = "/nonexistent"
    let monitor = ReachabilityMonitor(configuration: configuration)
    monitor.start()
    #expect(monitor.isMonitoring && monitor.path == .unknown)
    monitor.stop()
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 18, .zero, .seconds(-1)])
  func `any interval can be polled at`(interval: Duration) async {
    var configuration = ReachabilityMonitor.Configuration()
    configuration.refusesNetlink = true
    configuration.root = "/nonexistent"
    configuration.pollingInterval = interval
    let monitor = ReachabilityMonitor(configuration: configuration)
    monitor.start()
    #expect(monitor.isMonitoring)
    monitor.stop()
    // The thread has looked at the interval when it ends.
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-polling").isEmpty })
  }

  @Test func `Wi-Fi and modems are known by their files`() throws {
    let root = Root()
    defer { root.remove() }
    try root.write("/sys/class/net/wlan0/uevent", "DEVTYPE=wlan\nINTERFACE=wlan0\n")
    try root.write("/sys/class/net/wlan1/phy80211/name", "phy0\n")
    try root.write("/sys/class/net/usb0/uevent", "DEVTYPE=wwan\nINTERFACE=usb0\n")
    #expect(InterfaceFacts.read("wlan0", root: root.path) == .wireless)
    #expect(InterfaceFacts.read("wlan1", root: root.path) == .wireless)
    #expect(InterfaceFacts.read("usb0", root: root.path) == .modem)
    #expect(InterfaceFacts.read("../net/usb0", root: root.path) == [])
    #expect(InterfaceFacts.read("eth0", root: root.path) == [])
  }
}
