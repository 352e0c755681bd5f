import CurlewCore
import HTTPTypes

/// What a policy looks at; with it every decision is a pure function.
struct RetrySituation: Sendable {
  /// The attempt that ended.
  var attempt: TransferAttempt
  /// The monotonic time.
  var now: ContinuousClock.Instant
  /// The wall clock's time, which dates in `Retry-After` are compared with.
  var date: HTTPDate
  /// When the logical request must be over.
  var deadline: ContinuousClock.Instant?
  /// Whether another request can be made at all: its body is replayable, or there is someone to ask for another.
  var isRepeatable = true
}

/// What a policy proposes.
enum RetryProposal: Hashable, Sendable {
  /// Nothing the app says makes another attempt.
  case never
  /// To try again, or not to, and how long to wait if so.
  case open(wants: Bool, wait: Duration)
}

extension RetryPolicy {
  /// What follows from the limits and conditions, before the app is asked.
  func proposal(in situation: RetrySituation) -> RetryProposal {
    let attempt = situation.attempt
    guard attempt.retries < limit ?? .max, situation.isRepeatable, !(attempt.error is CancellationError) else {
      return .never
    }
    guard repeatsUnsafe || attempt.isSafeToRepeat else { return .never }
    let own = delay.wait(after: attempt, random: random)
    let asked = retryAfter(in: situation)
    let wait = max(own, asked ?? .zero)
    guard allows(wait, in: situation) else { return .never }
    let isTooLong = asked.map { $0 > retryAfterLimit ?? .zero } ?? false
    return .open(wants: !isTooLong && conditions.hold(for: attempt), wait: wait)
  }

  /// What becomes of the app's answer.
  func verdict(_ answer: RetryDecision, _ proposal: RetryProposal, in situation: RetrySituation) -> RetryVerdict {
    guard case .open(let wants, let wait) = proposal else { return .finish }
    let wanted: Duration
    switch answer {
    case .finish: return .finish
    case .byPolicy:
      guard wants else { return .finish }
      wanted = wait
    case .again: wanted = wait
    case .retry(let own): wanted = TransferLimits.sensible(own)
    }
    return allows(wanted, in: situation) ? .retry(after: wanted) : .finish
  }

  /// Whether an attempt after such a wait begins within the budget and before the deadline.
  private func allows(_ wait: Duration, in situation: RetrySituation) -> Bool {
    if let budget {
      let elapsed = situation.attempt.transferBegan.duration(to: situation.now)
      guard elapsed + (budgetCountsWait ? wait : .zero) < budget else { return false }
    }
    guard let deadline = situation.deadline else { return true }
    return wait < situation.now.duration(to: deadline)
  }

  /// How long the server asks to wait (RFC 9110 §10.2.3); nil when it does not, or it is not to be heeded.
  private func retryAfter(in situation: RetrySituation) -> Duration? {
    guard retryAfterLimit != nil, let field = situation.attempt.response?.headerFields[.retryAfter] else { return nil }
    return RetryAfter(field, now: situation.date).map { .seconds($0.delay(from: situation.date)) }
  }
}

/// What a transfer does after an attempt.
enum RetryVerdict: Hashable, Sendable {
  case finish
  case retry(after: Duration)

  /// The verdict where there is no policy.
  init(withoutPolicy answer: RetryDecision) {
    switch answer {
    case .byPolicy, .finish: self = .finish
    case .again: self = .retry(after: .zero)
    case .retry(let wait): self = .retry(after: wait)
    }
  }
}

extension TransferAttempt {
  /// Whether the server acts at most once when the request is sent again.
  var isSafeToRepeat: Bool {
    guard let request, maybeProcessed else { return true }
    return request.isIdempotent || IdempotencyKey.of(request) != nil
  }
}
