public import CurlewCore
public import CurlewDownload
public import CurlewLoading
import CurlewRequests
public import FoundationEssentials

/// What a manager or an app has to say about one task.
///
/// All hooks are nil by default, and a nil hook costs nothing. Each receives the task first. The hooks of a task are captured
/// when it is made.
///
/// Asynchronous hooks are awaited: the request waits for them. The others are called at once and in order, on any thread, and
/// must return at once; a manager passes them on to its own queue. After `didFinish`, no hook is called, except that one that is
/// running when the task is cancelled runs to its end. Hooks are not called for a task that the app has released.
///
/// ```swift
/// var hooks = SessionTaskHooks()
/// hooks.didReceiveResponse = { task, head in
///   head.expectedLength ?? 0 < 1 << 20 ? .allow : .becomeDownload(.directory("/srv/documents"))
/// }
/// hooks.didFinish = { task, error in print(task.identifier, error == nil ? "done" : "failed") }
/// ```
public struct SessionTaskHooks: Sendable {
  // MARK: Questions of the exchange

  /// Called before a redirect is followed; see `ExchangeHooks.redirect`.
  public var redirect:
    (@Sendable (SessionTask, _ proposed: Request, _ response: ResponseHead?) async throws -> Request?)?
  /// Decides whether challenges can be answered; see `ExchangeHooks.canAnswer`.
  public var canAnswer: (@Sendable (SessionTask, ProtectionSpace) async -> Bool)?
  /// Decides about known credentials; see `ExchangeHooks.mayUseStoredCredentials`.
  public var mayUseStoredCredentials: (@Sendable (SessionTask, ProtectionSpace) async -> Bool)?
  /// Answers a challenge; see `ExchangeHooks.challenge`.
  ///
  /// Its answers are remembered for the tasks with the same closure, so it must not choose a user by the task.
  public var challenge: (@Sendable (SessionTask, Challenge) async -> ChallengeAnswer)? {
    didSet { answerer = challenge == nil ? nil : .new() }
  }
  /// Whose answers `challenge` gives; nil without it.
  package var answerer: ChallengeAnswerer?
  /// Provides another copy of a body that can only be sent once.
  ///
  /// Nil asks the session's own hook; see `ExchangeHooks.newBody`.
  public var newBody: (@Sendable (SessionTask, Request) async throws -> Body?)?
  /// Called before a response is cached; see `ExchangeHooks.storeInCache`.
  public var storeInCache: (@Sendable (SessionTask, ResponseHead) async -> CacheAnswer)?

  // MARK: Steps of the task

  /// Called before the request of each attempt is created; an error fails the attempt.
  public var willBegin: (@Sendable (SessionTask, AttemptContext) async throws -> Void)?
  /// Decides what happens with the response of a data or upload task, before it is validated.
  ///
  /// It is called in each attempt with the final head, except for the answer to a request for the missing bytes. An error fails
  /// the attempt.
  public var didReceiveResponse: (@Sendable (SessionTask, ResponseHead) async throws -> ResponseDisposition)?
  /// Called when a data task has become a download, before the data task ends.
  ///
  /// The data task then ends with an error of kind `becameDownload`.
  public var didBecomeDownload: (@Sendable (SessionTask, DownloadTask) -> Void)?
  /// Called with each piece of the body of a data or upload task.
  ///
  /// The body waits for it, and is collected as well. An error fails the attempt.
  public var didReceiveData: (@Sendable (SessionTask, Data) async throws -> Void)?
  /// Called while the body is sent.
  ///
  /// It receives the bytes since the last call, all so far, and the expected number; nil if unknown.
  public var didSendBodyData: (@Sendable (SessionTask, _ recent: Int64, _ sent: Int64, _ expected: Int64?) -> Void)?
  /// Called when a server continues a download at an offset above 0.
  ///
  /// It receives the offset and the length of the whole file; nil if unknown.
  public var didResumeDownload: (@Sendable (DownloadTask, _ offset: Int64, _ total: Int64?) -> Void)?
  /// Called while a download stores its file, at most ten times per second.
  ///
  /// It receives the bytes since the last call, all so far, and the length of the whole file; nil if unknown.
  public var didWriteData: (@Sendable (DownloadTask, _ recent: Int64, _ written: Int64, _ total: Int64?) -> Void)?
  /// Called after each change of the state.
  public var didChangeState: (@Sendable (SessionTask, SessionTaskState) -> Void)?
  /// Called once with the measurements, before `didFinish`.
  ///
  /// Those of a cancelled task may lack the sending that was cancelled.
  public var didCollectMetrics: (@Sendable (SessionTask, [ExchangeMetrics]) -> Void)?
  /// Called once with the error, before the handlers of the end; nil for a success.
  public var didFinish: (@Sendable (SessionTask, (any Error)?) -> Void)?

