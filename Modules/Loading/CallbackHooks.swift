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

/// Receives the answer to a challenge, from any thread, now or later.
///
/// Only the first answer counts, and only while the request still waits for it. A reply that is released without an
/// answer means `defaultHandling`.
public final class ChallengeReply: Sendable {
  private let pending: PendingAnswer<ChallengeAnswer>
  private let willAnswer: (@Sendable () -> Void)?

  /// Creates a reply.
  ///
  /// - Parameter willAnswer: Called before an answer is delivered, so that a failure that follows at once finds the challenge
  ///   closed.
  init(_ pending: PendingAnswer<ChallengeAnswer>, willAnswer: (@Sendable () -> Void)?) {
    self.pending = pending
    self.willAnswer = willAnswer
  }

  /// Answers the challenge.
  public func callAsFunction(_ answer: ChallengeAnswer) {
    guard !pending.isGiven else { return }
    willAnswer?()
    pending.give(answer)
  }

  deinit { callAsFunction(.defaultHandling) }
}

/// Asks questions on an executor and waits for their answers.
package struct ExecutorQuestions: Sendable {
  private let executor: CallbackExecutor

  package init(_ executor: CallbackExecutor) { self.executor = executor }

  /// Runs a closure on the executor and returns its result.
  ///
  /// A closure that has not started when the waiting task is cancelled is not run.
  ///
  /// - Throws: The error of the closure; `CancellationError` when the waiting task is cancelled.
  package func ask<Answer: Sendable>(_ question: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    let pending = PendingAnswer<Result<Answer, any Error>>()
    executor.run {
      guard !pending.isGiven else { return }
      pending.give(Result(catching: question))
    }
    return try await pending.wait(otherwise: .failure(CancellationError())).get()
  }

  /// Runs a closure on the executor and waits for the answer to its reply.
  ///
  /// - Parameter willAnswer: Called before the first answer is delivered.
  /// - Returns: The answer; `.cancel` with the error of the closure, or with `CancellationError` when the waiting task is
  ///   cancelled.
  package func ask(
    willAnswer: (@Sendable () -> Void)?, _ question: @escaping @Sendable (ChallengeReply) throws -> Void
  ) async -> ChallengeAnswer {
    let pending = PendingAnswer<ChallengeAnswer>()
    executor.run {
      guard !pending.isGiven else { return }
      // Hold the reply beyond the closure, because a released reply answers by default.
      let reply = ChallengeReply(pending, willAnswer: willAnswer)
      do {
        try question(reply)
      } catch {
        reply(.cancel(error))
      }
    }
    return await pending.wait(otherwise: .cancel(CancellationError()))
  }
}
