public import CurlewCore
public import CurlewRequests
import FoundationEssentials

/// Many items with one outcome: a worker on a store, and the commands that steer it.
///
/// Items are values that name their job, their dependencies, their host and their priority (`BatchItem`). The store decides which of
/// them may begin, so that limits hold over all workers of a store; a batch leases them, runs their jobs and records their results.
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
/// Its scheduler is its own: an item that is paused gives back its place, and takes one again when it is resumed. A paused operation of
/// Foundation's `OperationQueue` keeps its place. A batch works once; its last worker may be another one, in another process, where
/// the store outlives it. Every method may be called from any isolation.
public final class Batch: Sendable {
  /// What a batch works with.
  public struct Configuration: Sendable {
    /// The jobs by the names that items have for them.
    public var jobs: ComponentNames
    /// How many items this worker leases at once; `BatchRules.limit` holds beside it.
    public var width = 64
    /// How long a lease lasts unless it is renewed, which happens three times as often: how long the items of a worker that died
    /// wait for another one.
    public var leaseDuration = Duration.seconds(30)
    /// How often observers are told of progress.
    public var progressInterval = Duration.milliseconds(500)
    /// The clock for leases and intervals.
    public var clock: any NetworkClock = .system

    /// Creates a configuration.
    public init(jobs: ComponentNames = ComponentNames()) { self.jobs = jobs }
  }

  /// Where the items are.
  public let store: any BatchStore
  let worker: BatchWorker

  /// Creates a batch that waits for `start`, `run` or an iteration.
  public init(_ store: any BatchStore = MemoryBatchStore(), _ configuration: Configuration = Configuration()) {
    self.store = store
    worker = BatchWorker(store, configuration)
  }

  /// Begins to work; false where it was begun before.
  @discardableResult
  public func start() -> Bool { worker.start() }

  /// Works until every item in the store has its result, and returns the numbers.
  ///
  /// Items that fail do not fail the batch; the summary and `outcomes` tell of them. When it returns, every observer has been told
  /// everything. Cancelling the task stops this worker, as `stop` does.
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

  /// Ends this worker and not the batch: items that run are given back unfinished, for another worker of the store.
  public func stop() { worker.stop() }

  /// The state of the batch, over all workers of its store.
  public var summary: BatchSummary { get async throws { try await store.summary() } }

  /// The items that this worker works on, by name.
  public var itemsInFlight: [BatchItemProgress] { worker.itemsInFlight }

  /// Calls a handler with every event, in order, the next one after it has returned. Register before the batch starts.
  public func observe(on executor: CallbackExecutor, _ handler: @escaping @Sendable (BatchEvent) -> Void) {
    worker.observe(BatchObserver(executor, handler))
  }
}
