import CurlewCore
import Glibc

/// Follows the network from a start to a stop.
///
/// Everything outside `inbox` belongs to one thread: first the one that opens the session, then the session's own.
// Safe because one thread at a time uses what is outside `inbox`, and starting the thread hands it over.
final class NetlinkSession: @unchecked Sendable {
  private struct Inbox {
    var isStopping = false
    /// The addresses that a lookup found, until they are processed.
    var addresses: [RouteAddress]?
  }

  private let plan: MonitorPlan
  private let socket: NetlinkSocket
  private let inbox = Guarded(Inbox())
  private var follower: NetlinkFollower
  private var host: HostState
  private let heuristics: InterfaceHeuristics
  private var internet: NetworkPath?
  /// The recording of the batch that is being read.
  private var batch: NetlinkRecording.Batch
  private let buffer: UnsafeMutableRawBufferPointer

  /// The most datagrams to read before a path is reported.
  private static let batchLimit = 256

  /// Opens the socket and reads the first dump, which the kernel sends at once.
  ///
  /// - Throws: `NetlinkRefusal`.
  init(_ plan: MonitorPlan) throws(NetlinkRefusal) {
    if plan.configuration.refusesNetlink { throw NetlinkRefusal(code: EPERM, step: "socket") }
    self.plan = plan
    socket = try NetlinkSocket(receiveBuffer: plan.configuration.receiveBuffer)
    buffer = .allocate(byteCount: 1 << 16, alignment: 16)
    follower = NetlinkFollower(port: socket.port, targets: plan.addresses)
    host = HostState(name: plan.name)
    heuristics = plan.heuristics()
    batch = .init(port: socket.port, datagrams: [])
    endBatch()
    // This takes milliseconds; on a very busy machine the session's thread reads the rest.
    let end = ContinuousClock.now.advanced(by: .seconds(2))
    while !follower.isComplete, !follower.isRefused {
      guard ContinuousClock.now < end, socket.wait(milliseconds: 2000), readBatch() else { break }
    }
    if follower.isRefused { throw NetlinkRefusal(code: follower.lastRefusal, step: "dump") }
  }

  deinit { buffer.deallocate() }

  /// Continues on a thread of its own.
  ///
  /// - Returns: False when no thread could be started.
  func begin() -> Bool { MonitorThread.start("curlew-netlink") { [self] in run() } }

  /// Ends the thread soon, without waiting for it.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    socket.wake()
  }

  private func run() {
    defer { socket.close() }
    while !inbox.withLock({ $0.isStopping }) {
      if let timeout = host.untilRetry(.now) {
        if socket.wait(milliseconds: timeout) {
          guard readBatch() else { return plan.failed(NetlinkRefusal(code: EBADF, step: "recvfrom"), plan) }
        } else {
          lookUp()
        }
      } else {
        guard readBatch() else { return plan.failed(NetlinkRefusal(code: EBADF, step: "recvfrom"), plan) }
      }
      if follower.isRefused { return plan.failed(NetlinkRefusal(code: follower.lastRefusal, step: "dump"), plan) }
    }
  }

  /// Waits for a datagram and reads all that are available.
  ///
  /// - Returns: Whether the socket is still usable.
  private func readBatch() -> Bool {
    var waits = true
    for _ in 0..<Self.batchLimit {
      switch socket.read(into: buffer, waits: waits) {
      case .bytes(let count):
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if plan.configuration.record != nil { batch.datagrams.append(Array(bytes)) }
        follower.take(bytes)
      case .overrun:
        batch.isOverrun = true
        follower.overrun()
      case .nothing:
        endBatch()
        return true
      case .failed: return false
      }
      waits = false
    }
    endBatch()
    return true
  }

  private func endBatch() {
    if let addresses = inbox.withLock({ $0.addresses.take() }) {
      host.found(addresses, at: .now)
      follower.retarget(addresses)
    }
    if let record = plan.configuration.record, !batch.datagrams.isEmpty || batch.isOverrun {
      record(batch)
      batch = .init(port: socket.port, datagrams: [])
    }
    var step = follower.endBatch()
    let isSettled = step.isSettled
    while let request = step.request, !socket.send(request) {
      follower.unsent(errno)
      step = follower.endBatch()
    }
    if isSettled { tell() }
  }

  /// Reports the current path, and repeats the lookup if the network has changed.
  private func tell() {
    if host.isNamed {
      let internet = follower.table.internetPath(heuristics)
      if internet != self.internet {
        self.internet = internet
        lookUp()
      }
    }
    plan.tell(host.path(follower.table, plan.addresses, heuristics))
  }

  private func lookUp() {
    let isAsked = plan.lookups?.ask { [weak self] addresses in
      guard let self else { return }
      inbox.withLock { $0.addresses = addresses }
      socket.wake()
    }
    host.asked(isAsked ?? true, at: .now)
  }
}
