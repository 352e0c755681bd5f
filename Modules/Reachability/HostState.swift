import CurlewCore

/// The lookups of the monitored host, without I/O.
struct HostState: Sendable {
  /// The name to look up; nil if the target is not a name.
  private let name: String?
  /// The result of the last lookup; nil before the first.
  private var addresses: [RouteAddress]?
  private var retryAt: ContinuousClock.Instant?
  private var failures = 0

  init(name: String?) { self.name = name }

  var isNamed: Bool { name != nil }

  /// Records a request for a lookup; without a thread it is retried after a second.
  mutating func asked(_ isAsked: Bool, at now: ContinuousClock.Instant) {
    retryAt = isAsked ? nil : now.advanced(by: .seconds(1))
  }

  /// Records the result of a lookup.
  ///
  /// A lookup that found nothing is repeated after 1, 2, 4… and at most 60 s.
  mutating func found(_ addresses: [RouteAddress], at now: ContinuousClock.Instant) {
    self.addresses = addresses
    failures = addresses.isEmpty ? min(failures + 1, 7) : 0
    retryAt = addresses.isEmpty ? now.advanced(by: .seconds(min(60, 1 << (failures - 1)))) : nil
  }

  /// Returns the milliseconds until the next lookup, at least 1.
  ///
  /// Nil when the next one waits for a change of the network.
  func untilRetry(_ now: ContinuousClock.Instant) -> Int32? {
    retryAt.map { at in
      let wait = now.duration(to: at).components
      return Int32(max(1, min(60_000, wait.seconds * 1000 + wait.attoseconds / 1_000_000_000_000_000 + 1)))
    }
  }

  /// Returns the path to the target.
  ///
  /// - Parameter fixed: The addresses of a target without a name; empty means the default route.
  func path(_ table: RouteTable, _ fixed: [RouteAddress], _ heuristics: InterfaceHeuristics) -> NetworkPath {
    guard isNamed else { return fixed.isEmpty ? table.internetPath(heuristics) : table.path(to: fixed, heuristics) }
    guard let addresses else { return .unknown }
    return addresses.isEmpty ? .notReachable : table.path(to: addresses, heuristics)
  }
}
