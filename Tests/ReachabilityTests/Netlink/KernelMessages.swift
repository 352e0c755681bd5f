import CurlewCore

@testable import CurlewReachability

/// Writes messages as the kernel does.
struct KernelMessages {
  static let port: UInt32 = 4242

  /// A message with its header.
  static func message(
    _ type: UInt16, _ body: [UInt8], flags: UInt16 = 0, sequence: UInt32 = 0, port: UInt32 = 0
  ) -> [UInt8] {
    bytes(UInt32(16 + body.count)) + bytes(type) + bytes(flags) + bytes(sequence) + bytes(port) + padded(body)
  }

  static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(bytes(UInt16(4 + value.count)) + bytes(type) + value)
  }

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  // MARK: Bodies

  static func link(
    _ index: Int32, _ name: String, flags: UInt32 = 0x41, hardware: UInt16 = 1, driver: String = "",
    lower: Int32? = nil, master: Int32? = nil, isElsewhere: Bool = false
  ) -> [UInt8] {
    var body: [UInt8] = [0, 0] + bytes(hardware) + bytes(index) + bytes(flags) + bytes(UInt32.max)
    body += attribute(3, Array(name.utf8) + [0])
    if let lower { body += attribute(5, bytes(lower)) }
    if let master { body += attribute(10, bytes(master)) }
    if isElsewhere { body += attribute(37, bytes(Int32(0))) }
    if !driver.isEmpty { body += attribute(18 | 0x8000, attribute(1, Array(driver.utf8) + [0])) }
    return body
  }

  static func address(_ index: Int32, _ text: String, prefix: UInt8 = 24, flags: UInt8 = 0, scope: UInt8 = 0) -> [UInt8]
  {
    guard let address = RouteAddress(text) else { return [] }
    return [family(address), prefix, flags, scope] + bytes(index) + attribute(1, octets(address))
  }

  static func route(
    _ destination: String?, _ prefix: UInt8 = 0, over links: [Int32] = [2], metric: UInt32? = nil, table: UInt8 = 254,
    type: UInt8 = 1, flags: UInt32 = 0, isIPv6: Bool = false
  ) -> [UInt8] {
    let address = destination.flatMap { RouteAddress($0) } ?? RouteAddress(isIPv6 ? .ipv6 : .ipv4)
    var body: [UInt8] = [family(address), prefix, 0, 0, table, 3, 0, type] + bytes(flags)
    if destination != nil { body += attribute(1, octets(address)) }
    if let metric { body += attribute(6, bytes(metric)) }
    if links.count == 1 { body += attribute(4, bytes(links[0])) }
    if links.count > 1 { body += attribute(9, links.flatMap { bytes(UInt16(8)) + [0, 0] + bytes($0) }) }
    return body
  }

  private static func family(_ address: RouteAddress) -> UInt8 { address.family == .ipv4 ? 2 : 10 }

  private static func octets(_ address: RouteAddress) -> [UInt8] {
    let all = (0..<16).map { UInt8(truncatingIfNeeded: address.bits >> UInt128(120 - 8 * $0)) }
    return Array(all.prefix(address.family.length))
  }

  // MARK: Messages

  static let newLink: UInt16 = 16
  static let removedLink: UInt16 = 17
  static let newAddress: UInt16 = 20
  static let removedAddress: UInt16 = 21
  static let newRoute: UInt16 = 24
  static let removedRoute: UInt16 = 25
  static let done: UInt16 = 3
  static let error: UInt16 = 2

  static func messages(in bytes: [UInt8]) -> [NetlinkMessage] {
    bytes.withUnsafeBytes { NetlinkReader.messages(in: $0) }
  }
}

/// A kernel that a test tells what to say, and a follower that listens.
struct FollowedKernel {
  private(set) var follower: NetlinkFollower
  /// What each part of a dump says: bodies with their type.
  var links: [[UInt8]] = []
  var addresses: [[UInt8]] = []
  var routes: [[UInt8]] = []
  private(set) var paths: [NetworkPath] = []
  private(set) var requests: [RouteTable.Part] = []
  private let towards: [RouteAddress]

  init(towards: [String] = []) {
    self.towards = towards.compactMap { RouteAddress($0) }
    follower = NetlinkFollower(port: KernelMessages.port, targets: self.towards)
  }

  /// Answers all requests until none is left.
  ///
  /// - Parameter meddle: Gets the number of the request and may change what is answered.
  mutating func settle(_ meddle: (Int, inout [[UInt8]]) -> Void = { _, _ in }) {
    while let (part, sequence) = next() {
      let (type, bodies) =
        switch part {
        case .links: (KernelMessages.newLink, links)
        case .addresses: (KernelMessages.newAddress, addresses)
        case .routes: (KernelMessages.newRoute, routes)
        }
      var answers = bodies.map {
        KernelMessages.message(type, $0, flags: 2, sequence: sequence, port: KernelMessages.port)
      }
      answers.append(
        KernelMessages.message(
          KernelMessages.done, [0, 0, 0, 0], flags: 2, sequence: sequence, port: KernelMessages.port))
      meddle(requests.count, &answers)
      take(answers)
    }
  }

  /// What changes, told to everyone.
  mutating func tell(_ type: UInt16, _ body: [UInt8], flags: UInt16 = 0) {
    take([KernelMessages.message(type, body, flags: flags)])
  }

  mutating func take(_ datagrams: [[UInt8]]) {
    for datagram in datagrams { datagram.withUnsafeBytes { follower.take($0) } }
  }

  mutating func take(_ datagram: UnsafeRawBufferPointer) { follower.take(datagram) }

  mutating func overrun() { follower.overrun() }

  /// The request of the next step.
  mutating func next() -> (RouteTable.Part, UInt32)? {
    let step = follower.endBatch()
    if step.isSettled, paths.last != path { paths.append(path) }
    guard let request = step.request else { return nil }
    let type = UInt16(request[4]) | UInt16(request[5]) << 8
    let part: RouteTable.Part = type == 18 ? .links : type == 22 ? .addresses : .routes
    requests.append(part)
    return (part, UInt32(request[8]) | UInt32(request[9]) << 8 | UInt32(request[10]) << 16)
  }

  var path: NetworkPath {
    towards.isEmpty
      ? follower.table.internetPath(InterfaceHeuristics()) : follower.table.path(to: towards, InterfaceHeuristics())
  }

  /// One cable, one address and a default route of IPv4.
  static var simple: FollowedKernel {
    var kernel = FollowedKernel()
    kernel.links = [KernelMessages.link(1, "lo", flags: 0x49, hardware: 772), KernelMessages.link(2, "eth0")]
    kernel.addresses = [
      KernelMessages.address(1, "127.0.0.1", prefix: 8, scope: 254), KernelMessages.address(2, "192.0.2.7"),
    ]
    kernel.routes = [KernelMessages.route(nil), KernelMessages.route("192.0.2.0", 24)]
    return kernel
  }
}

extension NetworkPath {
  /// The path in few words: `no`, `?`, `ipv4+ipv6 eth0,wlan0`.
  var summary: String {
    if status == .unknown { return "?" }
    if status == .notReachable { return "no" }
    let families = [(AddressFamilies.ipv4, "ipv4"), (.ipv6, "ipv6")].filter { self.families.contains($0.0) }
    return families.map(\.1).joined(separator: "+") + " " + interfaces.map(\.name).joined(separator: ",")
      + (status == .reachableViaCellular ? " cellular" : "")
  }
}
