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
      request: { attempt in try await link.request(of: attempt, willBegin, build) }, to: sink
    ) { result in
      guard let file = sink.file else { return .value(ValueBox(try await decode(result))) }
      return .file(try await file.result(of: result))
    }
    transfer.validate = plan.validate
    if let ask {
      transfer.shouldRetry = { attempt, product in
        guard case .value(let box) = product else { return await ask(attempt, nil) }
        return await ask(attempt, (box as? ValueBox<Output>)?.value)
      }
    }
    transfer.retry = plan.retry
    transfer.pausing = plan.pausing
    transfer.errorBodyLimit = plan.errorBodyLimit
    transfer.isReplayable = plan.isReplayable
    transfer.sharedSettings = plan.sharedSettings
    transfer.boards = boards
    return transfer
  }
}

extension TaskCore {
  /// Creates the transfer of a data or upload task.
  ///
  /// - Throws: The error of creating the transport; `NetworkError` of kind `hookNeverAsked`.
  func transfer(_ plan: consuming Transfer<TaskProduct>.Configuration) throws -> Transfer<TaskProduct> {
    let loader = try session.loader()
    let given = plan.sharedSettings
    if let settings = try hooks.settings(given?.settings, self, loader) { plan.settings = settings }
    return Transfer(loader, plan)
  }

  /// Creates the transfer of a download task.
  ///
  /// - Throws: The error of creating the transport; `NetworkError` of kind `hookNeverAsked`.
  func transfer(_ plan: DownloadConfiguration) throws -> Transfer<TaskProduct> {
    let loader = try session.loader()
    var download = plan
    download.request = { [link, hooks] attempt in try await link.request(of: attempt, hooks.willBegin, plan.request) }
    if let tell = hooks.didResumeDownload {
      download.validate = { [link] head, request in
        try await plan.validate?(head, request)
        link.report(head, to: request, tell)
      }
    }
    if let settings = try hooks.settings(plan.settings, self, loader) { download.settings = settings }
    reportWrittenData()
    return Transfer(loader, download.transfer(into: download.sink(on: session.disk)) { .file($0) })
  }

  /// The file of a download task that has begun, or of a response that has become one.
  var file: PartialSink? {
    switch transfer?.sink {
    case let sink as TaskSink: sink.file
    case let sink as PartialSink: sink
    default: nil
    }
  }
}
