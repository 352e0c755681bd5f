import CurlewCore

/// The instructions of a monitor to its source, from a start to the next stop.
struct MonitorPlan: Sendable {
  let configuration: ReachabilityMonitor.Configuration
  /// The name to look up; nil if the target is not a name.
  let name: String?
  /// The addresses of a target without a name.
  ///
  /// Empty for the default route and for a name.
  let addresses: [RouteAddress]
  let lookups: HostLookups?
  /// Reports a path; a stopped source reports nothing.
  let tell: @Sendable (NetworkPath) -> Void
  /// Reports that the source cannot continue.
  let failed: @Sendable (NetlinkRefusal, MonitorPlan) -> Void

  /// Returns the facts about interfaces; each interface is examined once.
  func heuristics() -> InterfaceHeuristics {
    let root = configuration.root
    let known = FactsCache()
    return InterfaceHeuristics(
      facts: { link in known.facts(of: link, root: root) }, isExpensive: configuration.isExpensive,
      isConstrained: configuration.isConstrained)
  }

  /// Caches the facts about interfaces, which do not change while an interface exists.
  private final class FactsCache: Sendable {
    private struct Key: Hashable {
      var index: Int32
      var name: String
    }

    private let known = Guarded<[Key: InterfaceFacts]>([:])

    func facts(of link: NetworkLink, root: String) -> InterfaceFacts {
      let key = Key(index: link.index, name: link.name)
      if let facts = known.withLock({ $0[key] }) { return facts }
      let facts = InterfaceFacts.read(link.name, root: root)
      known.withLock { known in
        // Interfaces that come and go must not fill the memory.
        if known.count >= 256 { known = [:] }
        known[key] = facts
      }
      return facts
    }
  }
}
