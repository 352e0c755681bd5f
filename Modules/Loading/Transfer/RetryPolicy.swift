public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Decides whether, when and how often a transfer retries.
///
/// It is a value that `Transfer` executes. An attempt includes everything up to the decoded value, so a truncated body,
/// a wrong digest and a text that cannot be parsed are failures of an attempt, like a refused connection. After a
/// failure or a failing status, another attempt follows when all of these conditions hold:
/// - `limit` allows another attempt, and its start, after the delay, is within `budget` and the exchange's deadline.
/// - `conditions` include the status or the error, or the app's own `shouldRetry` asks for it.
/// - Repeating is safe: the method is idempotent, the request has an `Idempotency-Key`, or the server has certainly not
///   seen it (`TransferAttempt.maybeProcessed`). `repeatsUnsafe` lifts this condition.
/// - The body can be sent again.
/// - `originBudget`, if there is one, has a token for the server.
///
/// The delay is the longer one of `delay` and the server's `Retry-After`. Cancelling ends it at once.
///
/// ```swift
/// var configuration = Transfer.Configuration(request, to: .memory(limit: 1 << 20)) { $0 }
/// configuration.retry = RetryPolicy(limit: 3, budget: .seconds(60))
/// ```
public struct RetryPolicy: Sendable {
  /// How many attempts may follow the first, 0 or more; nil means no limit.
  ///
  /// Resuming a paused transfer does not count.
  public var limit: Int?
  /// Whether an attempt that made progress resets the count of retries.
  ///
  /// `limit` and `delay` then count the retries since the last progress, so that a long transfer over a bad line
  /// continues as long as it advances. It is meant for sinks that continue at an offset.
  public var startsOverWithProgress = false
  /// The total time from the start of the first attempt; nil means no limit.
  ///
  /// It limits when another attempt may start, on a monotonic clock. A running attempt is not interrupted; use timeouts
  /// and the exchange's deadline for that. Paused time counts.
  public var budget: Duration?
  /// Whether the delay counts against the budget; false compares before the delay.
  public var budgetCountsWait = true
  /// The delay before a retry.
  public var delay: RetryDelay
  /// The longest `Retry-After` to wait for; a longer one ends the transfer.
  ///
  /// Nil ignores the field. 300 seconds by default.
  public var retryAfterLimit: Duration?
  /// The statuses and errors that are retried.
  public var conditions = RetryConditions()
  /// Whether to repeat requests that the server may then process twice.
  public var repeatsUnsafe = false
  /// Creates the `Idempotency-Key` for methods that are not idempotent.
  ///
  /// Nil adds none.
  ///
  /// It is called once for each transfer, and all attempts carry the same key. A key that the app set in the first
  /// attempt is kept for all.
  public var idempotencyKey: (@Sendable () -> String)?
  /// The shared limit for retries to one server; nil means none.
  public var originBudget: RetryBudget?
  /// The source of randomness, 0 to 1; by default the system's generator.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: How many attempts may follow the first; nil means no limit, and a negative value none.
  ///   - delay: The delay before a retry.
  ///   - budget: The total time; nil means no limit.
  ///   - retryAfterLimit: The longest `Retry-After` to wait for; nil ignores the field.
  public init(
    limit: Int? = 3, delay: RetryDelay = .exponential(first: .milliseconds(500), limit: .seconds(30)),
    budget: Duration? = nil, retryAfterLimit: Duration? = .seconds(300)
  ) {
    self.limit = limit
    self.delay = delay
    self.budget = budget
    self.retryAfterLimit = retryAfterLimit
  }

  /// The limit counts what follows the first attempt.
  @available(*, unavailable, message: "Write RetryPolicy(limit: 2), which allows two attempts after the first")
  public init(maxAttempts: Int) { self.init() }

  /// The same.
  @available(*, unavailable, message: "Write RetryPolicy(limit: 2), which allows two attempts after the first")
  public init(maximumAttempts: Int) { self.init() }

  /// The limit has a label.
  @available(*, unavailable, message: "Write RetryPolicy(limit: 2), which allows two attempts after the first")
  public init(maxRetries: Int) { self.init() }

  /// The same.
  @available(*, unavailable, message: "Write RetryPolicy(limit: 2), which allows two attempts after the first")
  public init(_ limit: Int) { self.init() }
}

