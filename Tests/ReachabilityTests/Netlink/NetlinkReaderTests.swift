import CurlewCore
import Foundation
import Testing

@testable import CurlewReachability

@Suite struct NetlinkReaderTests {
  private typealias Kernel = KernelMessages

  /// One of each kind of message.
  private static let samples: [[UInt8]] = [
    Kernel.message(16, Kernel.link(2, "eth0.7", driver: "vlan", lower: 3, master: 9)),
    Kernel.message(17, Kernel.link(2, "eth0")),
    Kernel.message(20, Kernel.address(2, "192.0.2.7")),
    Kernel.message(21, Kernel.address(2, "2001:db8::7", prefix: 64)),
    Kernel.message(24, Kernel.route(nil, over: [2, 3, 4], metric: 100), flags: 0x100),
    Kernel.message(25, Kernel.route("2000::", 3, isIPv6: true)),
    Kernel.message(3, [0, 0, 0, 0], flags: 2, sequence: 7, port: 9),
    Kernel.message(2, Kernel.bytes(Int32(-16)) + [UInt8](repeating: 0, count: 16), sequence: 7, port: 9),
    Kernel.message(4, []),
  ]

  @Test func `a link has its name, flags, hardware, driver, lower link and master`() throws {
    let message = try #require(Kernel.messages(in: Self.samples[0]).first)
    #expect(
      message.content
        == .link(NetworkLink(index: 2, name: "eth0.7", flags: 0x41, hardware: 1, driver: "vlan", lower: 3, master: 9)))
    let elsewhere = Kernel.message(16, Kernel.link(2, "veth0", driver: "veth", lower: 3, isElsewhere: true))
    #expect(
      Kernel.messages(in: elsewhere).first?.content
        == .link(
          NetworkLink(index: 2, name: "veth0", flags: 0x41, hardware: 1, driver: "veth")))
  }

  @Test func `an address is of use once it is global and no other machine can have it`() throws {
    let cases: [(flags: UInt8, scope: UInt8, isUsable: Bool)] = [
      (0, 0, true), (0x80, 200, true), (0, 253, false), (0, 254, false), (0x40, 0, false), (0x44, 0, true),
      (0x08, 0, false), (0x20, 0, true),
    ]
    for (flags, scope, isUsable) in cases {
      let bytes = Kernel.message(20, Kernel.address(2, "2001:db8::7", prefix: 64, flags: flags, scope: scope))
      guard case .address(let address) = Kernel.messages(in: bytes).first?.content else {
        Issue.record("no address")
        continue
      }
      #expect(address.isUsable == isUsable, "\(flags) \(scope)")
    }
  }

  @Test func `a route has its destination, metric, table and all its links`() throws {
    guard case .route(let route) = Kernel.messages(in: Self.samples[4]).first?.content else {
      Issue.record("no route")
      return
    }
    #expect(route.prefix == 0 && route.metric == 100 && route.links == [2, 3, 4] && route.replaces)
    #expect(route.table == 254 && route.fate == .sent)
    // What the kernel has cached, and routes of other kinds, are passed over.
    for body in [Kernel.route(nil, flags: 0x200), Kernel.route(nil, type: 5)] {
      #expect(Kernel.messages(in: Kernel.message(24, body)).map(\.content) == [.other])
    }
    for (type, fate) in [(UInt8(2), NetworkRoute.Fate.local), (6, .refused), (7, .refused), (8, .refused)] {
      guard
        case .route(let route) = Kernel.messages(in: Kernel.message(24, Kernel.route(nil, type: type))).first?.content
      else { continue }
      #expect(route.fate == fate)
    }
  }

  @Test func `several messages in a datagram come in order`() {
    let all = Kernel.messages(in: Self.samples.flatMap(\.self))
    #expect(all == Self.samples.flatMap { Kernel.messages(in: $0) })
    #expect(all.count == Self.samples.count)
    #expect(all[7].content == .error(16))
  }

  @Test func `a datagram that is cut anywhere gives its whole messages and says that something was lost`() {
    for sample in Self.samples {
      for length in 1..<sample.count {
        let contents = Kernel.messages(in: Self.samples[2] + sample[..<length]).map(\.content)
        #expect(contents.count == 2 && contents[1] == .overrun, "\(length) of \(sample.count)")
      }
    }
  }

  @Test func `lengths that lie are believed nowhere`() {
    for sample in Self.samples {
      for place in stride(from: 0, to: sample.count - 1, by: 2) {
        for lie in [0, 1, 3, 4, 5, 15, 16, 17, 255, 0x7FFF, 0xFFFF] as [UInt16] {
          var bytes = sample
          bytes[place] = UInt8(lie & 0xFF)
          bytes[place + 1] = UInt8(lie >> 8)
          #expect(Kernel.messages(in: bytes).count <= sample.count / 16 + 1)
        }
      }
    }
  }

  /// `CURLEW_MUTATIONS` says how many; `Scripts/soak` takes a million, under the address sanitizer.
  @Test(.timeLimit(.minutes(10))) func `mutated messages never break the reader or what stands on it`() throws {
    let rounds = ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap { Int($0) } ?? 20_000
    var random = Seeded(seed: 16)
    var kernel = FollowedKernel.simple
    kernel.settle()
    for round in 0..<rounds {
      if round % 1000 == 0 {
        kernel = FollowedKernel.simple
        kernel.settle()
      }
      var bytes = Self.samples[Int(random.next() % UInt64(Self.samples.count))]
      if random.next() % 4 == 0 { bytes += Self.samples[Int(random.next() % UInt64(Self.samples.count))] }
      for _ in 0...random.next() % 4 { random.mutate(&bytes) }
      // Exactly as large as it is, so that a sanitizer sees each byte that is read too much.
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: bytes)
      let datagram = UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
      #expect(NetlinkReader.messages(in: datagram).count <= bytes.count / 16 + 1)
      kernel.take(datagram)
      if round % 64 == 0 { kernel.settle() }
    }
    // Whatever was said: a dump puts everything right.
    kernel.overrun()
    kernel.settle()
    #expect(kernel.path.summary == "ipv4 eth0")
  }
}

/// Random numbers that are the same each time (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// Changes, cuts, doubles or swaps some bytes.
  mutating func mutate(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = Int(next() % UInt64(bytes.count))
    switch next() % 6 {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
    case 1: bytes[place] ^= 1 << UInt8(next() % 8)
    case 2: bytes.removeSubrange(place...)
    case 3: bytes.insert(contentsOf: bytes[place...].prefix(Int(next() % 32)), at: place)
    case 4: bytes.swapAt(place, Int(next() % UInt64(bytes.count)))
    default: bytes[place] = [0, 1, 4, 8, 16, 0x7F, 0x80, 0xFF][Int(next() % 8)]
    }
  }
}
