public import CurlewBatch

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
  ///   - pass: Lets time pass for the store's leases, by moving a test's clock or by waiting.
  /// - Throws: `BatchStoreViolation` when the rule is violated.
  public static func check(
    _ rule: BatchStoreRule, on store: any BatchStore, passing pass: @escaping @Sendable (Duration) async throws -> Void
  ) async throws {
    do {
      try await rule.check(BatchStoreKit(store: store, passing: pass))
    } catch let violation as BatchStoreViolation {
      throw BatchStoreViolation(violation.sentence, rule: rule.id)
    } catch {
      throw BatchStoreViolation("it ended in an error: \(error)", rule: rule.id)
    }
  }
}
