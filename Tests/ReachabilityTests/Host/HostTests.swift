import CurlewCore
import CurlewTestSupport
import Glibc
import Testing

@testable import CurlewReachability

@Suite struct HostTests {
  private static let heuristics = InterfaceHeuristics()

  @Test func `a name is unknown until it was looked up, and not reachable without addresses`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    let table = kernel.follower.table
    var host = HostState(name: "a.example")
    #expect(host.path(table, [], Self.heuristics) == .unknown)
    host.found([], at: .now)
    #expect(host.path(table, [], Self.heuristics) == .notReachable)
    #expect(HostState(name: nil).path(table, [], Self.heuristics).summary == "ipv4 eth0")
  }

  @Test func `a lookup that brought nothing is repeated, later each time`() throws {
    let now = ContinuousClock.now
    var host = HostState(name: "a.example")
    #expect(host.untilRetry(now) == nil)
    var waits: [Int32] = []
    for _ in 0..<9 {
      host.found([], at: now)
      waits.append(try #require(host.untilRetry(now)) / 1000)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(host.untilRetry(now.advanced(by: .seconds(99))) == 1)
    host.found([try #require(RouteAddress("192.0.2.1"))], at: now)
    #expect(host.untilRetry(now) == nil)
    host.asked(false, at: now)
    #expect(try #require(host.untilRetry(now)) / 1000 == 1)
  }

  @Test(.timeLimit(.minutes(10))) func `a resolver that never answers holds one thread, however often it is asked`()
    async
  {
    let (asked, asks) = AsyncStream.makeStream(of: String.self)
    let gate = Blocked()
    let lookups = HostLookups("a.example") { name in
      asks.yield(name)
      gate.wait()
      return ["192.0.2.1", "fe80::1%eth0", "nonsense"]
    }
    let (answered, answers) = AsyncStream.makeStream(of: [RouteAddress].self)
    for _ in 0..<100 { #expect(lookups.ask { answers.yield($0) }) }
    var questions = asked.makeAsyncIterator()
    #expect(await questions.next() == "a.example")
    #expect(lookups.ask { answers.yield($0) })
    gate.open()
    // The first lookup is stale by now, the second one is for whoever asked last.
    #expect(await questions.next() == "a.example")
    var found = answered.makeAsyncIterator()
    #expect(await found.next() == ["192.0.2.1", "fe80::1"].compactMap { RouteAddress($0) })
  }

  @Test func `hosts that are addresses are not looked up`() {
    #expect(ReachabilityTarget.host("192.0.2.1").name == nil)
    #expect(ReachabilityTarget.host("[2001:db8::1]").address == RouteAddress("2001:db8::1"))
    #expect(ReachabilityTarget.host("a.example").name == "a.example")
    #expect(ReachabilityTarget.host("a.example").address == nil && ReachabilityTarget.defaultRoute.name == nil)
  }
}

/// A place where threads wait until a test lets them go.
final class Blocked: Sendable {
  private let isOpen = Guarded(false)
  func open() { isOpen.withLock { $0 = true } }

  /// Waits without an end of its own.
  func wait() {
    while !isOpen.withLock({ $0 }) { poll(nil, 0, 5) }
  }
}
