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
