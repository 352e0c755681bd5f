public import CurlewCore

/// Checks that a transport follows the rules that the layers above rely on.
///
/// ```swift
/// let endpoint = try await OriginEndpoint.start()
/// try await TransportConformance(endpoint: endpoint, excluding: ["trailers-at-the-end": "the library drops them"])
///   .run { try MyTransport() }
/// ```
/// With swift-testing, each rule becomes a test case. A failure says what was expected, why, and what came over the wire:
/// ```swift
/// @Test(arguments: TransportConformance.rules) func keeps(_ rule: ConformanceRule) async throws {
///   if case .skipped(let reason) = try await conformance.check(rule, on: { try MyTransport() }) {
///     try Test.cancel("\(reason)")
///   }
/// }
/// ```
public struct TransportConformance: Sendable {
  private let endpoint: any ConformanceEndpoint
  private let exclusions: [ConformanceRule.ID: String]
  private let timeLimit: Duration
  private let record: ConformanceRecord?

  /// Creates a check of a transport that sends to a real server.
  ///
  /// - Parameters:
  ///   - endpoint: The server.
  ///   - exclusions: The names of rules that the transport does not follow, each with a reason for the report.
  ///   - timeLimit: The longest time of one rule; beyond it the rule counts as violated.
  ///   - record: The file to which the result of each rule is added; nil records nothing.
  public init(
    endpoint: OriginEndpoint, excluding exclusions: [ConformanceRule.ID: String] = [:],
    timeLimit: Duration = .seconds(90), recording record: ConformanceRecord? = nil
  ) {
    self.init(endpoint, exclusions, timeLimit, record)
  }

  /// Creates a check of a transport that is a stub, without sockets.
  ///
  /// The parameters are those of the other initializer.
  public init(
    endpoint: StubEndpoint, excluding exclusions: [ConformanceRule.ID: String] = [:],
    timeLimit: Duration = .seconds(90), recording record: ConformanceRecord? = nil
  ) {
    self.init(endpoint, exclusions, timeLimit, record)
  }

  /// Creates a check with any endpoint and with exclusions that the compiler knows.
  package init(
    endpoint: any ConformanceEndpoint, excluding exclusions: [ConformanceRule: String],
    timeLimit: Duration = .seconds(90), recording record: ConformanceRecord? = nil
  ) {
    self.init(endpoint, Dictionary(uniqueKeysWithValues: exclusions.map { ($0.id, $1) }), timeLimit, record)
  }

  private init(
    _ endpoint: any ConformanceEndpoint, _ exclusions: [ConformanceRule.ID: String], _ timeLimit: Duration,
    _ record: ConformanceRecord?
  ) {
    self.endpoint = endpoint
    self.exclusions = exclusions
    self.timeLimit = timeLimit
    self.record = record
  }

  /// All rules.
  public static let rules: [ConformanceRule] = topics.flatMap(\.rules)

  /// All rules by topic, in the order in which a request meets them.
  public static let topics: [(name: String, rules: [ConformanceRule])] = [
    ("Requests", requestRules), ("Uploads", uploadRules), ("Uploads that fail", uploadFaultRules),
    ("100 Continue", continueRules), ("Responses", responseRules), ("Framing", framingRules),
    ("Odd framing", oddFramingRules), ("Content codings", codingRules), ("Reading bodies", readingRules),
    ("Faults", faultRules), ("Limits", limitRules), ("Connections", connectionRules),
    ("Idle connections", restingRules),
    ("Cancellation", cancellationRules), ("Timeouts", timeoutRules), ("Backpressure", backpressureRules),
    ("Measurements and events", metricsRules), ("Server trust", trustRules), ("Lifecycle", lifecycleRules),
    ("Two-way connections", twoWayRules), ("Opening two-way connections", twoWayOpeningRules),
  ]

  /// Checks each rule with its own transport, one after the other.
  ///
  /// - Parameter make: Creates a transport, which is shut down after its rule.
  /// - Returns: The results of all rules, including skipped ones.
  /// - Throws: `ConformanceFailures` when a rule is violated.
  @discardableResult
  public func run(
    _ rules: [ConformanceRule] = TransportConformance.rules, making make: @escaping @Sendable () throws -> any Transport
  ) async throws -> ConformanceReport {
    try await run(rules) { rule in try await check(rule, on: make) }
  }

