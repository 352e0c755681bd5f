public import CurlewCore

/// A rule that every transport must follow, as a value.
///
/// A rule states its requirements: capabilities of the transport and features of the endpoint. If one is missing, the
/// rule is skipped with a reason, never passed. Your own rules can run together with the standard ones:
/// ```swift
/// let rule = ConformanceRule(
///   "echoes-id", "the request's id comes back", because: "Our support finds a request by it."
/// ) { kit in
///   let place = kit.serve { .text($0.fields["X-Id"] ?? "") }
///   let answer = try await kit.fetch(Request(.get, place.url(), headerFields: [.init("X-Id")!: "7"]))
///   let text = String(decoding: answer.body, as: UTF8.self)
///   try kit.expect(text == "7", "the id was \(text)")
/// }
/// ```
public struct ConformanceRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
  /// A stable name.
  public let id: String
  /// The rule as a sentence.
  public let sentence: String
  /// Where it comes from: sections of RFCs, or the type of Curlew that promises it.
  public let source: String
  /// Why it exists, as a sentence; empty if that is not said.
  public let reason: String
  /// The capabilities that the transport needs.
  public let capabilities: TransportCapabilities
  /// The features that the endpoint needs.
  package let features: EndpointFeatures
  /// Whether it needs its own transport, because it ends it or counts its work.
  package let needsOwnTransport: Bool
  let check: @Sendable (ConformanceKit) async throws -> Void

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - id: A stable name.
  ///   - sentence: The rule as a sentence.
  ///   - source: Where it comes from, such as `RFC 9112 §6.3`; the protocol `Transport` by default.
  ///   - reason: Why it exists, as a sentence.
  ///   - capabilities: The capabilities that the transport needs.
  ///   - needsOwnTransport: Whether it needs its own transport.
  ///   - check: Throws `ConformanceFailure` when the rule is violated, `ConformanceSkip` when there is nothing to
  ///     check.
  public init(
    _ id: String, _ sentence: String, source: String = "Transport", because reason: String = "",
    capabilities: TransportCapabilities = [], needsOwnTransport: Bool = false,
    check: @escaping @Sendable (ConformanceKit) async throws -> Void
  ) {
    self.init(
      id, sentence, source: source, because: reason, capabilities: capabilities, features: [],
      needsOwnTransport: needsOwnTransport, check: check)
  }

  /// Creates a rule that needs features of the endpoint.
  package init(
    _ id: String, _ sentence: String, source: String = "Transport", because reason: String = "",
    capabilities: TransportCapabilities = [], features: EndpointFeatures,
    needsOwnTransport: Bool = false, check: @escaping @Sendable (ConformanceKit) async throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.source = source
    self.reason = reason
    self.capabilities = capabilities
    self.features = features
    self.needsOwnTransport = needsOwnTransport
    self.check = check
  }

  /// Returns whether both have the same name.
  public static func == (left: ConformanceRule, right: ConformanceRule) -> Bool { left.id == right.id }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }

  /// Returns why the rule cannot be checked; nil when it can.
  func obstacle(on available: TransportCapabilities, at endpoint: any ConformanceEndpoint) -> String? {
    let missing = capabilities.subtracting(available)
    guard missing.isEmpty else { return "the transport lacks \(missing.names.joined(separator: ", "))" }
    let lacking = features.subtracting(endpoint.features)
    guard lacking.isEmpty else { return "\(endpoint.name) lacks \(lacking.names.joined(separator: ", "))" }
    return nil
  }
}
