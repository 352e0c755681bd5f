import CurlewCore
import CurlewDigests
import CurlewDownload
import CurlewLoading
import CurlewStorage
import FoundationEssentials
import HTTPTypes

extension Fetcher {
  /// Fetches into a file that appears when it is complete and verified.
  ///
  /// It resumes what an earlier run has fetched.
  func carryDownload(_ fetch: Fetch, _ meter: TransferMeter, _ redirects: RedirectCount) async -> FetchResult {
    let result = FetchResult(fetch: fetch)
    guard let target = downloadTarget(fetch) else { return result }
    do {
      if try await isComplete(fetch, result) { return result }
    } catch {
      result.failure = FetchFailure(error)
      return result
    }
    let expected = fetch.checksum ?? options.checksum
    // Whoever asks for one of these waits for the disk rather than lose a byte.
    let isThorough = options.resumes || expected != nil
    var configuration = DownloadConfiguration(fetch.request, to: target)
    configuration.settings = settings(for: fetch.request, redirects)
    configuration.retry = options.retry.map { policy in
      var policy = policy
      policy.startsOverWithProgress = isThorough
      return policy
    }
    configuration.file.collision = fetch.replaces ? .replace : .fail
    configuration.file.sizeLimit = options.maxSize
    configuration.file.verification.expected = expected
    configuration.file.willPublish = fetch.willPublish
    configuration.file.survivesPowerFailure = isThorough
    if case .directory = fetch.destination { configuration.file.createsDirectories = true }
    var (download, outcome) = await run(configuration, meter)
    if await hasMovedAside(outcome) { (download, outcome) = await run(configuration, meter) }
    result.head = download.response
    result.metrics = download.metrics
    result.attempts = download.attemptCount
    do {
      let downloaded = try outcome.get()
      meter.show(downloaded.length, of: downloaded.length)
      result.file = downloaded.path
      result.length = downloaded.length
      result.resumedFrom = downloaded.resumedFrom
      if options.printsHead {
        await turns.wait(for: fetch.index)
        try downloaded.head.printed.withUnsafeBytes { try StandardOutput.write($0) }
      }
      if options.hashes { result.digest = try await Self.hash(downloaded) }
    } catch {
      var failure = FetchFailure(error)
      // Bytes for a name that is taken serve no later run.
      if options.resumes ? (error as? NetworkError)?.kind == .targetExists : !failure.isCut && !failure.isCancelled {
        await download.discard()
      } else {
        result.keptBytes = download.resumption?.completedBytes ?? 0
      }
      if options.printsHead, failure.status != nil, let head = result.head {
        await turns.wait(for: fetch.index)
        try? head.printed.withUnsafeBytes { try StandardOutput.write($0) }
      }
      let progress = download.downloadProgress.current
      meter.show(progress.completed, of: progress.total)
      failure.keptBytes = result.keptBytes
      if result.keptBytes == 0, progress.completed > 0, let fields = result.head?.headerFields {
        failure.lacksValidator = fields[.eTag] == nil && fields[.lastModified] == nil
      }
      result.failure = failure
    }
    return result
  }

  /// Whether the file of a resumed download is there already and has the digest that it must have; the result is then of it.
  ///
  /// A file that nothing proves is fetched again, which is said, since the user expects it to go on. A batch has proofs of its own.
  private func isComplete(_ fetch: Fetch, _ result: FetchResult) async throws -> Bool {
    guard options.resumes, fetch.willPublish == nil, case .file(let path) = fetch.destination else { return false }
    let url = URL(filePath: path)
    let part = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).curlew-part").path
    let expected = fetch.checksum ?? options.checksum
    let (isThere, record) = try await DiskWork().run { () throws(any Error) -> (Bool, FileRecord?) in
      let files = LocalFileSystem()
      guard try files.status(path)?.kind == .regular, try files.linkStatus(part) == nil else { return (false, nil) }
      guard let expected else { return (true, nil) }
      return (true, try FileRecord.proven(at: path, by: expected, in: files))
    }
    guard let record else {
      let reason =
        expected == nil
        ? "nothing tells whether it is complete; with --checksum it would be kept" : "has another digest"
      if isThere { StandardError.warn("curlew: \(path) is there already, and \(reason). It is fetched again.") }
      return false
    }
    StandardError.warn("curlew: \(path) is there already, and has the digest.")
    (result.file, result.length, result.resumedFrom) = (path, record.length, record.length)
    result.wasWhole = true
    return true
  }

  private func run(
    _ configuration: DownloadConfiguration, _ meter: TransferMeter
  ) async -> (Downloader, TransferOutcome<DownloadResult>) {
    let download = Downloader(loader, configuration, on: disk)
    download.downloadProgress.observe(on: .serial()) { meter.show($0) }
    await withTaskCancellationHandler {
      download.start()
      await download.settled()
    } onCancel: {
      download.cancel(keepingPartial: true)
    }
    return (download, download.outcome ?? .cancelled)
  }

  /// Moves a damaged state of an earlier download aside, and says so; returns whether the download can start over.
  private func hasMovedAside(_ outcome: TransferOutcome<DownloadResult>) async -> Bool {
    guard let error = (outcome.error as? NetworkError)?.details.underlying as? JournalError,
      error.kind == .notAJournal || error.kind == .full
    else { return false }
    // The longest names of states leave room for this ending.
    guard error.path.hasSuffix(".curlew-state") else { return false }
    let aside = String(error.path.dropLast("state".count)) + "damaged"
    do {
      try LocalFileSystem().rename(error.path, to: aside)
    } catch {
      return false
    }
    StandardError.warn(
      "curlew: The state of an earlier download was damaged, and is now in \(aside); the download starts over.")
    return true
  }

  private func downloadTarget(_ fetch: Fetch) -> DownloadTarget? {
    switch fetch.destination {
    case .standardOutput: nil
    case .file(let path): .file(path)
    case .directory(let directory):
      .chosen(partialIn: directory) { [self] head in try path(in: directory, for: fetch, head) }
    }
  }

  /// Returns the SHA-256 of a downloaded file, in hexadecimal.
  private static func hash(_ downloaded: DownloadResult) async throws -> String {
    if let verified = downloaded.verified, verified.algorithm == .sha256 { return verified.value.hexadecimal }
    return try Digest.ofFile(downloaded.path, .sha256).hexadecimal
  }
}
