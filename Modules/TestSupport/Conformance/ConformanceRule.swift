public import CurlewCore

/// One rule that every transport keeps, as a value.
///
/// A rule knows what it needs: capabilities of the transport, features of the endpoint. Where one is missing it is
/// skipped with a reason, never passed. Rules of your own can be run beside the standard ones:
/// ```swift
/// let rule = ConformanceRule("echoes-id", "the request's id comes back") { kit in
///   let place = kit.serve { .text($0.fields["X-Id"] ?? "") }
///   let answer = try await kit.fetch(Request(.get, place.url(), headerFields: [.init("X-Id")!: "7"]))
///   try kit.expect(answer.text == "7", "the id was \(answer.text)")
/// }
/// ```
public struct ConformanceRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
  /// A stable name.
  public let id: String
  /// What holds, as a sentence.
  public let sentence: String
  /// What the transport must be able to do.
  public let capabilities: TransportCapabilities
  /// What the endpoint must be able to do.
  public let features: EndpointFeatures
  /// Whether it ends or counts the transport it runs on, so that it needs one of its own.
  public let needsOwnTransport: Bool
  let check: @Sendable (ConformanceKit) async throws -> Void

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - id: A stable name.
  ///   - sentence: What holds.
  ///   - capabilities: What the transport must be able to do.
  ///   - features: What the endpoint must be able to do.
  ///   - needsOwnTransport: Whether it ends or counts the transport it runs on.
  ///   - check: Throws `ConformanceFailure` when the rule is broken, `ConformanceSkip` when there is nothing to check.
  public init(
    _ id: String, _ sentence: String, capabilities: TransportCapabilities = [], features: EndpointFeatures = [],
    needsOwnTransport: Bool = false, check: @escaping @Sendable (ConformanceKit) async throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.capabilities = capabilities
    self.features = features
    self.needsOwnTransport = needsOwnTransport
    self.check = check
  }

  /// Whether both have the same name.
  public static func == (left: ConformanceRule, right: ConformanceRule) -> Bool { left.id == right.id }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }

  /// Why the rule cannot be checked here; nil when it can.
  func obstacle(on available: TransportCapabilities, at endpoint: any ConformanceEndpoint) -> String? {
    let missing = capabilities.subtracting(available)
    guard missing.isEmpty else { return "the transport lacks \(missing.names.joined(separator: ", "))" }
    let lacking = features.subtracting(endpoint.features)
    guard lacking.isEmpty else { return "\(endpoint.name) lacks \(lacking.names.joined(separator: ", "))" }
    return nil
  }
}
