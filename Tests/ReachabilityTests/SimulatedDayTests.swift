import CurlewCore
import Foundation
import Testing

@testable import CurlewReachability

/// A day of random events against a model that knows what must come of each.
@Suite struct SimulatedDayTests {
  private typealias Kernel = KernelMessages

  /// A link as the model has it.
  private struct Link {
    var index: Int32
    var name: String
    var isUp = true
    var hasCarrier = true
    var hasAddress = [true, false]
    var hasRoute = [true, false]

    var flags: UInt32 { isUp ? (hasCarrier ? 0x41 : 0x01) : 0 }
  }

  /// The network as it is, and what the kernel says of a change.
  private struct Model {
    var links = [Link(index: 2, name: "eth0"), Link(index: 3, name: "wlan0")]

    func address(_ link: Link, _ family: Int) -> [UInt8] {
      family == 0
        ? Kernel.address(link.index, "192.0.2.\(link.index)")
        : Kernel.address(link.index, "2001:db8::\(link.index)", prefix: 64)
    }

    func route(_ link: Link, _ family: Int) -> [UInt8] {
      Kernel.route(nil, over: [link.index], metric: UInt32(link.index) * 100, isIPv6: family == 1)
    }

    /// What a dump says.
    var all: (links: [[UInt8]], addresses: [[UInt8]], routes: [[UInt8]]) {
      (
        links.map { Kernel.link($0.index, $0.name, flags: $0.flags) },
        links.flatMap { link in (0...1).filter { link.hasAddress[$0] }.map { address(link, $0) } },
        links.flatMap { link in (0...1).filter { link.hasRoute[$0] }.map { route(link, $0) } }
      )
    }

    /// What must be told.
    var summary: String {
      let ways = (0...1).map { family in
        links.contains { $0.isUp && $0.hasAddress[family] }
          ? links.filter { $0.isUp && $0.hasCarrier && $0.hasRoute[family] }.map(\.name) : []
      }
      guard ways.contains(where: { !$0.isEmpty }) else { return "no" }
      var names: [String] = []
      for name in ways[0] + ways[1] where !names.contains(name) { names.append(name) }
      let families = zip(["ipv4", "ipv6"], ways).filter { !$1.isEmpty }.map(\.0)
      return families.joined(separator: "+") + " " + names.joined(separator: ",")
    }

    /// Changes something and returns what the kernel says of it; what it hides is left out, as it does.
    mutating func change(_ random: inout Seeded) -> [(UInt16, [UInt8])] {
      let place = Int(random.next() % 2)
      let family = Int(random.next() % 2)
      var link = links[place]
      defer { links[place] = link }
      switch random.next() % 4 {
      case 0:
        link.isUp.toggle()
        if !link.isUp {
          let lost = link.hasRoute[1] ? [(Kernel.removedRoute, route(link, 1))] : []
          link.hasRoute = [false, false]
          return [(Kernel.newLink, Kernel.link(link.index, link.name, flags: link.flags))] + lost
        }
        return [(Kernel.newLink, Kernel.link(link.index, link.name, flags: link.flags))]
      case 1:
        link.hasCarrier.toggle()
        return [(Kernel.newLink, Kernel.link(link.index, link.name, flags: link.flags))]
      case 2:
        link.hasAddress[family].toggle()
        if link.hasAddress[family] { return [(Kernel.newAddress, address(link, family))] }
        if family == 0 { link.hasRoute[0] = false }
        return [(Kernel.removedAddress, address(link, family))]
      default:
        guard link.isUp, link.hasRoute[family] || link.hasAddress[family] else { return [] }
        link.hasRoute[family].toggle()
        return [(link.hasRoute[family] ? Kernel.newRoute : Kernel.removedRoute, route(link, family))]
      }
    }
  }

  /// `CURLEW_EVENTS` says how many; `Scripts/soak` takes one for each second of a day.
  @Test(.timeLimit(.minutes(10))) func `a day of changes misses no transition and keeps nothing`() async throws {
    let events = ProcessInfo.processInfo.environment["CURLEW_EVENTS"].flatMap { Int($0) } ?? 3000
    var random = Seeded(seed: 24)
    var model = Model()
    var kernel = FollowedKernel()
    let feed = NetworkPathFeed()
    var changes = feed.changes().makeAsyncIterator()
    #expect(await changes.next() == .unknown)
    var last = ""
    for event in 0..<events {
      for (type, body) in event == 0 ? [] : model.change(&random) {
        // Now and then the kernel says nothing but that it has lost something.
        if random.next() % 50 == 0 { kernel.overrun() } else { kernel.tell(type, body) }
      }
      (kernel.links, kernel.addresses, kernel.routes) = model.all
      kernel.settle()
      feed.send(kernel.path)
      guard model.summary != last else {
        try #require(kernel.path.summary == last, "event \(event)")
        continue
      }
      last = model.summary
      let told = try #require(await changes.next())
      try #require(told.summary == last, "event \(event)")
    }
    let table = kernel.follower.table
    #expect(table.links.count { _ in true } == 2 && table.addresses.count { _ in true } <= 4 && table.routes.count <= 4)
    #expect(feed.readerCount == 1)
  }
}
