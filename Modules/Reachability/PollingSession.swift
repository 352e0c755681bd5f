import CLinux
import CurlewCore
import Glibc

/// Reads the network at an interval, from a start to a stop.
///
/// It replaces netlink where that is refused.
///
/// Everything outside `inbox` belongs to its thread.
// Safe because one thread at a time uses what is outside `inbox`, and starting the thread hands it over.
final class PollingSession: @unchecked Sendable {
  private struct Inbox {
    var isOpen = true
    var isStopping = false
    var addresses: [RouteAddress]?
  }

  private let plan: MonitorPlan
  private let bell: Int32
  private let inbox = Guarded(Inbox())
  private let heuristics: InterfaceHeuristics
  private var host: HostState
  private var targets: [RouteAddress]
  private var internet: NetworkPath?

  /// Creates the descriptor that wakes the thread, and reads the network once.
  ///
  /// Nil when the process has no descriptor left.
  init?(_ plan: MonitorPlan) {
    let bell = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    guard bell >= 0 else { return nil }
    self.plan = plan
    self.bell = bell
    heuristics = plan.heuristics()
    host = HostState(name: plan.name)
    targets = plan.addresses
    look()
  }

  deinit { close() }

  /// Continues on a thread of its own.
  ///
  /// - Returns: False when no thread could be started.
  func begin() -> Bool { MonitorThread.start("curlew-polling") { [self] in run() } }

  /// Ends the thread soon, without waiting for it.
  func stop() {
    inbox.withLock { inbox in
      inbox.isStopping = true
      ring(inbox)
    }
  }

  private func run() {
    defer { close() }
    // `poll` takes no more than about 24 days.
    let interval = Int32(clamping: max(1, plan.configuration.pollingInterval.limited.components.seconds) * 1000)
    while !inbox.withLock({ $0.isStopping }) {
      var entry = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
      let isRung = poll(&entry, 1, min(interval, host.untilRetry(.now) ?? interval)) > 0
      if isRung {
        var drained: UInt64 = 0
        read(bell, &drained, 8)
      } else if host.untilRetry(.now) == 1 {
        lookUp()
      }
      look()
    }
  }

  private func look() {
    if let addresses = inbox.withLock({ $0.addresses.take() }) {
      host.found(addresses, at: .now)
      targets = addresses
    }
    guard let table = PolledTable.read(root: plan.configuration.root, targets: targets) else {
      return plan.tell(.unknown)
    }
    if host.isNamed {
      let internet = table.internetPath(heuristics)
      if internet != self.internet { lookUp() }
      self.internet = internet
    }
    plan.tell(host.path(table, plan.addresses, heuristics))
  }

  private func lookUp() {
    let isAsked = plan.lookups?.ask { [weak self] addresses in
      guard let self else { return }
      inbox.withLock { inbox in
        inbox.addresses = addresses
        ring(inbox)
      }
    }
    host.asked(isAsked ?? true, at: .now)
  }

  /// Wakes the thread.
  ///
  /// Call it under the inbox's lock only, because the descriptor is closed under that lock.
  private func ring(_ inbox: Inbox) {
    var one: UInt64 = 1
    if inbox.isOpen { write(bell, &one, 8) }
  }

  private func close() {
    inbox.withLock { inbox in
      if inbox.isOpen { Glibc.close(bell) }
      inbox.isOpen = false
    }
  }
}
