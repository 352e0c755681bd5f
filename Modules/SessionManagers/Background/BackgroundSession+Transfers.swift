import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewSession
import Dispatch
import FoundationEssentials
import HTTPTypes

/// The life of one transfer: it is added or restored, becomes a task, ends, and is delivered.
extension BackgroundSession {
  /// Stores a new transfer.
  func add(
    _ request: Request, _ work: BackgroundTransfer.Work, _ name: ComponentName<BackgroundHandler>,
    includesSecrets: Bool
  ) async throws -> BackgroundTransfer {
    let handler = try names.component(name)
    let archive = RequestArchive(request)
    if !includesSecrets, handler.complete == nil {
      let stored = try JSONDecoder().decode(RequestArchive.self, from: JSONEncoder().encode(archive))
      guard stored.omittedSecrets.isEmpty else {
        throw NetworkError(
          .invalidRequest, stage: .preparing,
          message:
            "The request has credentials (\(stored.omittedSecrets.joined(separator: ", "))), which are not stored.",
          advice: "Set includesSecrets, or give the handler \(name.rawValue) a function that completes requests.")
      }
    }
    let transfer = try await journal.add { number in
      BackgroundTransfer(
        number: number, handler: name, request: archive, work: work, includesSecrets: includesSecrets)
    }
    state.withLock { _ = $0.pending.insert(transfer.number) }
    return transfer
  }

  /// Continues a transfer of an earlier process.
  func restore(_ transfer: BackgroundTransfer) async {
    let number = transfer.number
    if transfer.result != nil {
      // The handler is not waited for, because it may want this session.
      Task { await deliver(number) }
      return
    }
    if case .download(let target, _) = transfer.work, let file = transfer.publication, await isThere(file) {
      // The process may have ended before it removed the state beside the file.
      await PartialSink(identified(target, transfer), on: manager.session.disk).close(keeping: false)
      return end(number, .file(path: file.path, length: file.length))
    }
    var transfer = transfer
    do {
      if let complete = try names.component(transfer.handler).complete {
        transfer.request = RequestArchive(try await complete(transfer.request))
      }
    } catch {
      return end(number, BackgroundEnd.Result(error))
    }
    let task: SessionTask
    switch transfer.work {
    case .download(let target, let replaces): task = makeDownload(transfer, target, replaces: replaces)
    case .upload(let repeatsUnsafe):
      guard !transfer.hasBegun || repeatsUnsafe || transfer.request.request.isIdempotent else {
        let method = transfer.request.request.method.rawValue
        return end(
          number,
          .failure(
            .connectionLost,
            message: "The process ended while the request was sent. The server may have processed it, and \(method) "
              + "must not be repeated."))
      }
      task = makeUpload(transfer)
    }
    if !transfer.isSuspended { task.resume() }
  }

  /// Returns whether the published file is at its path.
  private func isThere(_ file: BackgroundTransfer.Publication) async -> Bool {
    let status = await journal.status(of: file.path)
    return status?.identity == file.identity && status?.length == file.length
  }

  /// Returns the target, with what identifies the bytes of a file without a name in every process.
  private func identified(_ target: DownloadTarget, _ transfer: BackgroundTransfer) -> DownloadTarget {
    target.identified(by: "background:\(identifier):\(transfer.token ?? "\(transfer.number)")")
  }

  func makeDownload(_ transfer: BackgroundTransfer, _ target: DownloadTarget, replaces: Bool) -> DownloadTask {
    let (number, journal) = (transfer.number, journal)
    let task = manager.downloadTask(
      with: transfer.request.request, to: identified(target, transfer),
      changing: { configuration in
        configuration.file.collision = replaces ? .replace : .fail
        configuration.file.willPublish = { file in
          let publication = BackgroundTransfer.Publication(
            path: file.path, identity: file.identity, length: file.length)
          try await journal.write(.publishing(number, publication))
        }
      }, completion: nil)
    keep(task, number)
    task.onFinish(on: .inline) { [self] outcome in
      switch outcome {
      case .success(let file): end(number, .file(path: file.path, length: file.length))
      case .failure(let error): end(number, BackgroundEnd.Result(error))
      case .cancelled: end(number, .cancelled)
      }
    }
    return task
  }

  func makeUpload(_ transfer: BackgroundTransfer) -> UploadTask<any Sendable> {
    let (number, journal) = (transfer.number, journal)
    var settings = TaskSettings()
    settings.responseSerializer = DataResponseSerializer(
      validation: ResponseValidation(maximumBytes: Self.responseLimit))
    let task = manager.uploadTask(
      with: manager.completed(transfer.request.request), settings: settings, progress: nil, ending: nil,
      willBegin: { try await journal.write(.begun(number)) })
    keep(task, number)
    task.onFinish(on: .inline) { [self, weak task] outcome in
      switch outcome {
      case .success(let body as Data):
        guard let head = task?.response else {
          return end(number, .failure(.internal, message: "The response is lost."))
        }
        end(number, .response(head, body))
      case .success: end(number, .failure(.internal, message: "The response is lost."))
      case .failure(let error): end(number, BackgroundEnd.Result(error))
      case .cancelled: end(number, .cancelled)
      }
    }
    return task
  }

  /// Keeps a task until its end, and stores when the app suspends it.
  private func keep(_ task: SessionTask, _ number: Int) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.tasks[number] = task }
      return state.isClosed
    }
    guard !isClosed else {
      task.cancel()
      return
    }
    task.onStateChange(on: .inline) { [journal] entered in
      switch entered {
      case .suspended: journal.enqueue(.suspended(number, true))
      case .running: journal.enqueue(.suspended(number, false))
      case .canceling, .completed: break
      }
    }
  }

  /// Stores the result of a transfer, and delivers it; a closed session leaves the transfer as it is.
  private func end(_ number: Int, _ result: BackgroundEnd.Result) {
    guard state.withLock({ !$0.isClosed }) else { return }
    Task {
      // If it cannot be stored, the handler gets it all the same, and the next process may get it again.
      try? await journal.write(.ended(number, result))
      await deliver(number, result)
    }
  }

  /// Calls the handler, and removes the transfer.
  private func deliver(_ number: Int, _ result: BackgroundEnd.Result? = nil) async {
    guard let transfer = journal.transfer(number), let result = result ?? transfer.result else { return }
    if let handler = names[transfer.handler] {
      await Self.$delivered.withValue((session: ObjectIdentifier(self), number: number)) {
        await handler.ended(BackgroundEnd(number: number, request: transfer.request.request, result: result))
      }
    }
    try? await journal.write(.delivered(number))
    // The task is released outside the lock.
    let (isLast, _, waiters) = state.withLock { state in
      let task = state.tasks.removeValue(forKey: number)
      let isLast = state.pending.remove(number) != nil && state.pending.isEmpty && !state.isClosed
      return (isLast, task, isLast ? state.waiters.takeAll() : [])
    }
    guard isLast else { return }
    manager.callbackQueue.async { [manager] in manager.sessionDidFinishBackgroundEvents() }
    for waiter in waiters { waiter.resume() }
  }
}
