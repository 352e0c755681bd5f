public import CurlewCore
public import CurlewLoading
import CurlewSecurity
public import CurlewSession
public import FoundationEssentials

/// The app's answers to the questions of a manager's tasks, and the notices that it wants.
///
/// They correspond to the blocks of `AFURLSessionManager`, and run one at a time on the manager's `callbackQueue`. A task uses
/// the hooks that are set when it is created. An unset hook costs nothing. An override of the manager's method of the same name
/// takes precedence, and its call of `super` asks the hook.
///
/// ```swift
/// manager.hooks.taskWillRedirect = { manager, task, response, request in isAllowed(request.url) ? request : nil }
/// manager.hooks.taskDidReceiveChallenge = { manager, task, challenge, reply in
///   askThePerson(challenge) { reply(.use($0)) }
/// }
/// ```
///
/// A question that no interceptor of the session's chain asks is the error of the task (`hookNeverAsked`), before anything is
/// sent.
public struct SessionHooks: Sendable {
  /// Called when an invalidated session has ended.
  public var sessionDidBecomeInvalid: (@Sendable (URLSessionManager) -> Void)?
  /// Answers challenges about connections: servers' certificates and requests for a client certificate.
  ///
  /// **It bypasses the security policy**: it is asked about every server, and the certificate that it accepts is used whatever
  /// the policy says. With `.defaultHandling` the policy decides. It needs `ServerTrustAsking` in the chain. To keep the policy,
  /// set `taskDidReceiveChallenge`, which is asked only about certificates that the policy refuses.
  public var sessionDidReceiveChallenge:
    (@Sendable (URLSessionManager, SessionTask, Challenge, ChallengeReply) -> Void)?
  /// Answers challenges with one of the four `ChallengeAnswer`s, now or later.
  ///
  /// It is asked about credentials, and about connections unless `sessionDidReceiveChallenge` is set.
  public var taskDidReceiveChallenge: (@Sendable (URLSessionManager, SessionTask, Challenge, ChallengeReply) -> Void)?
  /// Returns another copy of a body that can only be sent once; nil fails the task.
  public var taskNeedsNewBody: (@Sendable (URLSessionManager, SessionTask, Request) -> Body?)?
  /// Returns the request to send in place of a redirected one.
  ///
  /// Nil stops, and makes the 3xx the response. The response is nil if the URL was only converted to canonical form.
  public var taskWillRedirect: (@Sendable (URLSessionManager, SessionTask, ResponseHead?, Request) -> Request?)?
  /// Receives how many bytes of the request's body were sent: recently, in all, and expected.
  public var taskDidSendBodyData: (@Sendable (URLSessionManager, SessionTask, Int64, Int64, Int64?) -> Void)?
  /// Receives the metrics of a task, before `taskDidComplete`.
  public var taskDidFinishCollectingMetrics: (@Sendable (URLSessionManager, SessionTask, [ExchangeMetrics]) -> Void)?
  /// Called when a task has ended, before its completion handler.
  public var taskDidComplete: (@Sendable (URLSessionManager, SessionTask, (any Error)?) -> Void)?
  /// Decides what happens to the body of a response; the task waits for the answer.
  public var dataTaskDidReceiveResponse:
    (@Sendable (URLSessionManager, SessionTask, ResponseHead) -> ResponseDisposition)?
  /// Called when a data task has become a download, to which its completion handler belongs from then on.
  public var dataTaskDidBecomeDownload: (@Sendable (URLSessionManager, SessionTask, DownloadTask) -> Void)?
  /// Receives each piece of a body; the next one is not read before it returns.
  public var dataTaskDidReceiveData: (@Sendable (URLSessionManager, SessionTask, Data) -> Void)?
  /// Decides whether a cache stores the response.
  public var dataTaskWillCacheResponse: (@Sendable (URLSessionManager, SessionTask, ResponseHead) -> CacheAnswer)?
  /// Returns the path of a downloaded file; nil leaves it to the task's own target.
  ///
  /// It is called when the response was accepted. The directory must be on the file system of the task's target.
  public var downloadTaskDestination: (@Sendable (URLSessionManager, DownloadTask, ResponseHead) -> String?)?
  /// Receives how many bytes of a download were written: recently, in all, and expected.
  public var downloadTaskDidWriteData: (@Sendable (URLSessionManager, DownloadTask, Int64, Int64, Int64?) -> Void)?
  /// Called when a download resumes at an offset, with the expected total.
  public var downloadTaskDidResume: (@Sendable (URLSessionManager, DownloadTask, Int64, Int64?) -> Void)?

