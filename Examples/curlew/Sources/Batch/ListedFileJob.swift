import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewRequests
import CurlewStorage
import FoundationEssentials
import Glibc
import Synchronization

/// The job of an item of a list: downloads its file, unless the file is there and proven to be the right one.
final class ListedFileJob: Sendable {
  /// Something that happened to an item.
  enum Event: Sendable {
    case fetched(FetchResult)
    /// - Parameter wasFetched: Whether `fetched` has told of it already.
    case failed(name: String, url: String, FetchFailure, wasFetched: Bool)
  }

  private let place: ItemPlace
  private let replaces: Bool
  private let fetcher: Fetcher
  private let display: ProgressDisplay
  private let request: @Sendable (String) throws -> Request
  private let files: any FileSystem = LocalFileSystem()
  private let disk = DiskWork()
  private let fetched = Atomic<Int64>(0)
  private let observer = Mutex<@Sendable (Event) -> Void>({ _ in })

  /// - Parameters:
  ///   - replaces: Whether an item replaces a file that is not proven to be its own.
  ///   - request: Makes the request for a URL.
  init(
    at place: ItemPlace, replaces: Bool, fetcher: Fetcher, display: ProgressDisplay,
    request: @escaping @Sendable (String) throws -> Request
  ) {
    self.place = place
    self.replaces = replaces
    self.fetcher = fetcher
    self.display = display
    self.request = request
  }

  /// The bytes that were fetched.
  var bytes: Int64 { fetched.load(ordering: .relaxed) }

  /// Sets who is told what happens.
  func observe(_ observer: @escaping @Sendable (Event) -> Void) { self.observer.withLock { $0 = observer } }

  /// Does the work of an item.
  ///
  /// - Throws: `CancellationError` when the item is paused or cancelled; `BatchRetry` while an earlier worker of the item still
  ///   writes its file; `BatchError` of kind `leaseLost`; otherwise a `BatchError` with the kind and the message of the failure.
  ///   The observer learns of the failure first.
  func run(_ context: BatchJobContext) async throws -> BatchProduct {
    let meter = TransferMeter(name: context.lease.item.name)
    display.begin(meter)
    do {
      let record = try await record(context, meter)
      display.end(meter, failed: false)
      return record.product
    } catch {
      if error is CancellationError || error is BatchRetry || (error as? BatchError)?.kind == .leaseLost {
        display.leave(meter, comesAgain: !(error is CancellationError))
      } else {
        display.end(meter, failed: true)
      }
      throw error
    }
  }

  private func record(_ context: BatchJobContext, _ meter: TransferMeter) async throws -> FileRecord {
    var item = DownloadItem(undigested: context.lease.item)
    do {
      item = try DownloadItem(context.lease.item)
      if let record = try await proof(of: item, context.lease.note) {
        // No rate counts the bytes, which an earlier run has fetched.
        meter.show(TransferProgress(recent: 0, completed: record.length, total: record.length, isFinal: true))
        return record
      }
      return try await fetch(item, context, meter)
    } catch let error as ItemPlace.Escape {
      throw fail(item, Self.failure(error.description))
    } catch let error as ItemPlace.Reserved {
      throw fail(item, Self.failure(error.description))
    } catch let error as FileSystemError {
      throw fail(item, FetchFailure(error))
    } catch let error as NetworkError {
      throw fail(item, FetchFailure(error))
    }
  }

  /// Returns the record of a file that is there already: an earlier process has published it and was killed then, or it has the
  /// digest that it must have.
  private func proof(of item: DownloadItem, _ note: Data?) async throws -> FileRecord? {
    try await disk.run { [files, place] () throws(any Error) in
      let path = try place.prepared(item.name)
      if let record = try FileRecord(encoded: note)?.proven(at: path, in: files) { return record }
      guard let expected = item.digest else { return nil }
      return try FileRecord.proven(at: path, by: expected, in: files)
    }
  }

  private func fetch(
    _ item: DownloadItem, _ context: BatchJobContext, _ meter: TransferMeter
  ) async throws -> FileRecord {
    let path = place.path(of: item.name)
    var fetch = Fetch(index: 0, url: item.url, request: try request(item.url), destination: .file(path))
    fetch.checksum = item.digest
    // A file that exists now is unproven. One that appears later, of another worker or program, is kept in any case.
    let isThere = try await disk.run { [files] () throws(any Error) in try files.linkStatus(path) != nil }
    fetch.replaces = replaces && isThere
    let refusal = Mutex<(any Error)?>(nil)
    fetch.willPublish = { file in
      // The transaction that checks the lease comes before the name, and says which file it will be.
      do {
        try await context.confirm(note: FileRecord(file).encoded)
      } catch {
        refusal.withLock { $0 = error }
        throw error
      }
    }
    let reporting = Task {
      while true {
        try await Task.sleep(for: .seconds(1))
        context.report(completed: meter.completed, of: meter.total)
      }
    }
    let result = await fetcher.fetch(fetch, meter: meter)
    reporting.cancel()
    if let failure = result.failure {
      if let error = refusal.withLock({ $0 }) { throw error }
      // The batch knows whether the item was paused, cancelled or given up.
      try Task.checkCancellation()
      if failure.kind == NetworkError.Kind.targetInUse.rawValue,
        let again = BatchRetry(waitingForEarlierWorkerOf: context.lease)
      {
        throw again
      }
      // The item gives its place to others instead of stalling on it.
      if failure.kind == NetworkError.Kind.idleTimedOut.rawValue,
        let again = BatchRetry(afterStallOf: context.lease)
      {
        throw again
      }
      if failure.kind == NetworkError.Kind.targetExists.rawValue,
        let record = try await proof(of: item, context.lease.note)
      {
        return record
      }
      tell(.fetched(result))
      guard failure.kind == NetworkError.Kind.targetExists.rawValue else { throw fail(item, failure, wasFetched: true) }
      var existing = failure
      existing.message =
        "\(path) exists and is not proven to be this item's file; it was kept."
      existing.sharedAdvice = "Remove it, or replace it with --replace."
      throw fail(item, existing, wasFetched: true)
    }
    fetched.add(result.bytes - (result.resumedFrom ?? 0), ordering: .relaxed)
    let record = try await disk.run { [files] () throws(any Error) in
      try files.status(path).map { FileRecord($0, digest: item.digest?.description) }
    }
    guard let record else { throw FileSystemError(code: ENOENT, operation: "stat", path: path) }
    tell(.fetched(result))
    return record
  }

  private static func failure(_ message: String) -> FetchFailure {
    FetchFailure(kind: NetworkError.Kind.fileError.rawValue, stage: .preparing, message: message)
  }

  /// Tells the observer of a failure, and returns the error with which the store keeps it.
  private func fail(_ item: DownloadItem, _ failure: FetchFailure, wasFetched: Bool = false) -> BatchError {
    tell(.failed(name: item.name, url: item.url, failure, wasFetched: wasFetched))
    return BatchError(BatchError.Kind(rawValue: failure.kind), failure.messageAndAdvice)
  }

  private func tell(_ event: Event) {
    let observer = observer.withLock { $0 }
    observer(event)
  }
}

extension FileRecord {
  fileprivate var product: BatchProduct { BatchProduct(output: encoded, bytes: length) }
}
