public import CurlewCore

/// Keeps requests off networks that they may not use, on every transport.
///
/// A request that allows all networks passes (`RequestOptions.allowedNetworks`). Any other request passes while the
/// monitor's path is allowed; otherwise it is held or rejected, as the app chooses. The same applies while there is no
/// network or its state is unknown, because the next network could be a forbidden one. The option is cleared before the
/// request continues, so transports need not support it. The path counts at the start of the request: a response is not
/// interrupted when the network changes. Requests to this machine always pass. Give it a monitor of the default route
/// that was started before the first request. Put it among the interceptors for each hop, after `ConnectivityWait`.
///
/// ```swift
/// chain.perHop.append(NetworkGate(monitor, .hold()))
/// request.options.allowedNetworks = .unmetered
/// ```
public struct NetworkGate: Interceptor {
  /// What to do with a request that may not use the current network.
  public enum Choice: Sendable, Hashable {
    /// Fail at once.
    case refuse
    /// Wait for a network that the request may use.
    ///
    /// The wait is part of the request's total timeout. Nothing would ever end it if nobody started the monitor, so the
    /// request then fails at once.
    ///
    /// - Parameter limit: The longest wait, on the exchange's clock, after which the request fails; nil means no limit of its
    ///   own.
    case hold(limit: Duration? = nil)
  }

  private let monitor: any ReachabilityMonitoring
  private let choice: Choice
  private let whenWaiting: (@Sendable (Request) -> Void)?

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - monitor: The source of the network's state; it must have been started.
  ///   - choice: What to do with a request that may not use the network.
  ///   - whenWaiting: Called on the request's task when it begins to wait.
  public init(
    _ monitor: any ReachabilityMonitoring, _ choice: Choice = .refuse,
    whenWaiting: (@Sendable (Request) -> Void)? = nil
  ) {
    self.monitor = monitor
    self.choice = choice
    self.whenWaiting = whenWaiting
  }

  /// Sends the request when it may use the network.
  ///
  /// - Throws: `NetworkError` of kind `networkNotAllowed`, and of kind `timedOut` when the total timeout passes during the
  ///   wait; `CancellationError`; the errors of the rest of the chain.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let networks = request.options.allowedNetworks else { return try await next(request, in: exchange) }
    var free = request
    free.options.allowedNetworks = nil
    let needsNone = networks == .all || !PathWait.leavesMachine(request, exchange)
    if !needsNone, !monitor.path.isAllowed(by: networks) {
      guard case .hold(let limit) = choice, monitor.isMonitoring else { throw refusal(request, networks) }
      whenWaiting?(request)
      let wait = PathWait(monitor: monitor, limit: limit)
      let isThere = try await wait.wait(for: &free, exchange.settings.clock) { $0.isAllowed(by: networks) }
      guard isThere else { throw refusal(request, networks) }
    }
    return try await next(free, in: exchange)
  }

  private func refusal(_ request: Request, _ networks: AllowedNetworks) -> NetworkError {
    let path = monitor.path
    let found =
      switch path.status {
      case .unknown where !monitor.isMonitoring: "the monitor does not run"
      case .unknown: "the network's state is unknown"
      case .notReachable: "there is no network"
      case .reachableViaCellular: "the network is a cellular one"
      case .reachableViaWiFi where path.isExpensive: "the network is marked as expensive"
      case .reachableViaWiFi: "the network is an unmetered one"
      }
    let allowed = networks.names.isEmpty ? "no network" : networks.names.joined(separator: " and ") + " networks only"
    return NetworkError(
      .networkNotAllowed, stage: .preparing, message: "The request may use \(allowed), and \(found).",
      advice: path.status == .unknown && !monitor.isMonitoring ? "Call its start() before the first request." : nil
    ).with { $0.request = request }
  }
}

extension AllowedNetworks {
  /// The names of the networks in this set, for messages.
  fileprivate var names: [String] {
    [(AllowedNetworks.unmetered, "unmetered"), (.cellular, "cellular"), (.expensive, "expensive")]
      .filter { contains($0.0) }.map(\.1)
  }
}
