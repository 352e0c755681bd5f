import CurlewCore

/// Keeps a loop running; its last reference stops the loop.
///
/// The transport and every unfinished request hold one. A body can therefore be read to its end after its transport's last
/// reference is released.
final class LoopKeeper: Sendable {
  let loop: EventLoop

  /// Leaves the connections at each change of the network.
  private let watching: Task<Void, Never>?

  /// - Parameter network: Tells when the network changes; nil if nothing does.
  init(_ loop: EventLoop, network: (any ReachabilityMonitoring)?) {
    self.loop = loop
    watching = network.map { network in
      // The first path is the current one.
      let changes = network.changes().dropFirst()
      return Task { for await _ in changes where !loop.post(.leaveConnections) { break } }
    }
  }

  deinit {
    watching?.cancel()
    loop.stop()
  }
}