  /// Creates hooks that are all unset.
  public init() {}
}

/// What happens with the response of a data task.
public enum ResponseDisposition: Sendable {
  /// The response is validated, and its body is collected.
  case allow
  /// The task is cancelled.
  case cancel
  /// The body becomes a file, and a download task continues in place of the data task.
  ///
  /// The response must be successful, so that the body of an error never becomes a file.
  case becomeDownload(DownloadTarget, PartialSink.Options = PartialSink.Options())
}

extension SessionTaskHooks {
  /// Returns the settings of a task's exchange; nil if those of its configuration apply unchanged.
  ///
  /// - Throws: `NetworkError` of kind `hookNeverAsked` for a hook that no interceptor of the chain asks.
  func settings(
    _ given: @autoclosure () -> ExchangeSettings?, _ core: TaskCore, _ loader: Loader
  ) throws(NetworkError) -> ExchangeSettings? {
    let own = exchangeHooks(core.link)
    let userInfo = core.state.withLock { $0.hasNewUserInfo ? $0.userInfo : nil }
    let observes = didSendBodyData != nil || loader.asks.contains(.redirect)
    guard userInfo != nil || observes || !own.names.isEmpty else { return nil }
    // The check is the loader's; what is given replaces the loader's settings.
    let checked = try loader.settings(answering: own)
    let given = given()
    var settings = given ?? checked
    if given != nil { settings.hooks = own.over(settings.hooks) }
    if let userInfo { settings.userInfo = userInfo }
    if observes { settings.observers.append(TaskObserver(core.link, didSendBodyData)) }
    return settings
  }

  /// Returns the questions of the exchange, asked with the task.
  ///
  /// A task that was released is cancelled, so it gets the answers of a cancelled request.
  func exchangeHooks(_ link: TaskLink) -> ExchangeHooks {
    var hooks = ExchangeHooks()
    if let redirect {
      hooks.redirect = { proposed, response in
        guard let task = link.task else { throw CancellationError() }
        return try await redirect(task, proposed, response)
      }
    }
    if let canAnswer {
      hooks.canAnswer = { space in
        guard let task = link.task else { return false }
        return await canAnswer(task, space)
      }
    }
    if let mayUseStoredCredentials {
      hooks.mayUseStoredCredentials = { space in
        guard let task = link.task else { return false }
        return await mayUseStoredCredentials(task, space)
      }
    }
    if let challenge {
      hooks.challenge = { asked in
        guard let task = link.task else { return .cancel(CancellationError()) }
        return await challenge(task, asked)
      }
      hooks.answerer = answerer
    }
    if let newBody {
      hooks.newBody = { request in
        guard let task = link.task else { throw CancellationError() }
        return try await newBody(task, request)
      }
    }
    if let storeInCache {
      hooks.storeInCache = { response in
        guard let task = link.task else { return .refuse }
        return await storeInCache(task, response)
      }
    }
    return hooks
  }
}

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
