public import CurlewCore
public import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// Checks the rules for request serializers.
///
/// Sessions, retries and redirects rely on them.
///
/// ```swift
/// try RequestSerializerConformance(.json, type: .json, samples: [["a": 1]]).run()
/// ```
public struct RequestSerializerConformance<Serializer: RequestSerializer>: Sendable {
  private let serializer: Serializer
  private let type: MediaType
  private let samples: [Parameters]
  private let unrepresentable: [Parameters]
  private let exclusions: [SerializerRule.ID: String]

  /// The rules that are checked.
  public static var rules: [SerializerRule] { SerializerRule.forRequests }

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - type: The media type of its bodies, without parameters.
  ///   - samples: Parameters that it can write, at least as a body.
  ///   - unrepresentable: Parameters that it must reject.
  ///   - exclusions: The names of rules that the serializer does not follow, each with a reason.
  public init(
    _ serializer: Serializer, type: MediaType, samples: [Parameters], unrepresentable: [Parameters] = [],
    excluding exclusions: [SerializerRule.ID: String] = [:]
  ) {
    self.exclusions = exclusions
    self.serializer = serializer
    self.type = type
    self.samples = samples
    self.unrepresentable = unrepresentable
  }

  /// Checks every rule.
  ///
  /// - Throws: `ConformanceFailure` with the first violated rule; also for an exclusion of a rule that does not exist.
  public func run() throws {
    try Self.rules.check(exclusions)
    for sample in samples {
      try checkBody(sample)
      try checkQuery(sample)
      try checkOwnBody(sample)
    }
    try checkWithout()
    for parameters in unrepresentable + [Self.deep] { try checkRefusal(parameters) }
  }

  /// Parameters nested deeper than any serializer may follow.
  private static var deep: Parameters {
    (0...Parameters.maximumDepth).reduce(.integer(1)) { inner, _ in ["a": inner] }
  }

  private func expect(_ condition: Bool, _ sentence: String, _ rule: String) throws {
    try Self.rules.expect(condition, sentence, rule, excluding: exclusions)
  }

  private func request(_ method: HTTPRequest.Method) throws(NetworkError) -> Request {
    var request = try Request(method, "http://conformance.test/p?x=1#f")
    request.headerFields[.userAgent] = "conformance"
    return request
  }

  private func checkBody(_ sample: Parameters) throws {
    let written = try serializer.request(request(.post), sample)
    try expect(written.url == request(.post).url, "the parameters of a body are also in the URL", "one-place")
    try expect((written.body.length ?? 0) > 0, "the length of a body is unknown", "length-is-known")
    try expect(written.body.isReplayable, "a body cannot be sent again", "bodies-can-be-sent-again")
    let named = written.headerFields[.contentType].flatMap { MediaType($0) }
    try expect(
      named?.hasSameEssence(as: type) == true, "the Content-Type of a body is not \(type.essence)", "names-its-type")
    try expect(written.headerFields[.userAgent] == "conformance", "a field is replaced", "fields-stay")
    try expect(
      written.headerFields.allSatisfy { HTTPField.isValidValue($0.value) }, "a field cannot be sent", "fields-are-clean"
    )
    let again = try serializer.request(request(.post), sample)
    try expect(
      again.body.length == written.body.length, "the same parameters are written differently the second time",
      "repeatable")
  }

  /// Checks parameters in the URL, for serializers that put them there.
  private func checkQuery(_ sample: Parameters) throws {
    let written: Request
    do throws(NetworkError) {
      written = try serializer.request(request(.get), sample)
    } catch {
      try checkKind(error, in: [.invalidRequest, .serializationFailed], "a GET", "refuses-what-has-no-body")
      return
    }
    let text = written.url.absoluteString
    try expect(written.body.isEmpty, "a GET has a body", "one-place")
    try expect(text.hasPrefix("http://conformance.test/p?x=1"), "a URL's query is replaced", "queries-are-added-to")
    try expect(
      text.hasSuffix("#f") && text.count { $0 == "#" } == 1, "a query is behind the fragment", "fragments-stay-last")
    try expect(written.headerFields[.contentType] == nil, "a GET without a body has a Content-Type", "names-its-type")
  }

  /// Checks a request that already has a body.
  private func checkOwnBody(_ sample: Parameters) throws {
    var full = try request(.post)
    full.body = .text("own")
    do throws(NetworkError) {
      _ = try serializer.request(full, sample)
    } catch {
      return try checkKind(error, in: [.invalidRequest], "parameters beside a body", "never-replaces-a-body")
    }
    try expect(false, "a body is replaced", "never-replaces-a-body")
  }

  private func checkWithout() throws {
    let plain = try serializer.request(request(.post), nil)
    try expect(
      plain.url == request(.post).url, "an empty list of parameters changes the URL", "no-parameters-change-nothing")
    try expect(
      (plain.body.length ?? 0) == 0, "an empty list of parameters creates content", "no-parameters-change-nothing")
  }

  private func checkRefusal(_ parameters: Parameters) throws {
    do throws(NetworkError) {
      _ = try serializer.request(request(.post), parameters)
    } catch {
      try checkKind(
        error, in: [.serializationFailed], "writing parameters that it cannot write", "refuses-what-it-cannot-write")
      try expect(error.details.underlying != nil, "the error has no underlying cause", "errors-keep-their-cause")
      return
    }
    try expect(false, "parameters that it cannot write are accepted", "refuses-what-it-cannot-write")
  }

  private func checkKind(
    _ error: NetworkError, in kinds: [NetworkError.Kind], _ what: String, _ rule: String
  ) throws {
    try expect(kinds.contains(error.kind), "\(what) ends in \(error.kind.rawValue)", rule)
    try expect(
      error.stage == .preparing, "\(what) is rejected in the stage \(error.stage.rawValue)", "refuses-before-sending")
  }
}
