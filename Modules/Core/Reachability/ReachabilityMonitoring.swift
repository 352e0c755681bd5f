/// Knows the current network.
///
/// It is a hint for waiting and retrying, because a route does not mean that a server responds. Only `ConnectivityWait`
/// and `NetworkGate` hold a request because of it, if an app adds them. CurlewReachability's `ReachabilityMonitor` asks
/// the Linux kernel; CurlewTestSupport's `ManualReachability` is set by a test. It is called from any isolation.
///
/// ```swift
/// let monitor = ReachabilityMonitor()
/// monitor.start()
/// for await path in monitor.changes() {
///   print(path.status.localizedStatus, path.interfaces.first?.name ?? "")
/// }
/// ```
public protocol ReachabilityMonitoring: Sendable {
  /// The current path; `.unknown` while nothing monitors it. Does not block.
  var path: NetworkPath { get }
  /// Whether it follows the network; true by default, for a monitor that need not be started.
  var isMonitoring: Bool { get }
  /// Returns the current path and all changes, in order and without repeats.
  ///
  /// A slow reader loses the oldest of more than 64 paths (`NetworkPathChanges.leftOut`). The sequence continues with
  /// `.unknown` while monitoring is stopped, and ends with the monitor.
  func changes() -> NetworkPathChanges
}

extension ReachabilityMonitoring {
  /// True: a monitor that need not be started always follows the network.
  public var isMonitoring: Bool { true }
  /// The current kind of network, if any.
  public var status: ReachabilityStatus { path.status }
  /// Whether there is a network; nil when unknown.
  public var isReachable: Bool? { status.isReachable }
  /// Whether the network is wired or Wi-Fi; nil when unknown.
  public var isReachableViaWiFi: Bool? { status.isReachable.map { _ in status == .reachableViaWiFi } }
  /// Whether the network is cellular; nil when unknown.
  ///
  /// It is AFNetworking's `isReachableViaWWAN`.
  public var isReachableViaCellular: Bool? { status.isReachable.map { _ in status == .reachableViaCellular } }

  /// Calls a handler with the current path and each change, in order.
  ///
  /// The next path is delivered after the handler has returned, so a slow handler misses paths like a slow reader of
  /// `changes()`. It corresponds to AFNetworking's `setReachabilityStatusChangeBlock:`.
  ///
  /// - Returns: An object that can end the calls; if it is released, they continue as long as the monitor lives.
  @discardableResult
  public func observe(
    on executor: CallbackExecutor, _ handler: @escaping @Sendable (NetworkPath) -> Void
  ) -> NetworkPathObservation {
    let changes = changes()
    let observation = NetworkPathObservation()
    let task = Task {
      for await path in changes {
        await withCheckedContinuation { continuation in
          executor.run {
            if !observation.isCancelled { handler(path) }
            continuation.resume()
          }
        }
      }
    }
    observation.begin(task)
    return observation
  }
}

/// Can end the calls that `ReachabilityMonitoring.observe` started.
public final class NetworkPathObservation: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Guarded(State())

  init() {}

  /// Whether `cancel` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the calls; one that starts on another thread at that moment may still run.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task.take()
    }
    task?.cancel()
  }

  func begin(_ task: Task<Void, Never>) {
    let isLate = state.withLock { state in
      if !state.isCancelled { state.task = task }
      return state.isCancelled
    }
    if isLate { task.cancel() }
  }
}

/// Whether there is a network, and of which kind.
public enum ReachabilityStatus: Sendable, Hashable {
  /// It is unknown, because nothing monitors the network or a lookup has not ended.
  case unknown
  /// There is no route.
  case notReachable
  /// There is a route over a cable or Wi-Fi; see `NetworkPath.interfaces`.
  case reachableViaWiFi
  /// There is a route over a cellular network.
  case reachableViaCellular

  /// Whether there is a route; nil when unknown.
  public var isReachable: Bool? {
    switch self {
    case .unknown: nil
    case .notReachable: false
    case .reachableViaWiFi, .reachableViaCellular: true
    }
  }

  /// The status in English, with AFNetworking's words.
  ///
  /// See its `localizedNetworkReachabilityStatusString`.
  public var localizedStatus: String {
    switch self {
    case .unknown: "Unknown"
    case .notReachable: "Not Reachable"
    case .reachableViaWiFi: "Reachable via WiFi"
    case .reachableViaCellular: "Reachable via WWAN"
    }
  }
}
