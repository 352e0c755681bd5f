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
