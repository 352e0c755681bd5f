import CurlewCore
import CurlewOperations
import FoundationEssentials
import Synchronization

/// Runs many fetches, a limited number at a time.
final class FetchRun: Sendable {
  private let fetcher: Fetcher
  private let display: ProgressDisplay
  private let parallel: Int
  private let lifecycle: SignalLifecycle?
  /// Whether the time of the lifecycle was too short for a fetch.
  private let isCut = Mutex(false)
  /// The number of fetches that have ended, and the bytes of those that were interrupted.
  private let progress = Mutex((ended: 0, kept: Int64(0), lost: Int64(0)))

  init(fetcher: Fetcher, display: ProgressDisplay, parallel: Int, lifecycle: SignalLifecycle? = nil) {
    self.lifecycle = lifecycle
    self.fetcher = fetcher
    self.display = display
    self.parallel = parallel
  }

  /// Starts all fetches in order, and passes on each result when it is available.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, or when the lifecycle left no time for all of them, after
  ///   unfinished fetches were cleaned up.
  func run(_ fetches: [Fetch], each: @Sendable (FetchResult) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: FetchResult.self) { group in
      var rest = fetches.makeIterator()
      func startNext() {
        guard !Task.isCancelled, lifecycle?.isEnding != true, let fetch = rest.next() else { return }
        group.addTask { await self.carryToItsEnd(fetch) }
      }
      for _ in 0..<min(parallel, fetches.count) { startNext() }
      while let result = try await group.next() {
        startNext()
        if !Task.isCancelled, !isCut.withLock({ $0 }) { try each(result) }
      }
      if isCut.withLock({ $0 }) || rest.next() != nil { throw CancellationError() }
    }
    try Task.checkCancellation()
  }

  /// Carries out a fetch, also when the process is asked to end meanwhile, as long as the lifecycle has time.
  private func carryToItsEnd(_ fetch: Fetch) async -> FetchResult {
    guard let lifecycle else { return await carry(fetch) }
    let running = Mutex<Task<FetchResult, Never>?>(nil)
    // Before the fetch begins: a signal in between would find nothing that runs, and leave it no time.
    let work = lifecycle.begin { [self] in
      isCut.withLock { $0 = true }
      running.withLock { $0?.cancel() }
    }
    let task = running.withLock { running in
      let task = Task { await carry(fetch) }
      running = task
      return task
    }
    if isCut.withLock({ $0 }) { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    work.end()
    return result
  }

  private func carry(_ fetch: Fetch) async -> FetchResult {
    let meter = TransferMeter(name: fetch.name)
    display.begin(meter)
    let result = await fetcher.fetch(fetch, meter: meter)
    if result.failure?.isCancelled ?? false {
      display.leave(meter)
      progress.withLock { progress in
        progress.kept += result.keptBytes
        if result.keptBytes == 0 { progress.lost += meter.completed }
      }
    } else {
      display.end(meter, failed: result.failure != nil)
      progress.withLock { $0.ended += 1 }
    }
    return result
  }

  /// Returns a sentence about an interruption: what is done, what was kept, and how to go on.
  func interruption(of fetches: [Fetch]) -> String {
    let (ended, kept, lost) = progress.withLock { $0 }
    var text = "curlew: Interrupted"
    if fetches.count > 1 { text += ": \(ended) of \(fetches.count) done" }
    let one = fetches.count == 1 ? fetches[0] : nil
    guard let first = fetches.first, fetcher.isDownload(first) else {
      guard lost > 0 else { return text + "." }
      let file = fetches.first?.destination == .standardOutput ? "; with -o FILE it would be kept" : ""
      return text + " after \(DecimalText.bytes(lost))\(file)."
    }
    guard kept > 0 || lost > 0 else { return text + "; run the same command to continue." }
    guard kept > 0 else {
      return text
        + "; nothing of an incomplete file could be kept, as when the server sends neither ETag nor Last-Modified."
    }
    let name = one.map(\.name) ?? "incomplete files"
    return text
      + "; \(DecimalText.bytes(kept)) of \(name) are kept\(Self.place(of: one)). Run the same command to continue."
  }

  /// Returns where the bytes of a file are kept; empty where the server chooses its name.
  private static func place(of fetch: Fetch?) -> String {
    guard case .file(let path) = fetch?.destination else { return "" }
    let url = URL(filePath: path)
    return " in "
      + url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).curlew-part").relativePath
  }
}