/// The app's answer to the question whether to retry.
public enum RetryDecision: Sendable, Hashable {
  /// Follow the policy; without a policy the outcome is final.
  case byPolicy
  /// The attempt's outcome is final.
  case finish
  /// Retry after the policy's delay; without a policy at once.
  case again
  /// Retry after the app's own delay; zero and negative values mean at once.
  case retry(after: Duration)
  /// Start over at once with a different request.
  ///
  /// For example, a file has changed or a link has expired.
  ///
  /// It is not a retry and uses none of the policy's limits, budget or tokens. With a policy it is only made if
  /// repeating is safe and the body can be sent again. At most eight may follow each other without receiving any bytes
  /// of a body; after that the outcome is final.
  case restart
}

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

extension RetryPolicy {
  /// Creates the policy of FWURLSessionManager 4.0 to 4.8, with an interval.
  ///
  /// Every error and every status except 2xx is retried, `Retry-After` is ignored, and the delay does not count against
  /// the budget. Four faults of the original are corrected: cancellation is never retried and ends the transfer at any
  /// moment; the budget is measured with a monotonic clock; requests that the server may process twice are not repeated
  /// by default; and only the first answer to a question counts.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; a negative value means none.
  ///   - retryInterval: The delay.
  ///   - timeoutInterval: The time from the start of the first attempt, after which no other attempt begins. It interrupts no
  ///     attempt; set `Timeouts.total` for that. Zero and negative values mean no limit.
  ///   - repeatsUnsafe: Whether unsafe methods such as POST are repeated as well.
  public static func urlSessionManager(
    retryCount: Int, retryInterval: Duration, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false
  ) -> RetryPolicy {
    var policy = RetryPolicy(
      limit: max(0, retryCount), delay: .fixed(retryInterval), budget: timeoutInterval > .zero ? timeoutInterval : nil)
    policy.budgetCountsWait = false
    policy.retryAfterLimit = nil
    policy.conditions = .anyFailure
    policy.repeatsUnsafe = repeatsUnsafe
    return policy
  }

  /// Creates the policy of FWURLSessionManager 4.9 and later, with a block.
  ///
  /// It differs from the one with an interval in two points: the delay counts against the budget, and a negative count
  /// means no limit.
  ///
  /// - Parameters:
  ///   - retryCount: How many attempts may follow the first; a negative value means no limit.
  ///   - timeoutInterval: The time from the start of the first attempt, after which no other attempt begins. It interrupts no
  ///     attempt; set `Timeouts.total` for that. Zero and negative values mean no limit.
  ///   - repeatsUnsafe: Whether unsafe methods such as POST are repeated as well.
  ///   - retryInterval: Returns the delay after this number of attempts, 1 or more.
  public static func urlSessionManager(
    retryCount: Int, timeoutInterval: Duration = .zero, repeatsUnsafe: Bool = false,
    retryInterval: @escaping @Sendable (_ requestCount: Int) -> Duration
  ) -> RetryPolicy {
    var policy = urlSessionManager(
      retryCount: retryCount, retryInterval: .zero, timeoutInterval: timeoutInterval, repeatsUnsafe: repeatsUnsafe)
    policy.limit = retryCount < 0 ? nil : retryCount
    policy.delay = .custom { attempt in retryInterval(attempt.retries + 1) }
    policy.budgetCountsWait = true
    return policy
  }
}

/// How long a transfer waits before it tries again.
public enum RetryDelay: Sendable {
  /// The same delay each time; zero and negative values mean no delay.
  case fixed(Duration)
  /// A random delay between zero and a bound that doubles with each retry.
  ///
  /// The bound is `first`, then twice that, and so on, up to `limit`.
  ///
  /// This keeps clients that failed together from retrying together ("full jitter").
  case exponential(first: Duration, limit: Duration)
  /// A delay from the app, based on the attempt that ended.
  ///
  /// Its `retries` is 0 at first.
  case custom(@Sendable (TransferAttempt) -> Duration)

  /// Returns the delay after an attempt, 0 to 68 years.
  func wait(after attempt: TransferAttempt, random: () -> Double) -> Duration {
    switch self {
    case .fixed(let duration): return duration.limited
    case .exponential(let first, let limit):
      let bound = Self.bound(first, limit, retries: attempt.retries)
      let chance = random()
      return chance >= 0 && chance <= 1 ? bound * chance : bound
    case .custom(let wait): return wait(attempt).limited
    }
  }

