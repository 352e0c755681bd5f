/// Knows whether there is a network.
///
/// A hint for waiting and retry: nothing in Curlew refuses a request because of it. Called from any isolation.
public protocol ReachabilityMonitoring: Sendable {
  /// The state now, without waiting.
  var status: ReachabilityStatus { get }
  /// The state now and each change after it, in order, without repeats; ends when monitoring stops.
  func changes() -> AsyncStream<ReachabilityStatus>
}

/// Whether there is a network, and of which kind.
public enum ReachabilityStatus: Sendable, Hashable {
  /// Not known yet.
  case unknown
  /// No route.
  case notReachable
  /// A route over a wire or Wi-Fi.
  case reachableViaWiFi
  /// A route over a cellular network.
  case reachableViaCellular

  /// Whether there is a route; nil when not known.
  public var isReachable: Bool? {
    switch self {
    case .unknown: nil
    case .notReachable: false
    case .reachableViaWiFi, .reachableViaCellular: true
    }
  }
}
