import ArgumentParser
import CurlewBatch
import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The command `curlew batch`.
struct DownloadList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Downloads everything in a list, and goes on where it stopped.",
    discussion: """
      LIST has one file on a line: URL, or URL and the file's name, or URL, name and sha-256:HEX, with a tab in between; # \
      begins a comment. A name is a path below the directory. The whole list is checked before anything is fetched.

      The state is kept in a store. Started again with the same store, however the last run ended, it fetches only what is \
      missing: a file counts as complete when the store's record and the file's identity or digest prove it. Another file of \
      that name is kept, and its item fails, unless --replace is given. What an earlier \
      list has put into the store belongs to the batch too. Failed items are tried again by each run.

      EXAMPLES
        curlew batch -O birds urls.txt
        curlew batch -O birds --parallel 16 --workers-per-host 4 --retry 3 urls.txt
        curlew batch -O birds --status
        curlew batch -O /shared/birds --store postgres://worker@db/birds urls.txt
        seq -f 'https://example.com/%g.jpg' 100 | \\
          curlew batch -O birds --store memory -
      """)

  @Argument(help: ArgumentHelp("The list; - is standard input.", valueName: "list"), transform: checkedPath)
  var list: String?
  @OptionGroup(title: "Batch") var batch: BatchArguments
  @OptionGroup(title: "Redirects") var redirects: RedirectArguments
  @OptionGroup(title: "Cookies") var cookies: CookieArguments
  @OptionGroup(title: "Limits") var limits: LimitArguments
  @OptionGroup(title: "Connection") var connection: ConnectionArguments
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Credentials") var credentials: CredentialArguments
  @OptionGroup(title: "Schedule") var schedule: ScheduleArguments
  @OptionGroup(title: "Reporting") var reporting: ReportArguments
  @OptionGroup(title: "Recording") var recording: HARArguments

  func validate() throws {
    if list == nil, !batch.status { throw ValidationError("Give a list of URLs, or --status.") }
    if batch.status, batch.store == .memory {
      throw ValidationError("--store memory ends with its program, so there is no status of it.")
    }
  }

  func run() async throws {
    reporting.apply()
    credentials.warn()
    try await Interruption.guarding {
      if self.batch.status { try await self.showStatus() } else { try await self.carryOut() }
    }
  }

  private func showStatus() async throws {
    let report = BatchReport(store: try await batch.chosenStore.open(.reading))
    if batch.json { try await report.printStatusAsJSON() } else { try await report.printStatus() }
  }

  private func carryOut() async throws {
    guard let list else { return }
    DescriptorLimit.raise()
    let begin = ContinuousClock.now
    try makeDirectory()
    let temporary = FileManager.default.temporaryDirectory.path
    let file = try await checkedList(list, temporary)
    let store = try await batch.chosenStore.open(.writing)
    let outcome: Result<Bool, any Error>
    do {
      try await add(file, to: store)
      outcome = .success(try await work(on: store, since: begin))
    } catch {
      outcome = .failure(error)
    }
    await StoreArgument.close(store)
    guard try outcome.get() else { throw ExitCode.failure }
  }

  private func makeDirectory() throws {
    do throws(FileSystemError) {
      try LocalFileSystem().createDirectory(batch.folder)
    } catch {
      throw ToolFailure("The directory cannot be made", batch.folder, error, advice: "give -O another one")
    }
  }

  /// Opens the list and checks all of it.
  ///
  /// - Throws: `ExitCode` 2 when a line is wrong, after saying which.
  private func checkedList(_ path: String, _ temporary: String) async throws -> ListFile {
    let file: ListFile
    do {
      file = try await ListFile(path, temporary: temporary)
    } catch let error as FileSystemError {
      throw ToolFailure("The list cannot be read", path, error, advice: "check its path")
    }
    let census = try await file.census(temporary: temporary)
    guard census.refused > 0 else { return file }
    for (line, problem) in census.problems { StandardError.write("curlew: \(file.name), line \(line): \(problem).") }
    let more = census.refused - census.problems.count
    if more > 0 { StandardError.write("curlew: \(file.name): \(more) more lines are wrong.") }
    throw ExitCode(2)
  }

  /// Adds the items of a list, a thousand at a time.
  private func add(_ file: ListFile, to store: any BatchStore) async throws {
    var waiting: [(line: Int, item: BatchItem)] = []
    func flush() async throws {
      do {
        try await store.add(waiting.map(\.item))
      } catch let error as BatchError where error.kind == .conflictingItem {
        let line = waiting.first { $0.item.name == error.item }?.line ?? 0
        StandardError.write("curlew: \(file.name), line \(line): \(ListLineProblem.changed(error.item ?? "")).")
        throw ExitCode(2)
      }
      waiting.removeAll(keepingCapacity: true)
    }
    try await file.forEach(refused: { line, problem in
      throw ToolFailure("The list has changed in line \(line): \(problem).")
    }) { line, item in
      waiting.append((line, DownloadItem(item).batchItem))
      if waiting.count == 1_000 { try await flush() }
    }
    try await flush()
  }

  /// Works on a store to the end, and prints what came of it.
  ///
  /// - Returns: Whether all items have succeeded.
  private func work(on store: any BatchStore, since begin: ContinuousClock.Instant) async throws -> Bool {
    let parallel = DescriptorLimit.transfers(schedule.parallel)
    try await store.apply(
      .setRules(
        BatchRules(
          // Each process has its own width; a shared store has no other.
          limit: batch.chosenStore.isShared ? 1_000_000 : parallel, perHost: batch.workersPerHost, ageLimit: nil,
          stopsOnFailure: batch.stopOnFailure)))
    let report = try reporting.report.map { try ReportFile($0) }
    let recorder = try recording.recorder()
    let given = credentials.settings
    let session = try ToolSession(
      connection, cookies: cookies.make(), trust: try await trust.settings(), credentials: given,
      parallel: parallel, trace: recording.trace(reporting.trace, over: connection), recorder: recorder)
    // An item that stalls is tried again later, without keeping its place meanwhile.
    var retry = limits.retryPolicy
    retry?.conditions.kinds?.remove(.idleTimedOut)
    let options = Fetcher.Options(
      maxSize: limits.maxSize?.bytes, hashes: report != nil, resumes: true, retry: retry)
    let fetcher = Fetcher(loader: session.loader, options: options, settings: session.settings)
    let place = try ItemPlace(batch.folder, store: batch.chosenStore.path)
    let kept =
      batch.chosenStore.isShared ? try await BatchRun.reopenEnded(store) : try await BatchRun.reopen(store, at: place)
    let before = try await store.summary()
    let display = ProgressDisplay(
      reporting.style, count: before.total, done: kept, bytes: before.progress.endedBytes, showsBody: false,
      showsEvents: reporting.trace)
    let run = BatchRun(
      store, at: place, replaces: batch.replace, fetcher: fetcher, display: display, parallel: parallel
    ) { url in try request(for: url) }
    // A failure that was printed is not printed again in the summary.
    let told = Mutex<Set<String>>([])
    let outcome: Result<Void, any Error>
    do {
      try await display.during {
        try await run.run { [self] event in
          switch event {
          case .fetched(let result): try report?.append(ReportLine(result: result))
          case .failed(let name, let url, let failure, let wasFetched):
            if !wasFetched { try report?.append(ReportLine(url: url, failure: failure)) }
            guard reporting.printsFailures else { return }
            told.withLock { told in _ = told.insert(name) }
            var failure = failure
            failure.given = GivenOptions(
              retries: limits.retry, request: try? request(for: url), credentials: given, hasPins: trust.hasPins,
              isInsecure: trust.insecure)
            display.say(failure.sentence(for: url, .get, over: connection))
          }
        }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try await session.end()
    try recording.end(recorder)
    if case .failure(is CancellationError) = outcome {
      // In a task of its own, because this one is cancelled.
      let isKept = batch.chosenStore != .memory
      StandardError.write(try await Task { try await BatchReport(store: store).interruption(isKept: isKept) }.value)
    }
    try outcome.get()
    return try await BatchReport(store: store).printSummary(
      kept: kept, bytes: run.bytes, begin.duration(to: .now), told: told.withLock { $0 })
  }

  private func request(for url: String) throws -> Request {
    var request = try Request(.get, url)
    batch.headers.add(to: &request)
    redirects.apply(to: &request)
    limits.apply(to: &request)
    connection.apply(to: &request)
    credentials.settings.apply(to: &request)
    Version.addUserAgent(to: &request)
    batch.headers.removeDefaults(from: &request)
    request.options.delivery = .collected
    return request
  }
}
