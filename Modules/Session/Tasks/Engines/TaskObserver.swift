import CurlewCore
import CurlewLoading

/// Receives the requests of redirects, and the number of sent bytes, from a transport's events.
final class TaskObserver: EventObserver {
  private let link: TaskLink
  private let tell: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?
  private let report = Guarded(UploadReport())

  init(_ link: TaskLink, _ tell: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?) {
    self.link = link
    self.tell = tell
  }

  /// True: the task's own requests are not secrets to it, and redaction would copy each of them.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sending(let request):
      if tell != nil { report.withLock { $0.restart() } }
      if event.hop > 0 { link.core?.note(redirected: request, in: event.attempt) }
    case .sent(let bytes, let expected):
      guard let tell, let task = link.task else { return }
      let news = report.withLock { report in
        _ = report.take(bytes, expected: expected)
        return report.tell()
      }
      if let news { tell(task, news.bytes, news.total, news.expected) }
    default: break
    }
  }
}
