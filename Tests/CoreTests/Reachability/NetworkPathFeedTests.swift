import CurlewCore
import Testing

@Suite struct NetworkPathFeedTests {
  private static func path(_ number: Int) -> NetworkPath {
    NetworkPath(.reachableViaWiFi, interfaces: [NetworkInterface("eth\(number)", .wired)])
  }

  @Test func `a reader begins with the path there is and gets each change once`() async {
    let feed = NetworkPathFeed(.notReachable)
    var changes = feed.changes().makeAsyncIterator()
    feed.send(.notReachable)
    feed.send(Self.path(1))
    feed.send(Self.path(1))
    feed.send(.notReachable)
    feed.finish()
    feed.send(Self.path(2))
    #expect(await changes.next() == .notReachable)
    #expect(await changes.next() == Self.path(1))
    #expect(await changes.next() == .notReachable)
    #expect(await changes.next() == nil)
    #expect(feed.path == .notReachable)
  }

  @Test func `a reader that falls behind keeps the newest paths and is told how many it missed`() async {
    let feed = NetworkPathFeed()
    let changes = feed.changes()
    for number in 1...200 { feed.send(Self.path(number)) }
    feed.finish()
    var seen: [NetworkPath] = []
    for await path in changes { seen.append(path) }
    #expect(seen == (137...200).map(Self.path))
    // The path at the beginning is one of those that were left out.
    #expect(changes.leftOut == 201 - NetworkPathChanges.limit)
  }

  @Test func `readers that come and go leave nothing behind`() async {
    let feed = NetworkPathFeed()
    for _ in 0..<100 {
      for await path in feed.changes() where path == .unknown { break }
    }
    #expect(feed.readerCount == 0)
  }

  @Test func `a feed that goes away ends its readers, and one that has ended still says where it was`() async {
    var feed: NetworkPathFeed? = NetworkPathFeed(.notReachable)
    let changes = feed?.changes()
    feed?.finish()
    let late = feed?.changes()
    feed = nil
    for ended in [changes, late] {
      var seen: [NetworkPath] = []
      if let ended { for await path in ended { seen.append(path) } }
      #expect(seen == [.notReachable])
    }
  }

  @Test func `readers see one order, whoever sends`() async {
    let feed = NetworkPathFeed()
    let changes = [feed.changes(), feed.changes()]
    await withTaskGroup { group in
      for sender in 0..<4 {
        group.addTask { for number in 0..<8 { feed.send(Self.path(sender * 8 + number)) } }
      }
    }
    feed.finish()
    var orders: [[NetworkPath]] = []
    for reader in changes {
      var order: [NetworkPath] = []
      for await path in reader { order.append(path) }
      orders.append(order)
    }
    #expect(orders[0].count == 33 && orders[0] == orders[1])
  }
}

@Suite struct ReachabilityMonitoringTests {
  private struct Monitor: ReachabilityMonitoring {
    let feed = NetworkPathFeed()
    var path: NetworkPath { feed.path }
    func changes() -> NetworkPathChanges { feed.changes() }
  }

  @Test func `being reachable has three values, and the words are AFNetworking's`() {
    let monitor = Monitor()
    #expect(monitor.isReachable == nil && monitor.isReachableViaWiFi == nil && monitor.isReachableViaCellular == nil)
    monitor.feed.send(.notReachable)
    #expect(monitor.isReachable == false && monitor.isReachableViaWiFi == false)
    monitor.feed.send(NetworkPath(.reachableViaCellular))
    #expect(monitor.isReachable == true && monitor.isReachableViaCellular == true)
    #expect(monitor.isReachableViaWiFi == false)
    let statuses: [ReachabilityStatus] = [.unknown, .notReachable, .reachableViaCellular, .reachableViaWiFi]
    let words = ["Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi"]
    #expect(statuses.map(\.localizedStatus) == words)
  }

  @Test(.timeLimit(.minutes(10))) func `a listener gets the path now and each change, until it is cancelled`() async {
    let monitor = Monitor()
    let (heard, hears) = AsyncStream.makeStream(of: NetworkPath.self)
    let observation = monitor.observe(on: .serial()) { hears.yield($0) }
    var seen = heard.makeAsyncIterator()
    #expect(await seen.next() == .unknown)
    monitor.feed.send(.notReachable)
    #expect(await seen.next() == .notReachable)
    observation.cancel()
    while monitor.feed.readerCount > 0 { await Task.yield() }
    monitor.feed.send(NetworkPath(.reachableViaWiFi))
    hears.finish()
    #expect(await seen.next() == nil)
  }
}
