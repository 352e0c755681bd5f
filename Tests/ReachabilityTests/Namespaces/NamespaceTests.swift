import CurlewCore
import FoundationEssentials
import Glibc
import Testing

@testable import CurlewReachability

/// The real kernel, in a namespace of its own. Each case's netlink messages are kept by `Scripts/reachability --record`.
@Suite(.serialized, .enabled(if: Namespace.isHere, Namespace.advice), .timeLimit(.minutes(10)))
struct NamespaceTests {
  /// Plays a case: commands, and what must be told after them.
  private func play(
    _ name: String, target: ReachabilityTarget = .defaultRoute, before: [String] = [],
    _ steps: [(commands: [String], summary: String)]
  ) async throws {
    try await Namespace.reset()
    try await Namespace.ip(before)
    let watch = try Watch(target)
    for (commands, summary) in steps {
      try await Namespace.ip(commands)
      #expect(await watch.comes(summary), "\(commands) led to \(watch.summaries)")
    }
    // Every state that stood is told once and in order.
    #expect(watch.summaries == steps.map(\.summary))
    try Recordings.keep(watch.end(), name)
  }

  @Test func `link down and up`() async throws {
    try await play(
      "link-down-up", before: [Namespace.route],
      [
        ([], "ipv4 cp0"), (["link set cp0 down"], "no"), (["link set cp0 up", Namespace.route], "ipv4 cp0"),
      ])
  }

  @Test func `a carrier that is lost and comes back`() async throws {
    try await play(
      "carrier",
      before: [
        "link add cc0 type veth peer name cc1", "link set cc1 up", "link set cc0 up",
        "address add 198.51.100.1/24 dev cc0", "route add default via 198.51.100.2",
      ],
      [
        ([], "ipv4 cc0"), (["link set cc1 down"], "no"), (["link set cc1 up"], "ipv4 cc0"),
        (["link delete cc0"], "no"),
      ])
  }

  @Test func `an address that is removed and added takes its routes along, without a word of the kernel`() async throws
  {
    try await play(
      "address", before: [Namespace.route],
      [
        ([], "ipv4 cp0"), (["address delete 192.0.2.1/24 dev cp0"], "no"),
        (["address add 192.0.2.1/24 dev cp0", Namespace.route], "ipv4 cp0"),
      ])
  }

  @Test func `a default route that is removed, added and replaced`() async throws {
    try await play(
      "default-route",
      before: ["link add cd0 type veth peer name cd1", "link set cd1 up", "link set cd0 up", Namespace.route],
      [
        ([], "ipv4 cp0"), (["route delete default"], "no"), ([Namespace.route], "ipv4 cp0"),
        (["route replace default dev cd0"], "ipv4 cd0"), (["link delete cd0"], "no"),
      ])
  }

  @Test func `IPv6 only`() async throws {
    try await play(
      "ipv6-only", before: ["address flush dev cp0"],
      [
        ([], "no"), (["address add 2001:db8::1/64 dev cp0 nodad", "route add ::/0 via 2001:db8::2"], "ipv6 cp0"),
        (["address delete 2001:db8::1/64 dev cp0"], "no"),
      ])
  }

  @Test func `one of two families is lost`() async throws {
    try await play(
      "families",
      before: [
        Namespace.route, "address add 2001:db8::1/64 dev cp0 nodad", "route add ::/0 via 2001:db8::2",
      ],
      [
        ([], "ipv4+ipv6 cp0"), (["route delete default"], "ipv6 cp0"), ([Namespace.route], "ipv4+ipv6 cp0"),
        (["route delete ::/0"], "ipv4 cp0"),
      ])
  }

  @Test func `an address is followed by its own route`() async throws {
    try await play(
      "address-target", target: .host("198.51.100.9"),
      [
        ([], "no"), (["route add 198.51.100.0/24 via 192.0.2.2"], "ipv4 cp0"),
        (["route delete 198.51.100.0/24"], "no"),
      ])
  }

