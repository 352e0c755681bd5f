import CurlewCore
import Testing

@testable import CurlewReachability

@Suite struct NetlinkFollowerTests {
  private typealias Kernel = KernelMessages

  @Test func `links, addresses and routes are asked for in turn, and then a path is told`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    #expect(kernel.requests == [.links, .addresses, .routes])
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0"])
    #expect(kernel.follower.isComplete)
  }

  @Test func `changes are told as they come`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    kernel.tell(Kernel.removedRoute, Kernel.route(nil))
    kernel.settle()
    kernel.tell(Kernel.newRoute, Kernel.route(nil))
    kernel.settle()
    kernel.tell(Kernel.newLink, Kernel.link(2, "eth0", flags: 0x01))
    kernel.settle()
    kernel.tell(Kernel.newLink, Kernel.link(2, "eth0"))
    kernel.settle()
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0", "no", "ipv4 eth0", "no", "ipv4 eth0"])
    // None of these needed another dump.
    #expect(kernel.requests.count == 3)
  }

  @Test func `routes that the kernel drops without a word are found by asking again`() {
    let cases: [(UInt16, [UInt8])] = [
      (Kernel.newLink, Kernel.link(2, "eth0", flags: 0)),
      (Kernel.removedLink, Kernel.link(2, "eth0")),
      (Kernel.removedAddress, Kernel.address(2, "192.0.2.7")),
    ]
    for (type, body) in cases {
      var kernel = FollowedKernel.simple
      kernel.settle()
      kernel.routes = []
      kernel.tell(type, body)
      kernel.settle()
      #expect(kernel.requests.dropFirst(3) == [.routes], "\(type)")
      kernel.tell(Kernel.newLink, Kernel.link(2, "eth0"))
      kernel.tell(Kernel.newAddress, Kernel.address(2, "192.0.2.7"))
      kernel.settle()
      #expect(kernel.paths.map(\.summary) == ["ipv4 eth0", "no"], "\(type)")
    }
  }

  @Test func `lost messages lead to a new dump of everything, which corrects everything`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    kernel.routes.append(Kernel.route(nil, isIPv6: true))
    kernel.addresses.append(Kernel.address(2, "2001:db8::7", prefix: 64))
    kernel.links[1] = Kernel.link(2, "lan")
    kernel.overrun()
    kernel.settle()
    #expect(kernel.requests.dropFirst(3) == [.links, .addresses, .routes])
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0", "ipv4+ipv6 lan"])
    #expect(kernel.follower.table.links.count { _ in true } == 2)
  }

  @Test func `an interrupted dump is asked for again before anything is told`() {
    var kernel = FollowedKernel.simple
    kernel.settle { number, answers in
      // NLM_F_DUMP_INTR on the last message of the first two dumps.
      if number <= 2, let last = answers.indices.last { answers[last][6] |= 0x10 }
    }
    #expect(kernel.requests == [.links, .links, .links, .addresses, .routes])
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0"])
  }

  @Test func `a refused dump is asked for again, and given up after eight times`() {
    let busy = Kernel.bytes(Int32(-16)) + [UInt8](repeating: 0, count: 16)
    var kernel = FollowedKernel.simple
    kernel.settle { number, answers in
      let sequence = UInt32(number)
      if number <= 3 { answers = [Kernel.message(2, busy, sequence: sequence, port: Kernel.port)] }
    }
    #expect(kernel.requests.count == 6 && kernel.paths.map(\.summary) == ["ipv4 eth0"])

    var refused = FollowedKernel.simple
    refused.settle { number, answers in
      answers = [Kernel.message(2, busy, sequence: UInt32(number), port: Kernel.port)]
    }
    #expect(refused.requests.count == 8 && refused.follower.isRefused && refused.follower.lastRefusal == 16)
    #expect(refused.paths.isEmpty)
  }

  @Test func `what other programs were answered is not taken for an answer`() {
    var kernel = FollowedKernel.simple
    let request = kernel.next()
    #expect(request?.0 == .links)
    kernel.take([Kernel.message(Kernel.done, [0, 0, 0, 0], sequence: 1, port: 7)])
    kernel.take([Kernel.message(Kernel.done, [0, 0, 0, 0], sequence: 9, port: Kernel.port)])
    #expect(kernel.next() == nil && !kernel.follower.isComplete)
  }

  @Test func `messages lost in the middle of a dump do not start a second one beside it`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    kernel.overrun()
    #expect(kernel.next()?.0 == .links)
    kernel.overrun()
    #expect(kernel.next() == nil)
    kernel.take([Kernel.message(Kernel.done, [0, 0, 0, 0], sequence: 4, port: Kernel.port)])
    #expect(kernel.next()?.0 == .links)
  }

  @Test func `a route that is replaced takes its predecessor along`() {
    var kernel = FollowedKernel.simple
    kernel.links.append(Kernel.link(3, "eth1"))
    kernel.settle()
    kernel.tell(Kernel.newRoute, Kernel.route(nil, over: [3]), flags: 0x100)
    kernel.settle()
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0", "ipv4 eth1"])
  }

  @Test func `one way of a route with several is lost, and the kernel is asked what is left`() {
    var kernel = FollowedKernel.simple
    kernel.links.append(Kernel.link(3, "eth1"))
    kernel.routes = [Kernel.route(nil, over: [2, 3])]
    kernel.settle()
    kernel.routes = [Kernel.route(nil, over: [3])]
    kernel.tell(Kernel.removedRoute, Kernel.route(nil, over: [2]))
    kernel.settle()
    #expect(kernel.paths.map(\.summary) == ["ipv4 eth0,eth1", "ipv4 eth1"])
  }

  @Test func `a storm of changes is told between two dumps`() {
    var kernel = FollowedKernel.simple
    kernel.settle()
    for round in 0..<50 {
      kernel.routes = round % 2 == 0 ? [] : [Kernel.route(nil)]
      let routes = kernel.routes
      // Each dump is answered while the next change, which asks for another one, is there already.
      kernel.tell(Kernel.removedAddress, Kernel.address(2, "198.51.100.9"))
      guard let (_, sequence) = kernel.next() else { break }
      kernel.tell(Kernel.removedAddress, Kernel.address(2, "198.51.100.9"))
      kernel.take(
        routes.map { Kernel.message(Kernel.newRoute, $0, flags: 2, sequence: sequence, port: Kernel.port) } + [
          Kernel.message(Kernel.done, [0, 0, 0, 0], sequence: sequence, port: Kernel.port)
        ])
    }
    #expect(kernel.paths.count > 25)
  }
}
