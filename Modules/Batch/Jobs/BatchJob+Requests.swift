import CurlewCore
import CurlewDigests
public import CurlewDownload
public import CurlewLoading
public import CurlewRequests
import CurlewStorage
import FoundationEssentials

extension ComponentName<BatchJob> {
  /// The job of items that download a file (`BatchDownload`).
  public static let download = Self("curlew.download")
  /// The job of items that send a request (`BatchRequest`).
  public static let request = Self("curlew.request")
}

extension BatchJob {
  /// Returns the job that downloads files.
  ///
  /// A file appears at its path when it is complete and checked, and the store has confirmed the lease. If the worker then dies
  /// before it records the result, the next worker recognizes the file by its identity and does not download it again.
  ///
  /// A worker that stalls until its lease has expired still holds the file's lock. The next worker of the item gives its place
  /// back and tries again later, up to twelve times in four minutes. A file that the earlier worker publishes then is the result.
  /// So does an item whose server sends nothing for the idle timeout, unless the item allows no retries.
  ///
  /// - Parameters:
  ///   - loader: The loader that sends the requests.
  ///   - disk: The disk to which files are written.
  ///   - retry: Decides when a failed attempt is repeated; the item keeps its place meanwhile. The policy's `originBudget`
  ///     limits the retries of all items together. A policy without a budget gets one.
  public static func download(
    over loader: Loader, on disk: DownloadDisk = DownloadDisk(), retry: RetryPolicy = .resuming
  ) -> BatchJob {
    let retry = retry.withBudget.withoutStalls
    let check = FileCheck(disk.files)
    return BatchJob { context in
      let download = try JSONDecoder().decode(BatchDownload.self, from: context.lease.item.input)
      let digest = try download.expectedDigest()
      if let file = try await check.result(of: download, digest, note: context.lease.note) { return try file.product }
      var configuration = DownloadConfiguration(download.request, to: .file(download.path))
      configuration.file.collision = download.replaces ? .replace : .fail
      configuration.file.verification.expected = digest
      configuration.file.createsDirectories = download.createsDirectories
      configuration.file.sizeLimit = download.sizeLimit
      configuration.retry = retry.limited(to: download.retries)
      let published = Guarded<BatchFile?>(nil)
      configuration.file.willPublish = { complete in
        let file = BatchFile(complete, digest: download.digest)
        try await context.confirm(note: try JSONEncoder().encode(file))
        published.withLock { $0 = file }
      }
      let downloader = Downloader(loader, configuration, on: disk)
      downloader.downloadProgress.observe(on: CallbackExecutor { $0() }) { progress in
        context.report(completed: progress.completed, of: progress.total)
      }
      do {
        _ = try await downloader.run()
      } catch let error as NetworkError where error.kind == .targetInUse {
        if let again = BatchRetry(waitingForEarlierWorkerOf: context.lease) { throw again }
        throw error
      } catch let error as NetworkError where error.kind == .idleTimedOut {
        if configuration.retry?.limit != 0, let again = BatchRetry(afterStallOf: context.lease) { throw again }
        throw error
      } catch let error as NetworkError where error.kind == .targetExists {
        // An earlier worker can publish its file at any time after its lease has expired.
        guard let file = try await check.result(of: download, digest, note: context.lease.note) else { throw error }
        await downloader.discard()
        return try file.product
      }
      guard let file = published.withLock({ $0 }) else { throw CancellationError() }
      return try file.product
    }
  }

