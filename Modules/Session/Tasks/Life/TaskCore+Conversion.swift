public import CurlewCore
import CurlewDownload
import CurlewLoading

extension NetworkError.Kind {
  /// The response of a data task became a download, which another task continues.
  public static let becameDownload = NetworkError.Kind(rawValue: "became-download")
}

extension TaskCore {
  /// Hands the transfer over to a new download task.
  ///
  /// - Parameter attach: Makes the transfer store the response in the file.
  /// - Returns: Whether the task had not ended.
  func becomeDownload(to target: DownloadTarget, _ attach: () -> Void) -> Bool {
    let conversion = state.withLock { state -> (SessionTaskState, Transfer<TaskProduct>, [TaskLife.Effect])? in
      let before = state.life.state
      guard let transfer = state.transfer, let effects = state.life.handle(.converted) else { return nil }
      state.outcome = .failure(
        NetworkError(
          .becameDownload, stage: .validating,
          message: "The response became a download; the download task in didBecomeDownload has the outcome."))
      return (before, transfer, effects)
    }
    guard let (before, transfer, effects) = conversion else { return false }
    attach()
    let core = TaskCore(continuing: self, in: before, transfer)
    let download = DownloadTask(core, target)
    if before == .running { core.state.withLock { $0.held = download } }
    link.core = core
    // The transfer may have ended before the link led to the download.
    transfer.onEnd { [link] outcome in link.core?.settle(outcome) }
    core.reportWrittenData()
    // The hook comes after what was asked of the data task so far, such as a pause.
    enqueue(
      .call { [self] in
        if let tell = hooks.didBecomeDownload, let task { tell(task, download) }
      })
    enqueue(.effects(effects))
    return true
  }
}
