public import FoundationEssentials

/// The error of a rule that a transport violates.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule; empty while the rule itself is running.
  public var rule: String
  /// A sentence that says what happened instead.
  public var sentence: String

  /// Creates a failure.
  public init(_ sentence: String, rule: String = "") {
    self.rule = rule
    self.sentence = sentence
  }

  /// The rule and what happened.
  public var description: String { rule.isEmpty ? sentence : "\(rule): \(sentence)" }
}

/// Thrown by a rule that has nothing to check.
public struct ConformanceSkip: Error, Sendable, Hashable {  // No message because the kit catches it.
  /// The reason.
  public var reason: String

  /// Creates a skip.
  public init(_ reason: String) { self.reason = reason }
}

/// The result of checking one rule that is not violated.
public enum ConformanceOutcome: Sendable, Hashable {
  /// It was checked and holds.
  case passed
  /// It was not checked, for this reason.
  case skipped(String)
}

/// The results of all rules in one run.
public struct ConformanceReport: Sendable, CustomStringConvertible {
  /// Rules that hold.
  public internal(set) var passed: [ConformanceRule] = []
  /// The rules that were not checked, with reasons.
  public internal(set) var skipped: [(rule: ConformanceRule, reason: String)] = []
  /// The rules that were violated.
  public internal(set) var failures: [ConformanceFailure] = []

  /// The counts, and a line for each rule that did not pass.
  public var description: String {
    let lines = failures.map { "broken: \($0)" } + skipped.map { "skipped: \($0.rule.id): \($0.reason)" }
    let numbers = "\(passed.count) passed, \(skipped.count) skipped, \(failures.count) broken"
    return ([numbers] + lines).joined(separator: "\n")
  }
}

/// Thrown when rules were violated.
public struct ConformanceFailures: Error, Sendable, CustomStringConvertible {
  /// The results of all rules.
  public let report: ConformanceReport

  /// The report.
  public var description: String { report.description }
}

extension ConformanceFailure: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

extension ConformanceFailures: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
