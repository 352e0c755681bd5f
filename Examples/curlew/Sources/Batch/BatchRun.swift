import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewStorage
import Synchronization

/// Works on the items of a store until each has its result: a `Batch` with the job of listed files.
final class BatchRun: Sendable {
  private let batch: Batch
  private let job: ListedFileJob

  /// - Parameters:
  ///   - replaces: Whether an item replaces a file that is not proven to be its own.
  ///   - parallel: How many items are worked on at once.
  ///   - request: Makes the request for a URL.
  init(
    _ store: any BatchStore, at place: ItemPlace, replaces: Bool = false, fetcher: Fetcher, display: ProgressDisplay,
    parallel: Int,
    request: @escaping @Sendable (String) throws -> Request
  ) {
    job = ListedFileJob(at: place, replaces: replaces, fetcher: fetcher, display: display, request: request)
    var configuration = Batch.Configuration()
    configuration.jobs[.listedFile] = BatchJob { [job] context in try await job.run(context) }
    configuration.width = parallel
    configuration.leaseDuration = .seconds(60)
    batch = Batch(store, configuration)
  }

  /// The bytes that this run has fetched.
  var bytes: Int64 { job.bytes }

  // MARK: Before the work

  /// Has each item try again whose file is not the one that was downloaded, and each that did not succeed.
  ///
  /// - Returns: How many files are complete, and proven to be.
  static func reopen(_ store: any BatchStore, at place: ItemPlace) async throws -> Int {
    let (disk, files) = (DiskWork(), LocalFileSystem())
    var position: Int64 = 0
    while true {
      let outcomes = try await store.outcomes(after: position, limit: 1_000)
      guard let last = outcomes.last else { break }
      position = last.position
      let changed = try await disk.run { () throws(any Error) in
        try outcomes.filter { outcome in
          guard case .succeeded(let product) = outcome.result else { return false }
          return try FileRecord(encoded: product.output)?.proven(at: place.path(of: outcome.name), in: files) == nil
        }
      }
      for outcome in changed { try await store.apply(.reopenItem(outcome.name)) }
      try Task.checkCancellation()
    }
    try await store.apply(.reopen)
    return try await store.summary().succeeded
  }

  /// Has each item try again that did not succeed, if no other process works on the batch.
  ///
  /// The files are not proven: they may be on other machines.
  ///
  /// - Returns: How many items have succeeded.
  static func reopenEnded(_ store: any BatchStore) async throws -> Int {
    let summary = try await store.summary()
    if summary.isComplete { try await store.apply(.reopen) }
    return summary.succeeded
  }

  // MARK: The work

  /// Works until every item has its result.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, after everything was given back; `BatchError` of the store;
  ///   what `each` throws.
  func run(each: @escaping @Sendable (ListedFileJob.Event) throws -> Void) async throws {
    // What one event throws ends the run; an item cannot.
    let failure = Mutex<(any Error)?>(nil)
    job.observe { [batch] event in
      do {
        try each(event)
      } catch {
        failure.withLock { $0 = $0 ?? error }
        batch.stop()
      }
    }
    let outcome: Result<Void, any Error>
    do {
      try await batch.run()
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    if let error = failure.withLock({ $0 }) { throw error }
    try outcome.get()
  }
}
