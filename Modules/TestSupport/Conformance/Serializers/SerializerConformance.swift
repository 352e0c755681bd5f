public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials
import HTTPTypes

/// Checks the rules for response serializers.
///
/// Sessions and operations rely on them.
///
/// ```swift
/// let conformance = SerializerConformance(.json(Bird.self), type: .json, samples: [data], malformed: [Data("{".utf8)])
/// try conformance.run()
/// ```
public struct SerializerConformance<Serializer: ResponseSerializer>: Sendable {
  private let serializer: Serializer
  private let type: MediaType
  private let samples: [Data]
  private let malformed: [Data]
  private let exclusions: [SerializerRule.ID: String]

  /// The rules that are checked.
  public static var rules: [SerializerRule] { SerializerRule.forResponses }

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - type: A media type that it accepts.
  ///   - samples: Bodies that it can decode; every prefix of the first 4096 bytes is tried, too.
  ///   - malformed: Bodies that it must reject; empty for a serializer that accepts any bytes.
  ///   - exclusions: The names of rules that the serializer does not follow, each with a reason.
  public init(
    _ serializer: Serializer, type: MediaType, samples: [Data], malformed: [Data],
    excluding exclusions: [SerializerRule.ID: String] = [:]
  ) {
    self.exclusions = exclusions
    self.serializer = serializer
    self.type = type
    self.samples = samples
    self.malformed = malformed
  }

  /// Checks every rule.
  ///
  /// - Throws: `ConformanceFailure` with the first violated rule; also for an exclusion of a rule that does not exist.
  public func run() throws {
    try Self.rules.check(exclusions)
    for sample in samples { try check(sample) }
    for body in malformed { try checkMalformed(body) }
    try checkType()
    try checkSize()
  }

  private func head(_ status: Int, _ type: MediaType?) throws -> ResponseHead {
    guard let url = URL(string: "http://conformance.test/") else { throw ConformanceSkip("There is no URL.") }
    var fields = HTTPFields()
    fields[.contentType] = type?.description
    return ResponseHead(url: url, status: HTTPResponse.Status(code: status), headerFields: fields)
  }

  private func failure(_ serializer: Serializer, _ head: ResponseHead?, _ body: Data) -> NetworkError? {
    do throws(NetworkError) {
      _ = try serializer.output(of: head, body)
      return nil
    } catch {
      return error
    }
  }

  private func expect(_ condition: Bool, _ sentence: String, _ rule: String) throws {
    try Self.rules.expect(condition, sentence, rule, excluding: exclusions)
  }

  private func check(_ sample: Data) throws {
    let good = try head(200, type)
    let error = failure(serializer, good, sample)
    try expect(error == nil, "a sample is rejected: \(error?.message ?? "")", "takes-samples")
    // The indices of a slice do not start at 0.
    let slice = (Data([0]) + sample).dropFirst()
    try expect(failure(serializer, good, slice) == nil, "a sample is rejected as a slice", "takes-slices")
    try expect(
      failure(serializer, nil, sample) == nil, "bytes without a head are rejected", "takes-bytes-without-a-head")
    let parameter = type.setting("x", to: "y")
    try expect(
      failure(serializer, try head(200, parameter), sample) == nil, "a parameter of the media type changes the result",
      "takes-parameters")
    for count in 0..<min(sample.count, 4096) {
      guard let error = failure(serializer, good, sample.prefix(count)) else { continue }
      try expect(
        error.kind == .serializationFailed, "a truncated body ends in \(error.kind.rawValue)", "cut-bodies-are-errors")
    }
    guard serializer.validation.statuses?.contains(500) == false else { return }
    let refused = failure(serializer, try head(500, type), sample)
    try expect(refused?.kind == .unacceptableStatus, "a 500 is not rejected for its status", "status-is-outermost")
    try expect(
      refused?.details.responseBody == sample, "the error does not contain the body of a 500",
      "errors-keep-the-response")
    let value = try? refused.map { error in try error.refusedValue(serializer) }
    try expect(value != nil, "the body of a 500 cannot be read", "refused-bodies-can-be-read")
  }

  private func checkMalformed(_ body: Data) throws {
    let good = try head(200, type)
    let error = failure(serializer, good, body)
    try expect(
      error?.kind == .serializationFailed, "a malformed body does not end in serialization-failed", "refuses-malformed")
    try expect(
      error?.details.underlying != nil, "the error for a malformed body has no underlying cause",
      "errors-keep-their-cause")
    try expect(error?.details.response == good, "the error does not contain the head", "errors-keep-the-response")
    try expect(error?.details.responseBody == body, "the error does not contain the body", "errors-keep-the-response")
    guard serializer.validation.statuses?.contains(500) == false else { return }
    let refused = failure(serializer, try head(500, type), body)
    try expect(refused?.kind == .unacceptableStatus, "a malformed 500 hides its status", "status-is-outermost")
  }

  private func checkType() throws {
    guard let types = serializer.validation.mediaTypes,
      let other = MediaType(type: "x-conformance", subtype: "x-unknown"), !types.contains(.any)
    else { return }
    for body in [Data(), Data("x".utf8)] {
      let refused = failure(serializer, try head(200, other), body)
      try expect(
        refused?.kind == .unacceptableContentType, "a type that it does not accept is decoded", "refuses-foreign-types")
      let both = failure(serializer, try head(404, other), body)
      guard serializer.validation.statuses?.contains(404) == false else { continue }
      let cause = both?.details.underlying as? NetworkError
      try expect(
        both?.kind == .unacceptableStatus && cause?.kind == .unacceptableContentType,
        "the type is not the cause below the status", "status-is-outermost")
    }
    let untyped = failure(serializer, try head(200, nil), Data("x".utf8))
    try expect(
      untyped?.kind == .unacceptableContentType, "content without a type is decoded", "refuses-untyped-content")
    let none = failure(serializer, try head(204, other), Data())
    try expect(none?.kind != .unacceptableContentType, "a 204 is rejected for its type", "takes-no-content")
  }

  private func checkSize() throws {
    let limit = serializer.validation.maximumBytes
    // A limit that no test can reach is only checked for its presence.
    guard limit < 128 << 20 else { return try expect(false, "the size of a body has no limit", "limits-size") }
    let error = failure(serializer, try head(200, type), Data(count: limit + 1))
    try expect(error?.kind == .bodyTooLarge, "a body beyond the limit is decoded", "limits-size")
  }
}
