import CurlewCore
import CurlewDownload
import CurlewLoading

extension Transfer<TaskProduct>.Configuration {
  /// Creates the configuration of a task's transfer from that of its value.
  ///
  /// - Parameter sink: Checks the heads and stores the body, in place of the plan's own sink.
  static func make<Output>(
    of plan: consuming Transfer<Output>.Configuration, to sink: TaskSink, _ boards: TransferBoards, _ link: TaskLink,
    _ willBegin: (@Sendable (SessionTask, AttemptContext) async throws -> Void)?
  ) -> Transfer<TaskProduct>.Configuration {
    let (build, decode, ask) = (plan.request, plan.decode, plan.shouldRetry)
    var transfer = Transfer<TaskProduct>.Configuration(
      request: { attempt in
        try await sink.prepare(try await link.request(of: attempt, willBegin, build), attempt)
      }, to: sink
    ) { result in
      guard let file = sink.file else { return .value(ValueBox(try await decode(result))) }
      guard case .file(let path) = result.content else { throw CancellationError() }
      return .file(
        DownloadResult(
          path: path, head: result.head, length: file.state.completed, resumedFrom: await file.resumedFrom,
          verified: await file.verifiedDigest))
    }
    transfer.validate = plan.validate
    transfer.shouldRetry = { attempt, product in
      if RangeRestart.isAsked(by: attempt.error) { return .restart }
      guard let ask else { return .byPolicy }
      guard case .value(let box) = product else { return await ask(attempt, nil) }
      return await ask(attempt, (box as? ValueBox<Output>)?.value)
    }
    transfer.asksOnlyAfterFailures = ask == nil || plan.asksOnlyAfterFailures
    transfer.retry = plan.retry
    transfer.pausing = plan.pausing
    transfer.errorBodyLimit = plan.errorBodyLimit
    transfer.isReplayable = plan.isReplayable
    transfer.sharedSettings = plan.sharedSettings
    transfer.boards = boards
    return transfer
  }
}

extension TransferTaskEngine {
  /// Creates the transfer of a data or upload task.
  ///
  /// - Throws: The error of creating the transport; `NetworkError` of kind `hookNeverAsked`.
  convenience init(
    _ plan: consuming Transfer<TaskProduct>.Configuration, _ sink: TaskSink, for core: TaskCore
  ) throws {
    let loader = try core.session.loader()
    let given = plan.sharedSettings
    if let settings = try core.hooks.settings(given?.settings, core, loader) { plan.settings = settings }
    self.init(Transfer(loader, plan), sink)
  }
}

extension DownloadTaskEngine {
  /// Creates the downloader of a download task.
  ///
  /// - Throws: The error of creating the transport; `NetworkError` of kind `hookNeverAsked`.
  convenience init(_ plan: Downloader.Configuration, for core: TaskCore) throws {
    let (link, hooks) = (core.link, core.hooks)
    let loader = try core.session.loader()
    var download = plan
    download.request = { attempt in try await link.request(of: attempt, hooks.willBegin, plan.request) }
    if let tell = hooks.didResumeDownload {
      download.validate = { head, request in
        try await plan.validate?(head, request)
        link.report(head, to: request, tell)
      }
    }
    if let settings = try hooks.settings(plan.settings, core, loader) { download.settings = settings }
    core.reportWrittenData()
    self.init(Downloader(loader, download, on: core.session.disk))
  }
}