  /// Returns `first` doubled once per retry, at most `limit`.
  private static func bound(_ first: Duration, _ limit: Duration, retries: Int) -> Duration {
    let limit = limit.limited
    var bound = first.limited
    var left = retries
    while left > 0, bound > .zero, bound < limit {
      bound += bound
      left -= 1
    }
    return min(bound, limit)
  }
}

/// The statuses and errors after which a transfer is retried.
public struct RetryConditions: Sendable, Hashable {
  /// The statuses; by default `temporaryStatuses`.
  public var statuses: Set<Int> = Self.temporaryStatuses
  /// The kinds of `NetworkError`; nil means every kind.
  ///
  /// For a rejected status only `statuses` counts. An error of a sink that is not a `NetworkError` counts as
  /// `sinkFailed`.
  public var kinds: Set<NetworkError.Kind>? = Self.temporaryKinds
  /// Whether other errors count, such as those of decoders, but not of sinks.
  public var includesOtherErrors = true

  /// Creates conditions for temporary failures.
  public init() {}

  /// Statuses of temporary failures.
  ///
  /// 408 (RFC 9110 §15.5.9), 429 (RFC 6585 §4) and 5xx without 501, 505 and 511, which another attempt does not mend.
  public static let temporaryStatuses = NetworkError.temporaryStatuses

  /// Kinds of temporary failures.
  ///
  /// Cancellation, trust failures and invalid requests are not among them.
  public static let temporaryKinds = NetworkError.temporaryKinds

  /// Every error, and every status except 2xx.
  public static var anyFailure: RetryConditions {
    var conditions = RetryConditions()
    conditions.statuses = Set(0...999).subtracting(200...299)
    conditions.kinds = nil
    return conditions
  }

  /// Returns whether the conditions apply to the outcome of an attempt.
  func hold(for attempt: TransferAttempt) -> Bool {
    switch attempt.error {
    case nil: attempt.response.map { statuses.contains($0.status.code) } ?? false
    case is CancellationError: false
    case let error as NetworkError: hold(for: error, attempt)
    default: attempt.isSinkFailure ? kinds?.contains(.sinkFailed) ?? true : includesOtherErrors
    }
  }

  private func hold(for error: NetworkError, _ attempt: TransferAttempt) -> Bool {
    if error.kind == .unacceptableStatus, let head = attempt.response ?? error.details.response {
      return statuses.contains(head.status.code)
    }
    return kinds?.contains(error.kind) ?? true
  }
}

/// Receives the answer to the question whether to retry, from any thread.
///
/// Only the first answer counts. If the reply is released without an answer, the answer is no, so that a transfer ends
/// even if the app forgets it.
public final class RetryReply: Sendable {
  private let pending: PendingAnswer<RetryDecision>

  init(_ pending: PendingAnswer<RetryDecision>) { self.pending = pending }

  /// Answers the question.
  ///
  /// - Parameter again: Whether to retry after the policy's delay.
  public func callAsFunction(_ again: Bool) { pending.give(again ? .again : .finish) }

  deinit { pending.give(.finish) }
}

extension Transfer.Configuration {
  /// Asks whether to retry in FWURLSessionManager's form.
  ///
  /// The reply may come later and from any thread. This replaces `shouldRetry`. The question is asked whenever the
  /// policy's limits allow another attempt, even after a success.
  public mutating func askToRetry(
    _ ask: @escaping @Sendable (ResponseHead?, Value?, (any Error)?, RetryReply) -> Void
  ) {
    shouldRetry = { attempt, value in
      guard attempt.allowsRetry else { return .finish }
      let pending = PendingAnswer<RetryDecision>()
      ask(attempt.response, value, attempt.error, RetryReply(pending))
      return await pending.wait(otherwise: .finish)
    }
  }
}

/// Creates keys that identify repeated requests.
///
/// The field is that of draft-ietf-httpapi-idempotency-key-header.
public enum IdempotencyKey {
  /// Returns a unique key: a random UUID as a quoted string, ready for the field.
  @Sendable public static func random() -> String { "\"\(UUID().uuidString.lowercased())\"" }

  private static let name = HTTPField.Name("Idempotency-Key")

  /// Returns the key of a request; nil when it has none.
  public static func of(_ request: Request) -> String? { name.flatMap { request.headerFields[$0] } }

  /// Sets the key of a request, in place of another.
  static func set(_ key: String, in request: inout Request) {
    guard let name else { return }
    request.headerFields[name] = key
  }
}
