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

extension Batch {
  /// Adds all of the items, or none of them if one is refused.
  ///
  /// Items can be added while the batch works. The batch completes as soon as all of its items have ended; items that are added
  /// later are left to another batch on the store.
  ///
  /// - Returns: The number of items that the store did not have yet.
  /// - Throws: As `BatchStore.add`.
  @discardableResult
  public func add(_ items: [BatchItem]) async throws -> Int { try await store.add(items) }

  /// Adds an item whose job is a closure.
  ///
  /// Only this batch can run it: for a store that outlives the process, or that several workers share, register jobs by name
  /// (`Configuration.jobs`).
  ///
  /// - Throws: As `BatchStore.add`.
  public func add(
    _ name: String, after dependencies: [String] = [], host: String? = nil, priority: RequestPriority = .normal,
    expectedBytes: Int64? = nil, _ job: @escaping @Sendable (BatchJobContext) async throws -> BatchProduct
  ) async throws {
    let item = BatchItem(
      name, job: .closure, dependencies: dependencies, host: host, priority: priority, expectedBytes: expectedBytes)
    let known = worker.keep(BatchJob(job), for: name)
    do {
      guard try await store.add([item]) == 1 else {
        throw BatchError(.duplicateItem, item: name, "the store has it already, and its closure cannot be compared")
      }
    } catch {
      // If the item exists already, it keeps its own closure.
      worker.restore(known, for: name)
      throw error
    }
  }

  /// Adds items that run one after the other.
  ///
  /// When one of them does not succeed, the items after it are skipped.
  ///
  /// - Throws: As `BatchStore.add`.
  @discardableResult
  public func add(_ chain: BatchChain) async throws -> Int { try await store.add(chain.items) }
}

extension ComponentName<BatchJob> {
  /// The job of items whose work is a closure that their batch keeps in memory.
  static let closure = Self("curlew.closure")
}

/// The commands, which apply to all workers of the store.
///
/// This batch obeys at once; other workers obey with their next heartbeat. Each method returns whether the command changed
/// anything.
extension Batch {
  /// Applies a command to the batch or to one item.
  ///
  /// - Throws: As `BatchStore.apply`.
  @discardableResult
  public func apply(_ command: BatchCommand) async throws -> Bool {
    let hasChanged = try await store.apply(command)
    worker.renewSoon()
    return hasChanged
  }

  /// Pauses the batch: no item begins, and running items give back their places.
  ///
  /// A download keeps its bytes and continues with them after `resume`. Other jobs start again from their beginning.
  @discardableResult
  public func pause() async throws -> Bool { try await apply(.pause) }

  /// Continues the batch after `pause`.
  @discardableResult
  public func resume() async throws -> Bool { try await apply(.resume) }

  /// Cancels every item without a result.
  @discardableResult
  public func cancel() async throws -> Bool { try await apply(.cancel) }

  /// Pauses one item; if it is running, it gives back its place.
  @discardableResult
  public func pause(_ name: String) async throws -> Bool { try await apply(.pauseItem(name)) }

  /// Continues an item after it was paused; it waits for a free place.
  @discardableResult
  public func resume(_ name: String) async throws -> Bool { try await apply(.resumeItem(name)) }

  /// Cancels one item and skips its dependents.
  @discardableResult
  public func cancel(_ name: String) async throws -> Bool { try await apply(.cancelItem(name)) }

  /// Changes the priority of an item.
  @discardableResult
  public func prioritize(_ name: String, _ priority: RequestPriority) async throws -> Bool {
    try await apply(.prioritize(name, priority))
  }
}

extension Batch: AsyncSequence {
  /// The result of one item.
  public typealias Element = BatchOutcome

  /// Starts the batch, and reads the results in the order in which items end.
  ///
  /// The sequence contains every result in the store, including results from other workers and from earlier processes.
  ///
  /// The sequence ends when every item has its result. Leaving the loop early does not stop the batch.
  public func makeAsyncIterator() -> Iterator {
    start()
    return Iterator(worker: worker)
  }

  /// Reads results one after the other, up to a hundred per call of the store.
  public struct Iterator: AsyncIteratorProtocol {
    let worker: BatchWorker
    private var page: [BatchOutcome] = []
    private var position: Int64 = 0

    init(worker: BatchWorker) { self.worker = worker }

    /// Returns the next result; nil when every item has one.
    ///
    /// - Throws: What the batch fails with: `BatchError` when the store fails, `CancellationError` when the worker was stopped.
    public mutating func next() async throws -> BatchOutcome? {
      while page.isEmpty {
        let hasEnded = worker.hasEnded
        let summary = try await worker.ask { [worker] in try await worker.store.summary() }
        page = try await worker.ask { [worker, position] in
          try await worker.store.outcomes(after: position, limit: 100).reversed()
        }
        guard page.isEmpty else { break }
        if summary.isComplete { return nil }
        // The worker has ended, so items that were added later are left to another batch on the store.
        if hasEnded {
          _ = try await worker.result()
          return nil
        }
        try await worker.change(since: summary.revision)
      }
      let outcome = page.removeLast()
      position = outcome.position
      return outcome
    }
  }
}

/// A list of items that run one after another; each begins when the previous one has succeeded.
///
/// ```swift
/// try await batch.add(BatchChain([fetchList, fetchFiles, publish]))
/// ```
public struct BatchChain: Sendable, Hashable {
  /// The items; each has the previous one among its dependencies.
  public private(set) var items: [BatchItem] = []

  /// Creates a chain.
  public init(_ items: [BatchItem] = []) {
    for item in items { append(item) }
  }

  /// Adds an item to the end of the chain.
  public mutating func append(_ item: BatchItem) {
    var item = item
    if let last = items.last, !item.dependencies.contains(last.name) { item.dependencies.append(last.name) }
    items.append(item)
  }
}
