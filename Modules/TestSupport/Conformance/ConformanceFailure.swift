public import FoundationEssentials

/// The error of a rule that is violated: what was expected, what was found, and what the server saw.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule; empty while the rule itself is running.
  public var rule: String
  /// A sentence that says what happened instead.
  public var sentence: String
  /// The rule as a sentence, with its source; empty while the rule itself is running.
  public var expected = ""
  /// Why the rule exists; empty if that is not said.
  public var reason = ""
  /// What came over the wire at the server: a line for each request (`>`) and each answer (`<`).
  ///
  /// A line has the first 512 bytes as they were received or sent, with `\r`, `\n` and `\xe9` for what is not printable
  /// ASCII, their number so far, and how the connection ended. An endpoint without sockets has no wire; there the lines say
  /// what was asked and what was planned. Empty for a serializer, and for a rule that opens no place at the server.
  public var wire: [String] = []

  /// Creates a failure.
  public init(_ sentence: String, rule: String = "") {
    self.rule = rule
    self.sentence = sentence
  }

  /// What happened, and a line each for what was expected, for the reason and for what came over the wire.
  public var description: String {
    var lines = [rule.isEmpty ? sentence : "\(rule): \(sentence)"]
    if !expected.isEmpty { lines.append("  expected: \(expected)") }
    if !reason.isEmpty { lines.append("  because: \(reason)") }
    return (lines + wire.map { "  wire: \($0)" }).joined(separator: "\n")
  }

  /// Returns this failure as that of a rule.
  package func of(
    _ rule: String, expected sentence: String, source: String, because reason: String, wire: [String] = []
  ) -> Self {
    var failure = self
    failure.rule = rule
    failure.expected = source.isEmpty ? sentence : "\(sentence) (\(source))"
    failure.reason = reason
    failure.wire = wire
    return failure
  }
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
