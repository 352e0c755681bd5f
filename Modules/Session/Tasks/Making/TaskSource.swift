import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import FoundationEssentials

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
      let decode: @Sendable (TransferResult) async throws -> Serializer.Output = { result in
        // The 206 or 416 of a resumption does not describe the whole body; the head that began the body does.
        try serializer.output(of: memory.head ?? result.head, result.content.data ?? Data())
      }
      var plan: Transfer<Serializer.Output>.Configuration =
        switch source {
        case .request(let request): .init(request, to: memory, decode: decode)
        case .builder(let build): .init(request: build, to: memory, decode: decode)
        }
      plan.retry = configuration.retry
      plan.pausing = Self.patience
      try change(&plan)
      if plan.sink as? CheckedSink !== memory {
        plan.sink = CheckedSink(limit: validation.maximumBytes, custom: plan.sink, check)
      }
      let settled = plan
      let core = TaskCore(kind, self.core, hooks, link) { core in try TransferTaskEngine(settled, for: core) }
      core.begin(with: source.request, settled.settings?.userInfo)
      return core
    } catch {
      return TaskCore(kind, self.core, hooks, link) { _ in throw error }
    }
  }

  /// Creates a download task.
  ///
  /// It does not throw: an error becomes that of the task after its first `resume`.
  func makeDownloadTask(
    to target: DownloadTarget, _ hooks: SessionTaskHooks, _ change: (inout Downloader.Configuration) throws -> Void,
    _ request: () throws -> Request
  ) -> DownloadTask {
    let link = TaskLink()
    do {
      let request = try request()
      var plan = Downloader.Configuration(request, to: target)
      plan.pausing = Self.patience
      try change(&plan)
      let settled = plan
      let core = TaskCore(.download, core, hooks, link) { core in try DownloadTaskEngine(settled, for: core) }
      core.begin(with: request, settled.settings?.userInfo)
      return DownloadTask(core, settled.target)
    } catch {
      return DownloadTask(TaskCore(.download, core, hooks, link) { _ in throw error }, target)
    }
  }
}

extension TaskCore {
  /// Sets what is known before the first attempt.
  fileprivate func begin(with request: Request?, _ userInfo: UserInfo?) {
    let userInfo = userInfo ?? session.configuration.settings.userInfo
    state.withLock { state in
      state.originalRequest = request
      state.userInfo = userInfo
    }
  }
}
