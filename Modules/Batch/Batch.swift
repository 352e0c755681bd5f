public import CurlewCore
public import CurlewRequests
import FoundationEssentials

/// Runs many items to one common outcome: a worker on a batch store.
///
/// Items are values that name their job, their dependencies, their host and their priority (`BatchItem`). The store decides
/// which items may begin, so limits apply to all workers of the store together. A batch leases items, runs their jobs and
/// records their results.
///
/// ```swift
/// let batch = Batch(over: loader)
/// try await batch.add([
///   .download("index", try Request(.get, "https://example.com/index.json"), to: "/srv/index.json"),
///   .download("birds", try Request(.get, "https://example.com/birds.iso"), to: "/srv/birds.iso", after: ["index"]),
/// ])
/// for try await outcome in batch { print(outcome.name, outcome.result) }
/// ```
///
/// A paused item gives back its place, so another item can begin; a paused operation of an `OperationQueue` keeps its place. A
/// batch can be started once. If its store outlives the process, a new batch on that store continues the work, in any process.
/// Every method may be called from any isolation.
public final class Batch: Sendable {
  /// The settings of a batch.
  public struct Configuration: Sendable {
    /// The jobs, under the names by which items refer to them.
    public var jobs: ComponentNames
    /// The most items that this worker runs at once.
    ///
    /// `BatchRules.limit` applies in addition.
    public var width = 64
    /// The time after which a lease expires if its worker does not renew it.
    ///
    /// A worker renews its leases three times in this period. The items of a worker that has died can begin elsewhere after it.
    public var leaseDuration = Duration.seconds(30)
    /// The interval at which observers are told the progress.
    public var progressInterval = Duration.milliseconds(500)
    /// The clock for leases and intervals.
    public var clock: any NetworkClock = .system

    /// Creates a configuration.
    public init(jobs: ComponentNames = ComponentNames()) { self.jobs = jobs }
  }

  /// The store of the items.
  public let store: any BatchStore
  let worker: BatchWorker

  /// Creates a batch, which begins with `start`, `run` or an iteration.
  public init(_ store: any BatchStore = MemoryBatchStore(), _ configuration: Configuration = Configuration()) {
    self.store = store
    worker = BatchWorker(store, configuration)
  }

  /// Begins to work.
  ///
  /// - Returns: False if the batch was started before.
  @discardableResult
  public func start() -> Bool { worker.start() }

  /// Works until every item in the store has its result, and returns a summary.
  ///
  /// A failed item does not make the batch fail; the summary counts it, and the iteration delivers its result. Before this
  /// method returns, every observer has received all events. Cancelling the task stops this worker, like `stop`.
  ///
  /// - Throws: `BatchError` when the store fails; `CancellationError` when the worker was stopped.
  @discardableResult
  public func run() async throws -> BatchSummary {
    try await withTaskCancellationHandler {
      start()
      return try await worker.result()
    } onCancel: {
      stop()
    }
  }

  /// Stops this worker, but does not cancel the batch.
  ///
  /// Its running items are released unfinished, so another worker of the store can continue them.
  public func stop() { worker.stop() }

  /// A summary of the batch over all workers of its store.
  public var summary: BatchSummary { get async throws { try await store.summary() } }

  /// The progress of the items that this worker is running, sorted by name.
  public var itemsInFlight: [BatchItemProgress] { worker.itemsInFlight }

  /// Calls a handler with every event, one at a time and in order.
  ///
  /// Register it before the batch starts.
  public func observe(on executor: CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void) {
    worker.observe(BatchObserver(executor, handler))
  }
}
