public import CurlewCore

/// Limits the retries of all transfers to one server.
///
/// When a server is down, the retries of all clients multiply its load. Each origin has a bucket, initially full: a
/// retry takes one token; successes and time add tokens; without a token the last attempt's outcome is final. The
/// policies of many transfers can share a budget. Safe from any isolation.
///
/// ```swift
/// let budget = RetryBudget(capacity: 10, perSuccess: 0.1, perSecond: 0.1)
/// policy.originBudget = budget
/// ```
public final class RetryBudget: Sendable {
  private let rule: RetryTokens.Rule
  private let buckets: Guarded<[Origin: RetryTokens]>

  /// The most origins.
  ///
  /// Beyond it the fullest bucket is dropped, which loses the least.
  static let originLimit = 1_000

  /// Creates a budget; negative numbers and NaN count as 0.
  ///
  /// - Parameters:
  ///   - capacity: The tokens of a full bucket.
  ///   - perSuccess: The tokens added for each attempt that needs no retry.
  ///   - perSecond: The tokens added for each second.
  public init(capacity: Double = 10, perSuccess: Double = 0.1, perSecond: Double = 0.1) {
    rule = RetryTokens.Rule(capacity: capacity, perSuccess: perSuccess, perSecond: perSecond)
    buckets = Guarded([:])
  }

  /// Returns the number of tokens of an origin.
  public func tokens(for origin: Origin, at now: ContinuousClock.Instant) -> Double {
    buckets.withLock { $0[origin]?.count(at: now, rule) ?? rule.capacity }
  }

  /// Takes a token.
  ///
  /// - Returns: Whether there was one.
  func take(_ origin: Origin, at now: ContinuousClock.Instant) -> Bool {
    buckets.withLock { buckets in
      var bucket = buckets[origin] ?? RetryTokens(full: rule, at: now)
      defer {
        if buckets[origin] == nil { Self.makeRoom(in: &buckets, now, rule) }
        buckets[origin] = bucket
      }
      return bucket.take(at: now, rule)
    }
  }

  /// Records a success.
  func succeed(_ origin: Origin, at now: ContinuousClock.Instant) {
    buckets.withLock { buckets in
      // An origin that has never failed already has a full bucket.
      guard var bucket = buckets[origin] else { return }
      bucket.add(rule.perSuccess, at: now, rule)
      buckets[origin] = bucket.count(at: now, rule) < rule.capacity ? bucket : nil
    }
  }

  private static func makeRoom(
    in buckets: inout [Origin: RetryTokens], _ now: ContinuousClock.Instant, _ rule: RetryTokens.Rule
  ) {
    guard buckets.count >= originLimit else { return }
    let fullest = buckets.max { $0.value.count(at: now, rule) < $1.value.count(at: now, rule) }
    if let fullest { buckets[fullest.key] = nil }
  }
}

/// The tokens of one origin, without I/O.
struct RetryTokens: Sendable {
  /// How a bucket fills.
  struct Rule: Sendable {
    let capacity: Double
    let perSuccess: Double
    let perSecond: Double

    init(capacity: Double, perSuccess: Double, perSecond: Double) {
      self.capacity = Self.sensible(capacity)
      self.perSuccess = Self.sensible(perSuccess)
      self.perSecond = Self.sensible(perSecond)
    }

    private static func sensible(_ number: Double) -> Double { number > 0 ? min(number, 1e9) : 0 }
  }

  private var tokens: Double
  private var filled: ContinuousClock.Instant

  init(full rule: Rule, at now: ContinuousClock.Instant) {
    tokens = rule.capacity
    filled = now
  }

  func count(at now: ContinuousClock.Instant, _ rule: Rule) -> Double {
    let passed = filled.duration(to: now).components
    let seconds = max(0, Double(passed.seconds) + Double(passed.attoseconds) * 1e-18)
    return min(rule.capacity, tokens + seconds * rule.perSecond)
  }

  mutating func add(_ more: Double, at now: ContinuousClock.Instant, _ rule: Rule) {
    tokens = min(rule.capacity, count(at: now, rule) + more)
    filled = max(filled, now)
  }

  mutating func take(at now: ContinuousClock.Instant, _ rule: Rule) -> Bool {
    add(0, at: now, rule)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