  /// Returns the job that sends requests and keeps the response bodies as outputs.
  ///
  /// An item whose server sends nothing for the idle timeout gives its place back and tries again later, up to twelve times, if its
  /// request is idempotent and the item allows retries.
  ///
  /// - Parameters:
  ///   - loader: The loader that sends the requests.
  ///   - retry: Decides when a failed attempt is repeated, as for `download`.
  public static func request(over loader: Loader, retry: RetryPolicy = RetryPolicy()) -> BatchJob {
    let retry = retry.withBudget.withoutStalls
    return BatchJob { context in
      let input = try JSONDecoder().decode(BatchRequest.self, from: context.lease.item.input)
      var configuration = Transfer<Data>.Configuration(input.request, to: MemorySink(limit: BatchLimits.outputBytes)) {
        $0.content.data ?? Data()
      }
      configuration.validate = { head, _ in try TransferValidation.successStatus(head) }
      configuration.retry = retry.limited(to: input.retries)
      do {
        let body = try await Transfer(loader, configuration).run()
        return BatchProduct(output: body, bytes: Int64(body.count))
      } catch let error as NetworkError where error.kind == .idleTimedOut {
        let isRepeatable = input.request.isIdempotent && configuration.retry?.limit != 0
        if isRepeatable, let again = BatchRetry(afterStallOf: context.lease) { throw again }
        throw error
      }
    }
  }
}

extension Batch.Configuration {
  /// Creates a configuration with the jobs for downloads and requests.
  ///
  /// Both jobs share one budget of retries.
  public init(over loader: Loader, on disk: DownloadDisk = DownloadDisk(), budget: RetryBudget = RetryBudget()) {
    self.init()
    var (downloads, requests) = (RetryPolicy.resuming, RetryPolicy())
    downloads.originBudget = budget
    requests.originBudget = budget
    jobs[.download] = .download(over: loader, on: disk, retry: downloads)
    jobs[.request] = .request(over: loader, retry: requests)
  }
}

extension Batch {
  /// Creates a batch that can run downloads and requests.
  public convenience init(over loader: Loader, store: any BatchStore = MemoryBatchStore()) {
    self.init(store, Configuration(over: loader))
  }
}

extension RetryPolicy {
  fileprivate var withBudget: RetryPolicy {
    var policy = self
    policy.originBudget = originBudget ?? RetryBudget()
    return policy
  }

  /// The policy without retries of stalled attempts, during which an item would keep its place.
  fileprivate var withoutStalls: RetryPolicy {
    var policy = self
    policy.conditions.kinds?.remove(.idleTimedOut)
    return policy
  }

  fileprivate func limited(to retries: Int?) -> RetryPolicy {
    guard let retries else { return self }
    var policy = self
    policy.limit = retries
    return policy
  }
}

extension BatchFile {
  fileprivate var product: BatchProduct {
    get throws { BatchProduct(output: try JSONEncoder().encode(self), bytes: length) }
  }
}

/// Detects whether the file of a download exists already.
///
/// The proof is the digest of the file; without one, the note of the worker that was about to publish it, if the file was not
/// changed since. The name alone proves nothing.
final class FileCheck: Sendable {
  private let files: any FileSystem
  private let work = DiskWork()

  init(_ files: any FileSystem) { self.files = files }

  /// Returns the file of a download; nil if it is missing or unproven.
  func result(of download: BatchDownload, _ digest: ExpectedDigest?, note: Data?) async throws -> BatchFile? {
    let record = note.flatMap { try? BatchFile(output: $0) }
    guard record != nil || digest != nil else { return nil }
    return try await work.run { [files] () throws(any Error) -> BatchFile? in
      guard let status = try files.status(download.path), status.kind == .regular else { return nil }
      let own = record.flatMap { $0.path.utf8.elementsEqual(download.path.utf8) && $0.isUnchanged(status) ? $0 : nil }
      guard let digest else { return own }
      guard own != nil || !download.replaces,
        try Self.digest(of: download.path, digest.algorithm, in: files) == digest.value
      else { return nil }
      return BatchFile(path: download.path, status, digest: download.digest)
    }
  }

  private static func digest(
    of path: String, _ algorithm: DigestAlgorithm, in files: any FileSystem
  ) throws -> Data {
    let file = try files.open(path, .read)
    let digest = try Digest(algorithm)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while case let count = try file.read(into: buffer, at: offset), count > 0 {
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    return try digest.finish()
  }
}
