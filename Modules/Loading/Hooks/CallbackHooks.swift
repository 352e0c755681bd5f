public import CurlewCore

/// Answers the questions of `ExchangeHooks` by plain closures that run on an executor of the app's choice.
///
/// Delegates, operations and session tasks are asked through it: the request waits while the executor runs the closure, and
/// goes on with what the closure returns. A closure that has not begun when the request is cancelled is not run.
///
/// ```swift
/// var callbacks = CallbackHooks()
/// callbacks.redirect = { proposed, response in isAllowed(proposed.url) ? proposed : nil }
/// callbacks.challenge = { challenge, reply in askThePerson(challenge) { reply(.use($0)) } }
/// settings.hooks = callbacks.hooks(on: .mainActor())
/// ```
public struct CallbackHooks: Sendable {
  /// Answers `ExchangeHooks.redirect`; the request fails with what it throws.
  public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) throws -> Request?)?
  /// Answers `ExchangeHooks.canAnswer`; to throw is to say no.
  public var canAnswer: (@Sendable (ProtectionSpace) throws -> Bool)?
  /// Answers `ExchangeHooks.mayUseStoredCredentials`; to throw is to say no.
  public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) throws -> Bool)?
  /// Answers `ExchangeHooks.challenge` through the reply, which may be kept and used later, from any thread.
  ///
  /// The request fails with what it throws.
  public var challenge: (@Sendable (Challenge, ChallengeReply) throws -> Void)?
  /// Answers `ExchangeHooks.newBody`; where it returns nil, the hook below it is asked.
  public var newBody: (@Sendable (Request) throws -> Body?)?
  /// Answers `ExchangeHooks.storeInCache`; to throw is to refuse.
  public var storeInCache: (@Sendable (_ response: ResponseHead) throws -> CacheAnswer)?
  /// Called when a challenge has its answer, before the answer is passed on.
  package var willAnswerChallenge: (@Sendable () -> Void)?

  /// Creates callbacks that answer nothing.
  public init() {}

  /// Returns hooks that ask these callbacks.
  ///
  /// - Parameters:
  ///   - executor: Where the closures run.
  ///   - others: The hooks that stay where there is no callback.
  public func hooks(on executor: CallbackExecutor, over others: ExchangeHooks = ExchangeHooks()) -> ExchangeHooks {
    let questions = ExecutorQuestions(executor)
    var hooks = others
    if let redirect {
      hooks.redirect = { proposed, response in try await questions.ask { try redirect(proposed, response) } }
    }
    if let canAnswer {
      hooks.canAnswer = { space in (try? await questions.ask { try canAnswer(space) }) ?? false }
    }
    if let mayUseStoredCredentials {
      hooks.mayUseStoredCredentials = { space in
        (try? await questions.ask { try mayUseStoredCredentials(space) }) ?? false
      }
    }
    if let challenge {
      hooks.challenge = { [willAnswerChallenge] asked in
        await questions.ask(willAnswer: willAnswerChallenge) { try challenge(asked, $0) }
      }
    }
    if let newBody {
      hooks.newBody = { request in
        if let body = try await questions.ask({ try newBody(request) }) { return body }
        return try await others.newBody?(request)
      }
    }
    if let storeInCache {
      hooks.storeInCache = { response in (try? await questions.ask { try storeInCache(response) }) ?? .refuse }
    }
    return hooks
  }
}