  /// Checks all rules with one transport, which is not shut down.
  ///
  /// Rules that need their own transport are skipped.
  ///
  /// - Throws: `ConformanceFailures` when a rule is violated.
  @discardableResult
  public func run(on transport: any Transport) async throws -> ConformanceReport {
    try await run(Self.rules) { rule in
      guard !rule.needsOwnTransport else { return .skipped("it needs its own transport: use run(making:)") }
      return try await check(rule, with: { transport }, dropping: { transport })
    }
  }

  /// Checks one rule with its own transport.
  ///
  /// - Parameter make: Creates a transport, which is shut down afterwards.
  /// - Returns: Whether it was checked.
  /// - Throws: `ConformanceFailure` when the rule is violated.
  public func check(
    _ rule: ConformanceRule, on make: @escaping @Sendable () throws -> any Transport
  ) async throws -> ConformanceOutcome {
    let transports = ConformanceTransports(make)
    do {
      let outcome = try await check(rule, with: { try transports.make() }, dropping: make)
      await transports.shutdown()
      return outcome
    } catch {
      await transports.shutdown()
      throw error
    }
  }

  private func run(
    _ rules: [ConformanceRule], _ check: (ConformanceRule) async throws -> ConformanceOutcome
  ) async throws -> ConformanceReport {
    var report = ConformanceReport()
    for rule in rules {
      try Task.checkCancellation()
      do {
        switch try await check(rule) {
        case .passed: report.passed.append(rule)
        case .skipped(let reason): report.skipped.append((rule, reason))
        }
      } catch let failure as ConformanceFailure {
        report.failures.append(failure)
      }
    }
    guard report.failures.isEmpty else { throw ConformanceFailures(report: report) }
    return report
  }

  private func check(
    _ rule: ConformanceRule, with make: @escaping @Sendable () throws -> any Transport,
    dropping makeDropped: @escaping @Sendable () throws -> any Transport
  ) async throws -> ConformanceOutcome {
    do {
      let outcome = try await judge(rule, with: make, dropping: makeDropped)
      try record?.add(rule, outcome)
      return outcome
    } catch let failure as ConformanceFailure {
      try record?.add(rule, failure)
      throw failure
    }
  }

  private func judge(
    _ rule: ConformanceRule, with make: @escaping @Sendable () throws -> any Transport,
    dropping makeDropped: @escaping @Sendable () throws -> any Transport
  ) async throws -> ConformanceOutcome {
    if let reason = exclusions[rule.id] { return .skipped("excluded: \(reason)") }
    let transport = try make()
    if let obstacle = rule.obstacle(on: transport.capabilities, at: endpoint) { return .skipped(obstacle) }
    let kit = ConformanceKit(transport: transport, endpoint: endpoint, makeTransport: make, makeDropped: makeDropped)
    defer { kit.close() }
    do {
      try await ConformanceWaits.$current.withValue(ConformanceWaits()) {
        try await Deadline.run(within: timeLimit) { try await rule.check(kit) }
      }
      return .passed
    } catch let skip as ConformanceSkip {
      return .skipped(skip.reason)
    } catch let failure as ConformanceFailure {
      throw failure.of(rule, kit.wire)
    } catch let passed as Deadline.Passed {
      throw ConformanceFailure("it did not end within \(timeLimit)\(passed.waits)").of(rule, kit.wire)
    } catch {
      throw ConformanceFailure("it ended in an error: \(error)").of(rule, kit.wire)
    }
  }
}

extension ConformanceFailure {
  fileprivate func of(_ rule: ConformanceRule, _ wire: [String]) -> ConformanceFailure {
    of(rule.id, expected: rule.sentence, source: rule.source, because: rule.reason, wire: wire)
  }
}

/// The transports that were created for one rule.
private final class ConformanceTransports: Sendable {
  private let made = Guarded<[any Transport]>([])
  private let maker: @Sendable () throws -> any Transport

  init(_ maker: @escaping @Sendable () throws -> any Transport) { self.maker = maker }

  func make() throws -> any Transport {
    let transport = try maker()
    made.withLock { $0.append(transport) }
    return transport
  }

  func shutdown() async {
    for transport in made.withLock({ $0 }) { await transport.shutdown() }
  }
}
