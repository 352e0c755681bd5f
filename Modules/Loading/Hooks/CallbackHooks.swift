public import CurlewCore

/// Answers `ExchangeHooks` with closures that run on the app's executor.
///
/// Delegates, operations and session tasks are asked through it: the request waits while the executor runs the closure, and
/// continues with the result. If the request is cancelled before a closure has started, the closure is not run.
///
/// ```swift
/// var callbacks = CallbackHooks()
/// callbacks.redirect = { proposed, response in isAllowed(proposed.url) ? proposed : nil }
/// callbacks.challenge = { challenge, reply in askThePerson(challenge) { reply(.use($0)) } }
/// settings.hooks = callbacks.hooks(on: .mainActor())
/// ```
public struct CallbackHooks: Sendable {
  /// Answers `ExchangeHooks.redirect`; an error fails the request.
  public var redirect: (@Sendable (_ proposed: Request, _ response: ResponseHead?) throws -> Request?)?
  /// Answers `ExchangeHooks.canAnswer`; an error means false.
  public var canAnswer: (@Sendable (ProtectionSpace) throws -> Bool)?
  /// Answers `ExchangeHooks.mayUseStoredCredentials`; an error means false.
  public var mayUseStoredCredentials: (@Sendable (ProtectionSpace) throws -> Bool)?
  /// Answers `ExchangeHooks.challenge` through the reply.
  ///
  /// The reply may be kept and used later, from any thread. An error fails the request. The answers are remembered for requests with the
  /// same closure.
  public var challenge: (@Sendable (Challenge, ChallengeReply) throws -> Void)? {
    didSet { answerer = challenge == nil ? nil : .new() }
  }
  /// Whose answers `challenge` gives; nil without it.
  package var answerer: ChallengeAnswerer?
  /// Answers `ExchangeHooks.newBody`; nil asks the hook that it replaced.
  public var newBody: (@Sendable (Request) throws -> Body?)?
  /// Answers `ExchangeHooks.storeInCache`; an error means not to store.
  public var storeInCache: (@Sendable (_ response: ResponseHead) throws -> CacheAnswer)?
  /// Called when a challenge has its answer, before the answer is delivered.
  package var willAnswerChallenge: (@Sendable () -> Void)?

  /// Creates callbacks that are all unset.
  public init() {}

  /// Returns hooks that call these callbacks.
  ///
  /// - Parameters:
  ///   - executor: Where the closures run.
  ///   - others: The hooks to keep where no callback is set.
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
      hooks.answerer = answerer
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
