/// A rule that a transport broke.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which rule; empty while the rule itself is running.
  public var rule: String
  /// What was seen instead, as a sentence.
  public var sentence: String

  /// Makes a failure.
  public init(_ sentence: String, rule: String = "") {
    self.rule = rule
    self.sentence = sentence
  }

  /// The rule and what was seen.
  public var description: String { rule.isEmpty ? sentence : "\(rule): \(sentence)" }
}

/// Thrown by a rule that finds nothing to check.
public struct ConformanceSkip: Error, Sendable, Hashable {
  /// Why.
  public var reason: String

  /// Makes a skip.
  public init(_ reason: String) { self.reason = reason }
}

/// How checking one rule ended, when it was not broken.
public enum ConformanceOutcome: Sendable, Hashable {
  /// It was checked and holds.
  case passed
  /// It was not checked, and why.
  case skipped(String)
}

/// What became of each rule in one run.
public struct ConformanceReport: Sendable, CustomStringConvertible {
  /// Rules that hold.
  public internal(set) var passed: [ConformanceRule] = []
  /// Rules that were not checked, and why.
  public internal(set) var skipped: [(rule: ConformanceRule, reason: String)] = []
  /// Rules that were broken.
  public internal(set) var failures: [ConformanceFailure] = []

  /// The numbers, and a line for each rule that did not pass.
  public var description: String {
    let lines = failures.map { "broken: \($0)" } + skipped.map { "skipped: \($0.rule.id): \($0.reason)" }
    let numbers = "\(passed.count) passed, \(skipped.count) skipped, \(failures.count) broken"
    return ([numbers] + lines).joined(separator: "\n")
  }
}

/// Thrown when rules were broken.
public struct ConformanceFailures: Error, Sendable, CustomStringConvertible {
  /// What became of each rule.
  public let report: ConformanceReport

  /// The report.
  public var description: String { report.description }
}
