import CurlewCore
import CurlewSecurity

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

  /// Whether it has an answer; a notice has none.
  var isQuestion: Bool {
    switch self {
    case .connectionChallenge, .credentialChallenge, .needsNewBody, .willRedirect, .didReceiveResponse,
      .willCacheResponse, .destination:
      true
    default: false
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
