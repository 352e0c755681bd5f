import CurlewCore
import HTTPTypes

/// The inputs of a policy, which make every decision a pure function.
struct RetrySituation: Sendable {
  /// The attempt that ended.
  var attempt: TransferAttempt
  /// The monotonic time.
  var now: ContinuousClock.Instant
  /// The wall clock's time, for dates in `Retry-After`.
  var date: HTTPDate
  /// The deadline of the logical request.
  var deadline: ContinuousClock.Instant?
  /// Whether another request is possible.
  ///
  /// Its body is replayable, or a hook can provide another one.
  var isRepeatable = true
}

/// A policy's proposal.
enum RetryProposal: Hashable, Sendable {
  /// There is no other attempt, whatever the app answers.
  case never
  /// Whether to retry by default, and the delay.
  case open(wants: Bool, wait: Duration)
}

extension RetryPolicy {
  /// Returns the proposal of the limits and conditions, before the app is asked.
  func proposal(in situation: RetrySituation) -> RetryProposal {
    var attempt = situation.attempt
    if startsOverWithProgress, attempt.madeProgress { attempt.retries = 0 }
    guard attempt.retries < limit ?? .max, mayRepeat(in: situation) else { return .never }
    let own = delay.wait(after: attempt, random: random)
    let asked = retryAfter(in: situation)
    let wait = max(own, asked ?? .zero)
    guard allows(wait, in: situation) else { return .never }
    let isTooLong = asked.map { $0 > retryAfterLimit ?? .zero } ?? false
    return .open(wants: !isTooLong && conditions.hold(for: attempt), wait: wait)
  }

  /// Returns whether repeating the request is safe and possible.
  private func mayRepeat(in situation: RetrySituation) -> Bool {
    situation.isRepeatable && !(situation.attempt.error is CancellationError)
      && (repeatsUnsafe || situation.attempt.isSafeToRepeat)
  }

  /// Returns the decision after the app's answer.
  func verdict(_ answer: RetryDecision, _ proposal: RetryProposal, in situation: RetrySituation) -> RetryVerdict {
    if answer == .restart { return mayRepeat(in: situation) ? .restart : .finish }
    guard case .open(let wants, let wait) = proposal else { return .finish }
    let wanted: Duration
    switch answer {
    case .finish, .restart: return .finish
    case .byPolicy:
      guard wants else { return .finish }
      wanted = wait
    case .again: wanted = wait
    case .retry(let own): wanted = own.limited
    }
    return allows(wanted, in: situation) ? .retry(after: wanted) : .finish
  }

  /// Returns whether an attempt after the delay starts within budget and deadline.
  private func allows(_ wait: Duration, in situation: RetrySituation) -> Bool {
    if let budget {
      let elapsed = situation.attempt.transferBegan.duration(to: situation.now)
      guard elapsed + (budgetCountsWait ? wait : .zero) < budget else { return false }
    }
    guard let deadline = situation.deadline else { return true }
    return wait < situation.now.left(until: deadline)
  }

  /// Returns the delay that the server requests (RFC 9110 §10.2.3).
  ///
  /// Nil when it requests none, or the policy ignores it.
  private func retryAfter(in situation: RetrySituation) -> Duration? {
    guard retryAfterLimit != nil, let field = situation.attempt.response?.headerFields[.retryAfter] else { return nil }
    return RetryAfter(field, now: situation.date).map { .seconds($0.delay(from: situation.date)) }
  }
}

/// What a transfer does after an attempt.
enum RetryVerdict: Hashable, Sendable {
  case finish
  case retry(after: Duration)
  case restart

  /// Returns the decision of a transfer without a policy.
  init(withoutPolicy answer: RetryDecision) {
    switch answer {
    case .byPolicy, .finish: self = .finish
    case .again: self = .retry(after: .zero)
    case .retry(let wait): self = .retry(after: wait)
    case .restart: self = .restart
    }
  }
}

extension TransferAttempt {
  /// Whether the server processes a repeated request at most once.
  var isSafeToRepeat: Bool {
    guard let request, maybeProcessed else { return true }
    return request.isIdempotent || IdempotencyKey.of(request) != nil
  }
}
