public import CurlewCore

/// A network state that a test controls.
///
/// Safe from any isolation.
///
/// ```swift
/// let network = ManualReachability(.notReachable)
/// let loader = Loader(stub, interceptors: [ConnectivityWait(network)])
/// let loading = Task { try await loader.load(request) }
/// try await network.waitForReaders()
/// network.set(.reachableViaWiFi)
/// ```
public final class ManualReachability: ReachabilityMonitoring {
  private let feed: NetworkPathFeed
  private let asked = Watched(0)

  /// Creates a monitor.
  public init(_ status: ReachabilityStatus = .unknown) { feed = NetworkPathFeed(NetworkPath(status)) }

  /// Creates a monitor.
  public init(path: NetworkPath) { feed = NetworkPathFeed(path) }

  /// The path that was set last.
  public var path: NetworkPath { feed.path }

  /// Returns the last path and each later change.
  public func changes() -> NetworkPathChanges {
    defer { asked.update { $0 += 1 } }
    return feed.changes()
  }

  /// Sets the path to a status without details.
  ///
  /// Setting the same path again is not reported.
  public func set(_ status: ReachabilityStatus) { feed.send(NetworkPath(status)) }

  /// Sets the path; setting the same path again is not reported.
  public func set(path: NetworkPath) { feed.send(path) }

  /// Ends all sequences of changes, like a monitor that is released.
  public func finish() { feed.finish() }

  /// The number of sequences of changes that are being read.
  package var readerCount: Int { feed.readerCount }

  /// Waits until `changes()` was called at least `count` times.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitForReaders(_ count: Int = 1) async throws { try await asked.wait { $0 >= count } }
}
