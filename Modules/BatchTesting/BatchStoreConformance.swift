public import CurlewBatch
public import CurlewTestSupport

/// Checks that a batch store follows the rules of `BatchStore`.
///
/// With swift-testing, each rule becomes a test case:
/// ```swift
/// @Test(arguments: BatchStoreConformance.rules) func keeps(_ rule: BatchStoreRule) async throws {
///   let clock = ManualClock()
///   try await BatchStoreConformance.check(rule, on: MemoryBatchStore(clock: clock)) { clock.advance(by: $0) }
/// }
/// ```
public enum BatchStoreConformance {
  /// All rules.
  public static let rules: [BatchStoreRule] =
    addingRules + orderRules + leaseRules + endingRules + commandRules + reopeningRules

  /// Checks one rule.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - store: An empty store with the default rules.
  ///   - exclusions: The names of rules that the store does not follow, each with a reason.
  ///   - pass: Lets time pass for the store's leases, by moving a test's clock or by waiting.
  /// - Returns: Whether it was checked.
  /// - Throws: `ConformanceFailure` when the rule is violated.
  @discardableResult
  public static func check(
    _ rule: BatchStoreRule, on store: any BatchStore, excluding exclusions: [BatchStoreRule.ID: String] = [:],
    passing pass: @escaping @Sendable (Duration) async throws -> Void
  ) async throws -> ConformanceOutcome {
    if let reason = exclusions[rule.id] { return .skipped("excluded: \(reason)") }
    do {
      try await rule.check(BatchStoreKit(store: store, passing: pass))
      return .passed
    } catch let failure as ConformanceFailure {
      throw failure.of(rule.id, expected: rule.sentence, source: rule.source, because: rule.reason)
    } catch {
      throw ConformanceFailure("it ended in an error: \(error)")
        .of(rule.id, expected: rule.sentence, source: rule.source, because: rule.reason)
    }
  }
}

/// A rule that every batch store must follow, as a value.
public struct BatchStoreRule: Sendable, Identifiable, CustomStringConvertible {
  /// A stable name.
  public let id: String
  /// The rule as a sentence.
  public let sentence: String
  /// Where it comes from: the type of Curlew that promises it.
  public let source: String
  /// Why it exists, as a sentence; empty if that is not said.
  public let reason: String
  let check: @Sendable (BatchStoreKit) async throws -> Void

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - id: A stable name.
  ///   - sentence: The rule as a sentence.
  ///   - source: Where it comes from; the protocol `BatchStore` by default.
  ///   - reason: Why it exists, as a sentence.
  ///   - check: Throws `ConformanceFailure` when the rule is violated.
  public init(
    _ id: String, _ sentence: String, source: String = "BatchStore", because reason: String = "",
    check: @escaping @Sendable (BatchStoreKit) async throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.source = source
    self.reason = reason
    self.check = check
  }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }
}
