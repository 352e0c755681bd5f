import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewRequests
import CurlewStorage
import FoundationEssentials
import Glibc
import Synchronization

/// Works on the items of a store until each has its result.
final class BatchRun: Sendable {
  /// Something that happened to an item.
  enum Event: Sendable {
    case fetched(FetchResult)
    case failed(url: String, FetchFailure)
  }

  /// An item that is being worked on.
  private struct Work {
    let meter: TransferMeter
    let fetching: Task<FetchResult, Never>
    var order = BatchOrder.proceed
  }

  /// How long an item belongs to a worker that says nothing, and how often a worker says something.
  private static let leaseTime = Duration.seconds(60)
  private static let heartbeat = Duration.seconds(10)

  private let store: any BatchStore
  private let place: ItemPlace
  private let fetcher: Fetcher
  private let display: ProgressDisplay
  private let parallel: Int
  private let request: @Sendable (String) throws -> Request
  private let files: any FileSystem = LocalFileSystem()
  private let disk = DiskWork()
  private let works = Guarded<[BatchLease.ID: Work]>([:])
  private let fetched = Atomic<Int64>(0)

  /// - Parameters:
  ///   - parallel: How many items are worked on at once.
  ///   - request: Makes the request for a URL.
  init(
    _ store: any BatchStore, at place: ItemPlace, fetcher: Fetcher, display: ProgressDisplay, parallel: Int,
    request: @escaping @Sendable (String) throws -> Request
  ) {
    self.store = store
    self.place = place
    self.fetcher = fetcher
    self.display = display
    self.parallel = parallel
    self.request = request
  }

  /// The bytes that this run has fetched.
  var bytes: Int64 { fetched.load(ordering: .relaxed) }

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

  // MARK: The work

  /// Works until every item has its result.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, after everything was given back; `BatchError` of the store;
  ///   what `each` throws.
  func run(each: @escaping @Sendable (Event) throws -> Void) async throws {
    let heart = Task {
      while true {
        try await Task.sleep(for: Self.heartbeat)
        await self.renew()
      }
    }
    defer { heart.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      while !Task.isCancelled {
        var answer: BatchLeases?
        if running < parallel {
          let leases = try await store.lease(parallel - running, for: Self.leaseTime)
          answer = leases
          for lease in leases.leases { group.addTask { try await self.work(on: lease, each) } }
          running += leases.leases.count
        }
        if running > 0 {
          try await group.next()
          running -= 1
        } else if let answer {
          if answer.isComplete { return }
          try await store.change(since: answer.revision)
        }
      }
      try await group.waitForAll()
    }
    try Task.checkCancellation()
  }

  /// Says for all items that they are worked on, and stops those that the store wants stopped.
  private func renew() async {
    let running = works.withLock { $0.map { ($0.key, $0.value.meter) } }
    let renewals = running.map { BatchRenewal($0.0, completed: $0.1.completed, total: $0.1.total) }
    // A store that fails now fails again when an item is finished, and says so then.
    guard !renewals.isEmpty, let orders = try? await store.renew(renewals, for: Self.leaseTime) else { return }
    for (renewal, order) in zip(renewals, orders) where order != .proceed {
      stop(renewal.id, order)
    }
  }

  private func stop(_ id: BatchLease.ID, _ order: BatchOrder) {
    let fetching = works.withLock { works in
      works[id]?.order = order
      return works[id]?.fetching
    }
    fetching?.cancel()
  }

  private func work(on lease: BatchLease, _ each: @Sendable (Event) throws -> Void) async throws {
    do {
      let item = DownloadItem(lease.item)
      do {
        if let record = try await proof(of: item, lease) { return try await finish(lease, record) }
        try await fetch(item, lease, each)
      } catch let error as ItemPlace.Escape {
        let failure = FetchFailure(
          kind: NetworkError.Kind.fileError.rawValue, stage: .preparing, message: error.description)
        try await fail(lease, item, failure, each)
      } catch let error as FileSystemError {
        try await fail(lease, item, FetchFailure(error), each)
      } catch let error as NetworkError {
        try await fail(lease, item, FetchFailure(error), each)
      }
    } catch let error as BatchError where error.kind == .leaseLost {
      // Another worker has the item, and its result is the one that counts.
    }
  }

  /// Returns the record of a file that is there already: an earlier process has published it and was killed then, or it has the
  /// digest that it must have.
  private func proof(of item: DownloadItem, _ lease: BatchLease) async throws -> FileRecord? {
    try await disk.run { [files, place] () throws(any Error) in
      let path = try place.prepared(item.name)
      if let record = try FileRecord(encoded: lease.note)?.proven(at: path, in: files) { return record }
      guard let expected = item.digest else { return nil }
      return try FileRecord.proven(at: path, by: expected, in: files)
    }
  }

  private func fetch(_ item: DownloadItem, _ lease: BatchLease, _ each: @Sendable (Event) throws -> Void) async throws {
    let path = place.path(of: item.name)
    var fetch = Fetch(
      index: 0, url: item.url, request: try request(item.url), destination: .file(path))
    fetch.checksum = item.digest
    fetch.willPublish = { [self] file in
      // The transaction that checks the lease comes before the name, and says which file it will be.
      let renewal = BatchRenewal(
        lease.id, completed: file.length, total: file.length, note: FileRecord(file).encoded)
      let order = try await store.renew([renewal], for: Self.leaseTime).first ?? .abandon
      guard order != .proceed else { return }
      stop(lease.id, order)
      throw CancellationError()
    }
    let meter = TransferMeter(name: item.name)
    display.begin(meter)
    let fetching = Task { [fetch] in await fetcher.fetch(fetch, meter: meter) }
    works.withLock { $0[lease.id] = Work(meter: meter, fetching: fetching) }
    let result = await withTaskCancellationHandler {
      await fetching.value
    } onCancel: {
      fetching.cancel()
    }
    let order = works.withLock { $0.removeValue(forKey: lease.id)?.order } ?? .proceed
    display.end(meter, failed: result.failure != nil)
    guard let failure = result.failure else {
      fetched.add(result.bytes - (result.resumedFrom ?? 0), ordering: .relaxed)
      let record = try await disk.run { [files] () throws(any Error) in
        try files.status(path).map { FileRecord($0, digest: item.digest?.description) }
      }
      try each(.fetched(result))
      guard let record else { throw FileSystemError(code: ENOENT, operation: "stat", path: path) }
      return try await finish(lease, record)
    }
    switch order {
    case .abandon: return
    case .cancel: try await store.finish(lease.id, with: .cancelled)
    case .pause: try await store.release(lease.id, .unfinished)
    case .proceed where Task.isCancelled: try await store.release(lease.id, .unfinished)
    case .proceed:
      try each(.fetched(result))
      try await fail(lease, item, failure, each)
    }
  }

  private func finish(_ lease: BatchLease, _ record: FileRecord) async throws {
    try await store.finish(
      lease.id, with: .succeeded(BatchProduct(output: record.encoded, bytes: record.length)))
  }

  private func fail(
    _ lease: BatchLease, _ item: DownloadItem, _ failure: FetchFailure, _ each: @Sendable (Event) throws -> Void
  ) async throws {
    try each(.failed(url: item.url, failure))
    try await store.finish(lease.id, with: .failed(BatchFailure(kind: failure.kind, message: failure.message)))
    // Where the batch stops on a failure, the others learn it at once.
    await renew()
  }
}
