import CurlewCore
import CurlewDownload
import CurlewLoading

extension TransferTaskEngine {
  /// Creates the transfer of a data or upload task.
  ///
  /// - Throws: The error of creating the transport; `NetworkError` of kind `hookNeverAsked`.
  convenience init<Value>(_ plan: Transfer<Value>.Configuration, for core: TaskCore) throws {
    let (link, hooks) = (core.link, core.hooks)
    let loader = try core.session.loader()
    let sink = TaskSink(plan.sink, link, hooks)
    var transfer = Transfer<TaskProduct>.Configuration(
      request: { attempt in
        try await sink.prepare(try await link.request(of: attempt, hooks.willBegin, plan.request), attempt)
      }, to: sink
    ) { result in
      guard let file = sink.file else { return .value(ValueBox(try await plan.decode(result))) }
      guard case .file(let path) = result.content else { throw CancellationError() }
      return .file(
        DownloadResult(
          path: path, head: result.head, length: file.state.completed, resumedFrom: await file.resumedFrom,
          verified: await file.verifiedDigest))
    }
    transfer.validate = plan.validate
    transfer.shouldRetry = { attempt, product in
      if RangeRestart.isAsked(by: attempt.error) { return .restart }
      guard let ask = plan.shouldRetry else { return .byPolicy }
      guard case .value(let box) = product else { return await ask(attempt, nil) }
      return await ask(attempt, (box as? ValueBox<Value>)?.value)
    }
    transfer.retry = plan.retry
    transfer.pausing = plan.pausing
    transfer.errorBodyLimit = plan.errorBodyLimit
    transfer.isReplayable = plan.isReplayable
    transfer.boards = core.boards
    transfer.settings = try hooks.settings(plan.settings, core, loader)
    self.init(Transfer(loader, transfer), sink)
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
    download.boards = core.boards
    download.settings = try hooks.settings(plan.settings, core, loader)
    core.reportWrittenData()
    self.init(Downloader(loader, download, on: core.session.disk))
  }
}
