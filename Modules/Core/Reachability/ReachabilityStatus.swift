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