  @Test func `a hundred flaps in a second end in the right state`() async throws {
    try await Namespace.reset()
    let watch = try Watch()
    let flaps = Array(repeating: [Namespace.route, "route delete default"], count: 100).flatMap(\.self)
    let start = ContinuousClock.now
    try await Namespace.ip(flaps + [Namespace.route])
    let time = start.duration(to: .now)
    #expect(await watch.comes("ipv4 cp0"))
    try await Namespace.ip(flaps.map { $0 == Namespace.route ? "link set cp0 down" : "link set cp0 up" })
    #expect(await watch.comes("no"))
    // Told once each and in order: the states can only alternate.
    let told = watch.summaries
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    try Recordings.keep(watch.end(), "flaps")
    print("flaps: 200 changes in \(time), \(told.count) states told of these and 200 more")
  }

  @Test func `the right state is told within 50 ms of the kernel's message, each once`() async throws {
    try await Namespace.reset()
    let watch = try Watch()
    #expect(await watch.comes("no"))
    var delays: [Duration] = []
    var expected = ["no"]
    for round in 0..<100 {
      watch.forget()
      let isThere = round % 2 == 0
      // Of three kinds: a route, an address with what depends on it, a link.
      let commands =
        switch round / 2 % 3 {
        case 0: isThere ? [Namespace.route] : ["route delete default"]
        case 1: isThere ? [Namespace.route] : ["address flush dev cp0"]
        default: isThere ? [Namespace.route] : ["link set cp0 down"]
        }
      try await Namespace.ip(commands)
      expected.append(isThere ? "ipv4 cp0" : "no")
      #expect(await watch.comes(expected[expected.count - 1]))
      // The second socket's thread may be the later one of the two.
      let hasHeard = await ProcessLook.settles {
        watch.lastHeard { Self.isCause($0, isThere: isThere) } != nil
      }
      #expect(hasHeard)
      if let told = watch.lastTold, let heard = watch.lastHeard({ Self.isCause($0, isThere: isThere) }) {
        delays.append(heard.duration(to: told))
      }
      // Sleeps because each state has to stand for 50 ms.
      try await Task.sleep(for: .milliseconds(60))
      if !isThere { try await Namespace.reset() }
    }
    #expect(watch.summaries == expected)
    _ = watch.end()
    let late = delays.count { $0 > .milliseconds(50) }
    print(
      "delays: \(delays.count) cases, \(late) above 50 ms, median \(delays.sorted()[delays.count / 2]), worst \(delays.max() ?? .zero)"
    )
    // Each would be late if the monitor looked by a clock, or waited for more; a few are where the machine is busy.
    #expect(delays.count == 100 && late < 10)
  }

  private static func isCause(_ content: NetlinkMessage.Content, isThere: Bool) -> Bool {
    switch content {
    case .route(let route): isThere && route.prefix == 0
    case .routeRemoved(let route): !isThere && route.prefix == 0 && route.table == NetworkRoute.mainTable
    case .addressRemoved: !isThere
    case .link(let link): !isThere && !link.isUsable
    default: false
    }
  }

  /// Commands that make pairs of links, and those that remove them.
  private static func pairs(_ count: Int) -> (make: [String], remove: [String]) {
    let numbers = 0..<count
    return (
      numbers.flatMap {
        ["link add cd\($0) type veth peer name ce\($0)", "link set cd\($0) up", "link set ce\($0) up"]
      },
      numbers.map { "link delete cd\($0)" }
    )
  }

  @Test func `a thousand interfaces`() async throws {
    try await Namespace.reset()
    let pairs = Self.pairs(500)
    let early = try Watch()
    try await Namespace.ip(pairs.make + [Namespace.route])
    #expect(await early.comes("ipv4 cp0"))
    let start = ContinuousClock.now
    let late = try Watch()
    let known = start.duration(to: .now)
    #expect(late.monitor.path.summary == "ipv4 cp0")
    for (command, summary) in [("route delete default", "no"), (Namespace.route, "ipv4 cp0")] {
      try await Namespace.ip(command)
      let isRight = await early.comes(summary)
      let isRightToo = await late.comes(summary)
      #expect(isRight && isRightToo)
    }
    try Recordings.keep(late.end(), "thousand-interfaces", trimmed: true)
    try await Namespace.ip(pairs.remove)
    #expect(await early.comes("ipv4 cp0"))
    _ = early.end()
    print("thousand interfaces: known after \(known)")
  }

