import CLinux
public import CurlewCore
import Glibc

/// Reports whether there is a network, based on the Linux kernel's rtnetlink.
///
/// It sends no packets and does not poll: the kernel reports each change of links, addresses and routes. A path means
/// that there is a route, not that a server responds; `NetworkProbe` finds that out. It can be started and stopped any
/// number of times, from any isolation. While it runs it has one descriptor and one sleeping thread, and a second
/// thread during a lookup. While it is stopped its path is `.unknown`.
///
/// ```swift
/// let monitor = ReachabilityMonitor()
/// monitor.start()
/// print(monitor.isReachable ?? false, monitor.path.interfaces)
/// for await path in monitor.changes() {
///   print(path.status.localizedStatus)
/// }
/// ```
///
/// It follows the network namespace in which `start` is called. All routing tables that policy rules can select count,
/// the main one first; a route over a link without a carrier does not count. Where the system refuses netlink, as a
/// sandbox may, files in `/proc` and `/sys` are read every ten seconds instead, and `source` says so.
public final class ReachabilityMonitor: ReachabilityMonitoring {
  /// The source that follows the network at the moment.
  private enum Session {
    case netlink(NetlinkSession)
    case polling(PollingSession)

    func begin() -> Bool {
      switch self {
      case .netlink(let session): session.begin()
      case .polling(let session): session.begin()
      }
    }

    func stop() {
      switch self {
      case .netlink(let session): session.stop()
      case .polling(let session): session.stop()
      }
    }
  }

  private struct State {
    /// The number of the last start.
    var term: UInt64 = 0
    var isMonitoring = false
    var session: Session?
    var source = ReachabilitySource.none

    mutating func stop() -> Session? {
      isMonitoring = false
      source = .none
      return session.take()
    }
  }

  /// The target whose reachability is reported.
  public let target: ReachabilityTarget
  private let configuration: Configuration
  private let feed = NetworkPathFeed()
  private let state = Guarded(State())
  private let lookups: HostLookups?

  /// Creates a monitor, which does nothing before `start`.
  public init(_ target: ReachabilityTarget = .defaultRoute, configuration: Configuration = Configuration()) {
    self.target = target
    self.configuration = configuration
    lookups = target.name.map { HostLookups($0, configuration.lookUp) }
  }

  deinit {
    state.withLock { $0.stop() }?.stop()
    feed.finish()
  }

  /// The current path; `.unknown` while it is stopped.
  public var path: NetworkPath { feed.path }

  /// Returns the current path and all changes, across stops and starts.
  public func changes() -> NetworkPathChanges { feed.changes() }

  /// Whether it was started and not stopped since.
  public var isMonitoring: Bool { state.withLock { $0.isMonitoring } }

  /// The source of its knowledge.
  public var source: ReachabilitySource { state.withLock { $0.source } }

  /// Starts monitoring; does nothing if it is already running.
  ///
  /// The path is known when this returns, unless a name must be looked up: the kernel answers within milliseconds, and
  /// the call waits at most two seconds for it. No packet is sent. If the process has no thread or descriptor left,
  /// `isMonitoring` stays false.
  public func start() {
    let term = state.withLock { state -> UInt64? in
      guard !state.isMonitoring else { return nil }
      state.isMonitoring = true
      state.term += 1
      return state.term
    }
    guard let term else { return }
    let plan = plan(term)
    do throws(NetlinkRefusal) {
      let session = try NetlinkSession(plan)
      begin(.netlink(session), .netlink, term)
    } catch {
      poll(plan, term, since: error)
    }
  }

  /// Stops monitoring; the path is then `.unknown`.
  public func stop() {
    let (session, term) = state.withLock { ($0.stop(), $0.term) }
    feed.end(term)
    session?.stop()
  }

  private func plan(_ term: UInt64) -> MonitorPlan {
    MonitorPlan(
      configuration: configuration, name: target.name, addresses: target.address.map { [$0] } ?? [], lookups: lookups,
      tell: { [feed] path in feed.send(path, in: term) },
      failed: { [weak self] refusal, plan in self?.poll(plan, term, since: refusal) })
  }

