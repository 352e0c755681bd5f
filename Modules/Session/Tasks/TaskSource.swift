import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// Where the requests of a task come from.
enum TaskSource: Sendable {
  /// Each attempt sends the same request.
  case request(Request)
  /// A function creates the request of each attempt.
  case builder(@Sendable (AttemptContext) async throws -> Request)

  /// The request, if it is known before the first attempt.
  var request: Request? {
    if case .request(let request) = self { request } else { nil }
  }
}

extension HTTPSession {
  /// How long a suspended task keeps its connection.
  private static var patience: PausePolicy { .release(after: .seconds(10)) }

  /// Creates the core of a data or upload task.
  ///
  /// It does not throw: an error becomes that of the task after its first `resume`.
  func makeTask<Serializer: ResponseSerializer>(
    _ kind: SessionTask.Kind, _ serializer: Serializer, _ hooks: SessionTaskHooks,
    _ change: (inout Transfer<Serializer.Output>.Configuration) throws -> Void, _ source: () throws -> TaskSource
  ) -> TaskCore {
    let link = TaskLink()
    do {
      let source = try source()
      let validation = serializer.validation
      let check: @Sendable (ResponseHead, Bool) throws -> Void = { head, isRest in
        if !isRest, let refusal = validation.check(head) { throw refusal }
      }
      let memory = CheckedSink(limit: validation.maximumBytes, custom: nil, check)
      let used = Guarded(memory)
      let decode: @Sendable (TransferResult) async throws -> Serializer.Output = { result in
        let body = result.content.data ?? Data()
        if result.head.status == .partialContent || result.head.status == .rangeNotSatisfiable {
          // The head of a resumption does not describe the whole body; the head that began the body does.
          return try serializer.output(of: used.withLock { $0.head } ?? result.head, body)
        }
        if let refusal = validation.check(passed: result.head, body) { throw refusal }
        return try serializer.value(of: result.head, body)
      }
      var plan: Transfer<Serializer.Output>.Configuration =
        switch source {
        case .request(let request): .init(request, to: memory, decode: decode)
        case .builder(let build): .init(request: build, to: memory, decode: decode)
        }
      plan.retry = core.configuration.retry
      plan.pausing = Self.patience
      try change(&plan)
      // A sink that `change` has set has another type, since apps cannot make a `CheckedSink`.
      let sink =
        type(of: plan.sink) == CheckedSink.self
        ? memory : CheckedSink(limit: validation.maximumBytes, custom: plan.sink, check)
      used.withLock { $0 = sink }
      let userInfo = plan.sharedSettings?.settings.userInfo ?? core.configuration.settings.userInfo
      let taskSink = TaskSink(sink, link, respond: hooks.didReceiveResponse, tell: hooks.didReceiveData)
      let boards = TransferBoards(core.configuration.settings.clock)
      let transfer = Transfer<TaskProduct>.Configuration.make(
        of: plan, to: taskSink, boards, link, hooks.willBegin)
      return TaskCore(kind, core, hooks, link, boards, source.request, userInfo) { core in
        try core.transfer(transfer)
      }
    } catch {
      return failedTask(kind, hooks, link, error)
    }
  }

  /// Creates a download task.
  ///
  /// It does not throw: an error becomes that of the task after its first `resume`.
  func makeDownloadTask(
    to target: DownloadTarget, _ hooks: SessionTaskHooks, _ change: (inout DownloadConfiguration) throws -> Void,
    _ request: () throws -> Request
  ) -> DownloadTask {
    let link = TaskLink()
    do {
      let request = try request()
      var plan = DownloadConfiguration(request, to: target)
      plan.pausing = Self.patience
      try change(&plan)
      let boards = TransferBoards(core.configuration.settings.clock)
      plan.boards = boards
      let settled = plan
      let userInfo = settled.settings?.userInfo ?? core.configuration.settings.userInfo
      let core = TaskCore(.download, core, hooks, link, boards, request, userInfo) { core in
        try core.transfer(settled)
      }
      return DownloadTask(core, settled.target)
    } catch {
      return DownloadTask(failedTask(.download, hooks, link, error), target)
    }
  }

  /// Creates the core of a task that fails when it is resumed.
  func failedTask(
    _ kind: SessionTask.Kind, _ hooks: SessionTaskHooks, _ link: TaskLink, _ error: any Error
  ) -> TaskCore {
    let boards = TransferBoards(core.configuration.settings.clock)
    return TaskCore(kind, core, hooks, link, boards, nil, UserInfo()) { _ in throw error }
  }
}
