import CLinux
import CurlewCore
import Glibc

/// Follows the network by rtnetlink messages, without I/O.
///
/// It requests a dump of links, addresses and routes, applies the changes that arrive during and after it, and requests
/// another dump when messages were lost, a dump was interrupted, or a change may have removed routes without a message
/// from the kernel. A path is reported when no dump is running or due, and after each dump of routes, so that a storm
/// of changes cannot delay it indefinitely.
struct NetlinkFollower: Sendable {
  /// What to do next.
  struct Step: Sendable {
    /// A message to send to the kernel.
    var request: [UInt8]?
    /// Whether the table is consistent, so that its path can be reported.
    var isSettled = false
  }

  private enum Phase: Hashable, Sendable {
    case idle
    case dumping(RouteTable.Part, isTainted: Bool)
  }

  /// The address of this socket; the kernel's replies carry it.
  private let port: UInt32
  private(set) var table = RouteTable()
  private var phase = Phase.idle
  private var owed: Set<RouteTable.Part> = Set(RouteTable.Part.allCases)
  private var sequence: UInt32 = 0
  private var hasRoutes = false
  private var finishedRoutes = false
  private var refusals = 0
  /// The `errno` of the last request that the kernel refused.
  private(set) var lastRefusal: Int32 = 0

  init(port: UInt32, targets: [RouteAddress] = []) {
    self.port = port
    table.targets = targets
  }

  /// Whether the kernel has refused too many requests.
  var isRefused: Bool { refusals >= 8 }

  /// Whether the first dump is complete.
  var isComplete: Bool { hasRoutes && owed.isEmpty && phase == .idle }

  /// Keeps routes to other addresses from now on.
  mutating func retarget(_ targets: [RouteAddress]) {
    guard targets != table.targets else { return }
    table.targets = targets
    owe([.routes])
  }

  /// Processes one datagram.
  mutating func take(_ datagram: UnsafeRawBufferPointer) {
    for message in NetlinkReader.messages(in: datagram) { take(message) }
  }

  /// Records that messages were lost (`ENOBUFS`).
  mutating func overrun() { owe(Set(RouteTable.Part.allCases)) }

  /// Records that the last step's request could not be sent.
  mutating func unsent(_ code: Int32) { refused(code) }

  /// Returns the next step after all available datagrams were processed.
  mutating func endBatch() -> Step {
    var step = Step(isSettled: hasRoutes && (finishedRoutes || owed.isEmpty && phase == .idle))
    finishedRoutes = false
    if phase == .idle, !isRefused, let part = RouteTable.Part.allCases.first(where: owed.contains) {
      owed.remove(part)
      sequence &+= 1
      table.beginDump()
      phase = .dumping(part, isTainted: false)
      step.request = NetlinkRequest.all(of: part, sequence: sequence)
    }
    return step
  }

  private mutating func take(_ message: NetlinkMessage) {
    let isReply = message.header.port == port && message.header.sequence == sequence
    if isReply, message.header.flags & UInt16(NLM_F_DUMP_INTR) != 0 { taint() }
    switch message.content {
    case .done: if isReply { finishDump() }
    case .error(let code): if isReply { refused(code) }
    case .overrun: overrun()
    case .link(let link): suspect(table.insert(link))
    case .linkRemoved(let index): suspect(table.removeLink(index))
    case .address(let address): table.insert(address)
    case .addressRemoved(let address): suspect(table.remove(address))
    case .route(let route): table.insert(route)
    case .routeRemoved(let route): suspect(table.remove(route))
    case .other: break
    }
  }

  private mutating func suspect(_ suspicion: RouteTable.Suspicion) {
    if suspicion == .routes { owe([.routes]) }
  }

  /// Schedules dumps; a running dump may have reported some of these parts too early.
  private mutating func owe(_ parts: Set<RouteTable.Part>) { owed.formUnion(parts) }

  private mutating func taint() {
    if case .dumping(let part, _) = phase { phase = .dumping(part, isTainted: true) }
  }

  private mutating func finishDump() {
    guard case .dumping(let part, let isTainted) = phase else { return }
    phase = .idle
    refusals = 0
    table.sweep(part)
    if isTainted { owe([part]) }
    if part == .routes {
      finishedRoutes = !isTainted
      hasRoutes = hasRoutes || !isTainted
    }
  }

  private mutating func refused(_ code: Int32) {
    guard code != 0, case .dumping(let part, _) = phase else { return }
    phase = .idle
    refusals += 1
    lastRefusal = code
    owe([part])
  }
}

/// Messages to the kernel.
enum NetlinkRequest {
  /// Returns a request for a dump of one part.
  static func all(of part: RouteTable.Part, sequence: UInt32) -> [UInt8] {
    let flags = NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH
    // The body is an ifinfomsg, ifaddrmsg or rtmsg of the family "any".
    return switch part {
    case .links: message(UInt16(RTM_GETLINK), flags, sequence, body: 16)
    case .addresses: message(UInt16(RTM_GETADDR), flags, sequence, body: 8)
    case .routes: message(UInt16(RTM_GETROUTE), flags, sequence, body: 12)
    }
  }

  /// An empty message; the kernel's answer wakes a reader.
  static let wake = message(UInt16(NLMSG_NOOP), NLM_F_REQUEST | NLM_F_ACK, 0, body: 0)

  private static func message(_ type: UInt16, _ flags: Int32, _ sequence: UInt32, body: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: UInt32(16 + body)) { bytes += $0 }
    withUnsafeBytes(of: type) { bytes += $0 }
    withUnsafeBytes(of: UInt16(flags)) { bytes += $0 }
    withUnsafeBytes(of: sequence) { bytes += $0 }
    return bytes + [UInt8](repeating: 0, count: 4 + body)
  }
}