  /// Called when the last transfer of a `BackgroundSession` has ended and its handler has returned.
  public var sessionDidFinishBackgroundEvents: (@Sendable (URLSessionManager) -> Void)?

  /// Creates hooks that are all unset.
  public init() {}

  /// Whether no hook is set.
  var isEmpty: Bool {
    let areSet = [
      sessionDidBecomeInvalid != nil, sessionDidReceiveChallenge != nil, taskDidReceiveChallenge != nil,
      taskNeedsNewBody != nil, taskWillRedirect != nil, taskDidSendBodyData != nil,
      taskDidFinishCollectingMetrics != nil, taskDidComplete != nil, dataTaskDidReceiveResponse != nil,
      dataTaskDidBecomeDownload != nil, dataTaskDidReceiveData != nil, dataTaskWillCacheResponse != nil,
      downloadTaskDestination != nil, downloadTaskDidWriteData != nil, downloadTaskDidResume != nil,
      sessionDidFinishBackgroundEvents != nil,
    ]
    return !areSet.contains(true)
  }
}

extension SessionHooks {
  /// Whether a hook about challenges is set.
  var asksAboutChallenges: Bool { sessionDidReceiveChallenge != nil || taskDidReceiveChallenge != nil }
}

/// The questions and notices of a manager, and who answers each of them first.
///
/// This table is the rule of the module; `URLSessionManager` and its tests read it.
enum SessionHook: String, CaseIterable, Sendable {
  case sessionDidBecomeInvalid, connectionChallenge, credentialChallenge, needsNewBody, willRedirect, didSendBodyData
  case didFinishCollectingMetrics, didComplete, didReceiveResponse, didBecomeDownload, didReceiveData, willCacheResponse
  case destination, didWriteData, didResume, didFinishBackgroundEvents

  /// Something that can answer a question, or wants a notice.
  enum HookHandler: String, Sendable {
    /// A subclass's method, which asks the others by calling `super`.
    case override
    /// `SessionHooks.sessionDidReceiveChallenge`.
    case sessionHook
    /// The manager's hook.
    case hook
    /// What the task was created with: a handler of progress or completion, or a target.
    case task
    /// The behaviour without any of them.
    case standard
  }

  /// The handlers in order of precedence.
  ///
  /// The first handler that is set and has an answer wins. A notice goes to every handler, in this order.
  var order: [HookHandler] {
    switch self {
    case .connectionChallenge: [.override, .sessionHook, .hook, .standard]
    case .credentialChallenge, .needsNewBody, .willRedirect, .didReceiveResponse, .willCacheResponse:
      [.override, .hook, .standard]
    case .destination: [.override, .hook, .task]
    case .didSendBodyData, .didWriteData, .didReceiveData: [.task, .override, .hook]
    case .didComplete: [.override, .hook, .task]
    case .sessionDidBecomeInvalid, .didFinishCollectingMetrics, .didBecomeDownload, .didResume,
      .didFinishBackgroundEvents:
      [.override, .hook]
    }
  }

  /// The hook that a challenge belongs to.
  ///
  /// Those of TLS are about a connection, those of HTTP about credentials.
  static func of(_ challenge: Challenge) -> SessionHook {
    let isOfConnection = [ServerTrustAsking.scheme, "client-certificate"].contains(challenge.protectionSpace.scheme)
    return challenge.serverTrust != nil || isOfConnection ? .connectionChallenge : .credentialChallenge
  }

  /// The first handler after the override that can answer.
  func first(where isThere: (HookHandler) -> Bool) -> HookHandler {
    order.first { $0 != .override && isThere($0) } ?? .standard
  }
}