  @Test func `messages that are lost in a tiny buffer are made good`() async throws {
    try await Namespace.reset()
    let watch = try Watch(.defaultRoute) { $0.receiveBuffer = 1 }
    #expect(await watch.comes("no"))
    let pairs = Self.pairs(10)
    for round in 0..<10 {
      let change = round % 2 == 0 ? Namespace.route : "route delete default"
      try await Namespace.ip(pairs.make + [change] + pairs.remove)
      #expect(await watch.comes(round % 2 == 0 ? "ipv4 cp0" : "no"))
      // More of the same would be megabytes.
      if round == 1 { try Recordings.keep(NetlinkRecording(watch.log.all), "lost-messages", trimmed: true) }
    }
    let overruns = watch.end().batches.count(where: \.isOverrun)
    print("tiny buffer: \(overruns) times ENOBUFS")
    #expect(overruns > 0)
  }

  @Test func `an idle monitor never wakes, with one thread and one descriptor`() async throws {
    try await Namespace.reset()
    let said = RecordedBatches()
    var configuration = ReachabilityMonitor.Configuration()
    configuration.record = { said.append($0) }
    let monitor = ReachabilityMonitor(configuration: configuration)
    monitor.start()
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").count == 1 })
    #expect(await ProcessLook.settles { ProcessLook.netlinkSockets == 1 })
    let thread = try #require(ProcessLook.threads("curlew-netlink").first)
    // The kernel speaks for seconds after a link came up (addresses are probed), and the monitor has to hear that.
    var wakeUps: Int?
    for _ in 0..<12 where wakeUps == nil {
      let batches = said.all.count
      // Sleeps because the thread waits again only after it has recorded what it heard.
      try await Task.sleep(for: .seconds(1))
      let before = ProcessLook.waits(ofThread: thread)
      // Sleeps because nothing must happen in ten seconds.
      try await Task.sleep(for: .seconds(10))
      let after = ProcessLook.waits(ofThread: thread)
      if said.all.count == batches, before >= 0 { wakeUps = after - before }
    }
    print("idle: \(wakeUps.map(String.init) ?? "no ten seconds of silence; nothing known of") wake-ups in 10 s")
    #expect(wakeUps == 0)
    monitor.stop()
  }

  @Test func `a name that stops resolving, and one whose resolver never answers`() async throws {
    try await Namespace.reset()
    try await Namespace.ip(Namespace.route)
    let resolves = Guarded(true)
    let watch = try Watch(.host("peer.example")) { configuration in
      configuration.lookUp = { _ in resolves.withLock { $0 } ? ["192.0.2.2"] : [] }
    }
    #expect(await watch.comes("ipv4 cp0"))
    resolves.withLock { $0 = false }
    // The network changes and the route stays, and the name is looked up again.
    try await Namespace.ip("address add 2001:db8::1/64 dev cp0 nodad", "route add ::/0 via 2001:db8::2")
    #expect(await watch.comes("no"))
    resolves.withLock { $0 = true }
    #expect(await watch.comes("ipv4 cp0"))
    #expect(watch.summaries.filter { $0 != "?" } == ["ipv4 cp0", "no", "ipv4 cp0"])
    try Recordings.keep(watch.end(), "name")

    // The namespace's own resolver takes every question and answers none.
    let start = ContinuousClock.now
    let dead = ReachabilityMonitor(.host("never.example"))
    dead.start()
    let other = ReachabilityMonitor()
    other.start()
    #expect(dead.path == .unknown && other.path.summary == "ipv4+ipv6 cp0")
    // The system's resolver asks for the first time for five seconds.
    #expect(start.duration(to: .now) < .seconds(5))
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-lookup").count == 1 })
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").count == 2 })
    dead.stop()
    other.stop()
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").isEmpty })
  }
}