  /// Follows the network by polling, in the same term.
  private func poll(_ plan: MonitorPlan, _ term: UInt64, since refusal: NetlinkRefusal) {
    guard let session = PollingSession(plan) else { return giveUp(term) }
    begin(.polling(session), .polling(step: refusal.step, code: refusal.code), term)
  }

  private func begin(_ session: Session, _ source: ReachabilitySource, _ term: UInt64) {
    let isWanted = state.withLock { state in
      guard state.isMonitoring, state.term == term else { return false }
      state.session = session
      state.source = source
      return true
    }
    if isWanted, !session.begin() { giveUp(term) }
  }

  /// Records that no source can follow the network.
  private func giveUp(_ term: UInt64) {
    state.withLock { state in
      if state.term == term { _ = state.stop() }
    }
    feed.end(term)
  }
}

extension ReachabilityTarget {
  /// The name to look up; nil if the target is not a name.
  var name: String? {
    if case .host(let text) = self, RouteAddress(bare) == nil { return text }
    return nil
  }

  /// The address; nil if the target is not one.
  var address: RouteAddress? { RouteAddress(bare) }

  /// The host without the brackets that surround an address in a URL.
  private var bare: String {
    guard case .host(let text) = self else { return "" }
    return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
  }
}

/// The destination whose reachability a monitor reports.
public enum ReachabilityTarget: Sendable, Hashable {
  /// The internet, by the default route.
  case defaultRoute
  /// A host: a name, or an address as text.
  ///
  /// A name is looked up again when the network changes. The path is satisfied when one of its addresses has a route,
  /// `.notReachable` when the lookup fails, and `.unknown` before the first lookup ends. A failed lookup is repeated
  /// after 1, 2, 4… and at most 60 s.
  case host(String)
}

extension ReachabilityMonitor {
  /// The settings of a monitor.
  public struct Configuration: Sendable {
    /// Whether an interface is charged by volume; by default only cellular ones.
    ///
    /// The kernel does not know this. It is called for the interface that carries the traffic, below tunnels, VLANs,
    /// bridges and bonds, on the monitor's own thread, so it must not block.
    public var isExpensive: @Sendable (NetworkInterface) -> Bool = { $0.kind == .cellular }
    /// Whether an interface should be used sparingly; none by default.
    ///
    /// It is called like `isExpensive`.
    public var isConstrained: @Sendable (NetworkInterface) -> Bool = { _ in false }
    /// Looks up a name and returns its addresses; the system's resolver by default.
    ///
    /// It runs on a thread of its own and may block. An empty list or an error means that the name has no addresses.
    public var lookUp: @Sendable (String) throws -> [String] = SystemLookup.addresses
    /// The interval of reading where netlink is refused; at least a second.
    public var pollingInterval: Duration = .seconds(10)
    /// Receives everything that the kernel reports; nil, the default, records nothing.
    ///
    /// A `NetlinkRecording` can replay it. It is called on the monitor's own thread. A recording contains the names of
    /// interfaces and the addresses of this machine.
    public var record: (@Sendable (NetlinkRecording.Batch) -> Void)?

    /// The size of the receive buffer in bytes; nil means the system's default.
    package var receiveBuffer: Int32?
    /// Simulates a system that refuses netlink, for tests.
    package var refusesNetlink = false
    /// The directory that contains `/proc` and `/sys`; tests use another one.
    package var root = ""

    /// The defaults.
    public init() {}
  }
}

/// The source of a monitor's knowledge.
public enum ReachabilitySource: Sendable, Hashable {
  /// The monitor is stopped.
  case none
  /// The kernel reports each change.
  case netlink
  /// Files in `/proc` and `/sys` are read at an interval, because netlink is refused.
  ///
  /// - Parameters:
  ///   - step: The call that was refused.
  ///   - code: The `errno`.
  case polling(step: String, code: Int32)
}

/// The system's resolver.
enum SystemLookup {
  /// Looks up a name and returns its addresses; blocks until the resolver returns.
  @Sendable static func addresses(of name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      next = entry.ai_next
    }
    return addresses
  }
}
