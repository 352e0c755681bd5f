public import FoundationEssentials

/// A rule that every batch store must follow, as a value.
public struct BatchStoreRule: Sendable, Identifiable, CustomStringConvertible {
  /// A stable name.
  public let id: String
  /// The rule as a sentence.
  public let sentence: String
  let check: @Sendable (BatchStoreKit) async throws -> Void

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - id: A stable name.
  ///   - sentence: The rule as a sentence.
  ///   - check: Throws `BatchStoreViolation` when the rule is violated.
  public init(_ id: String, _ sentence: String, check: @escaping @Sendable (BatchStoreKit) async throws -> Void) {
    self.id = id
    self.sentence = sentence
    self.check = check
  }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }
}

/// The error of a rule that a store violates.
public struct BatchStoreViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule; empty while the rule itself runs.
  public var rule: String
  /// A sentence that describes the violation.
  public var sentence: String

  /// Creates a violation.
  public init(_ sentence: String, rule: String = "") {
    self.rule = rule
    self.sentence = sentence
  }

  /// The rule and the violation.
  public var description: String { rule.isEmpty ? sentence : "\(rule): \(sentence)" }
}

extension BatchStoreViolation: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
