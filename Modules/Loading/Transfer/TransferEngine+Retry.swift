import CurlewCore

extension TransferEngine {
  /// Decides whether to retry: asks the policy, and the app if necessary.
  func decide(_ number: Int) {
    let (plan, attempt, deadline) = state.withLock { state in
      (state.plan, state.attempts.last, state.exchange?.settings.deadline)
    }
    guard let plan, let attempt else {
      send(.decided(number, .finish))
      return
    }
    guard let policy = plan.retry else {
      ask(plan.shouldRetry, attempt) { [self] in send(.decided(number, RetryVerdict(withoutPolicy: $0))) }
      return
    }
    let situation = RetrySituation(
      attempt: attempt, now: clock.now, date: HTTPDate(clock.date), deadline: deadline,
      isRepeatable: plan.isReplayable || newBody(plan) != nil)
    let proposal = policy.proposal(in: situation)
    var asked = attempt
    asked.allowsRetry = proposal != .never
    ask(plan.shouldRetry, asked) { [self] answer in
      var situation = situation
      situation.now = clock.now
      carryOut(policy.verdict(answer, proposal, in: situation), policy, situation)
    }
  }

  /// Asks the app on a task of its own; without a question, the policy decides.
  private func ask(
    _ question: (@Sendable (TransferAttempt) async -> RetryDecision)?, _ attempt: TransferAttempt,
    then: @escaping @Sendable (RetryDecision) -> Void
  ) {
    guard let question else {
      then(.byPolicy)
      return
    }
    setInterlude(Task { then(await question(attempt)) })
  }

  /// Charges or credits the origin's budget, and reports the decision.
  private func carryOut(_ verdict: RetryVerdict, _ policy: RetryPolicy, _ situation: RetrySituation) {
    var verdict = verdict
    let attempt = situation.attempt
    if let budget = policy.originBudget, let origin = try? attempt.request?.origin {
      switch verdict {
      case .finish where !policy.conditions.hold(for: attempt) && attempt.error == nil:
        budget.succeed(origin, at: situation.now)
      case .finish, .restart: break
      case .retry where budget.take(origin, at: situation.now): break
      case .retry: verdict = .finish
      }
    }
    send(.decided(attempt.number, verdict))
  }

  /// Sets the `Idempotency-Key`, which is the same in all attempts.
  func carryKey(_ policy: RetryPolicy, in request: inout Request) {
    let own = IdempotencyKey.of(request)
    var key = state.withLock { $0.idempotencyKey } ?? own
    if key == nil, !request.isIdempotent { key = policy.idempotencyKey?() }
    guard let key else { return }
    state.withLock { $0.idempotencyKey = key }
    if key != own { IdempotencyKey.set(key, in: &request) }
  }
}

/// Whether a server received anything of an attempt, at any of its hops.
final class ServerContact: EventObserver {
  private let answered = Guarded(false)

  /// Returns true: it reads no secrets, and redaction would copy each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    if case .responded = event.kind { answered.withLock { $0 = true } }
  }

  var hasAnswered: Bool { answered.withLock { $0 } }
}

extension TransferAttempt {
  /// Whether the server may have processed what it sent.
  func mayHaveBeenProcessed(wasAnswered: Bool) -> Bool {
    guard request != nil else { return false }
    if response != nil || wasAnswered { return true }
    guard let error = error as? NetworkError else { return true }
    return error.maybeProcessed || error.details.response != nil
  }
}
