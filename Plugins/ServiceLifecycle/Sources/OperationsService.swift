#if ServiceLifecycle
public import CurlewOperations
public import ServiceLifecycle

/// Lets operations go on while a `ServiceGroup` shuts down gracefully.
///
/// It runs as one of the group's services and waits for the shutdown. From then on the operations that were announced have the
/// grace period to end; then their expiration handlers are called and they are cancelled, and the service ends.
///
/// ```swift
/// let transfers = OperationsService(grace: .seconds(20))
/// download.continueAtProcessEnd(under: transfers)
/// queue.addOperation(download)
/// let group = ServiceGroup(services: [transfers, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order, each when the one after it has ended: put this one before those that still
/// start operations while they end. A `maximumGracefulShutdownDuration` of the group must be longer than the grace period. Where
/// the group cancels the service instead, no time is left.
public final class OperationsService: Service, ProcessLifecycle, CustomStringConvertible {
  private let grace: GracePeriod
  private let length: Duration

  /// Creates a service for one group.
  ///
  /// - Parameter grace: How long operations may go on after the shutdown began, 0 or more.
  public init(grace: Duration) {
    self.grace = GracePeriod(grace)
    length = grace
  }

  /// How much work is under way.
  public var workCount: Int { grace.workCount }

  /// Announces work; `URLConnectionOperation.continueAtProcessEnd(under:expiration:)` calls this.
  ///
  /// - Parameter expiration: Called at most once, when the work has to stop now; at once after the end of the service.
  public func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork { grace.begin(expiration) }

  /// Waits for the graceful shutdown and then for the work; the group calls this.
  public func run() async throws {
    // A group that cancels leaves no time.
    try? await gracefulShutdown()
    await grace.expire()
  }

  /// The name of the service, for the group's log.
  public var description: String { "OperationsService, \(length) of grace" }
}
#endif
