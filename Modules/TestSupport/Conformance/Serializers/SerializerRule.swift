/// A rule that every serializer must follow: its name, what it says, where it comes from and why it exists.
public struct SerializerRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
  /// A stable name.
  public let id: String
  /// The rule as a sentence.
  public let sentence: String
  /// Where it comes from: sections of RFCs, or the type of Curlew that promises it.
  public let source: String
  /// Why it exists, as a sentence.
  public let reason: String

  init(_ id: String, _ sentence: String, source: String, because reason: String) {
    self.id = id
    self.sentence = sentence
    self.source = source
    self.reason = reason
  }

  /// The name and the sentence.
  public var description: String { "\(id): \(sentence)" }

  /// The rules for response serializers.
  static let forResponses = [
    SerializerRule(
      "takes-samples", "a valid body is accepted", source: "ResponseSerializer",
      because: "A format that reads nothing is of no use."),
    SerializerRule(
      "takes-slices", "a body whose indices do not start at 0 is read alike", source: "ResponseSerializer",
      because: "A part of a larger buffer is passed without a copy."),
    SerializerRule(
      "takes-bytes-without-a-head", "bytes without a response head are read alike", source: "ResponseSerializer",
      because: "Files and messages have no head."),
    SerializerRule(
      "takes-parameters", "a parameter of the media type that the format does not know changes nothing",
      source: "RFC 2045 §5.1", because: "Unrecognized parameters are to be ignored."),
    SerializerRule(
      "cut-bodies-are-errors", "a truncated body is read, or ends in serializationFailed", source: "ResponseSerializer",
      because: "A connection can be lost at every byte, and no byte may end the process."),
    SerializerRule(
      "refuses-malformed", "a malformed body ends in serializationFailed", source: "ResponseSerializer",
      because: "A guess at what was meant becomes wrong data of the app."),
    SerializerRule(
      "errors-keep-their-cause", "the error has the format's own error as its cause", source: "NetworkError",
      because: "Only the format knows the line and the column."),
    SerializerRule(
      "errors-keep-the-response", "the error has the head and the body", source: "NetworkError",
      because: "Many APIs say in the body what was wrong."),
    SerializerRule(
      "status-is-outermost", "a refused status is the outer error, and a refused type its cause",
      source: "ResponseValidation",
      because: "A 502 in HTML is a failure of the server, not of the format."),
    SerializerRule(
      "refused-bodies-can-be-read", "the body of a refused response can be decoded", source: "RFC 9457 §3",
      because: "Problem details are the bodies of errors."),
    SerializerRule(
      "refuses-foreign-types", "a body of another type is refused", source: "RFC 9110 §8.3",
      because: "A login page in HTML must not be decoded as data."),
    SerializerRule(
      "refuses-untyped-content", "content without a type is refused", source: "RFC 9110 §8.3",
      because: "Guessing a type from the bytes is a known way to attack."),
    SerializerRule(
      "takes-no-content", "a 204 is not refused for its type", source: "RFC 9110 §15.3.5",
      because: "A response without content needs no type."),
    SerializerRule(
      "limits-size", "a body beyond the limit of 128 MiB or less ends in bodyTooLarge", source: "ResponseValidation",
      because: "A server must not exhaust the memory of the app."),
  ]

  /// The rules for request serializers.
  static let forRequests = [
    SerializerRule(
      "one-place", "parameters are in the URL or in the body, not in both", source: "RequestSerializer",
      because: "A server that reads both sees each parameter twice."),
    SerializerRule(
      "length-is-known", "the length of a body is known", source: "RFC 9110 §8.6",
      because: "Many servers refuse a body of unknown length."),
    SerializerRule(
      "bodies-can-be-sent-again", "a body can be sent again", source: "RFC 9110 §15.4.8",
      because: "A redirect with 307, a challenge and a retry send it once more."),
    SerializerRule(
      "names-its-type", "a body has the Content-Type of the format, and a request without one has none",
      source: "RFC 9110 §8.3", because: "The server chooses its parser by it."),
    SerializerRule(
      "fields-stay", "the fields of the request stay as they are", source: "RequestSerializer",
      because: "A field that the app has set is meant."),
    SerializerRule(
      "fields-are-clean", "all fields can be sent", source: "RFC 9110 §5.5",
      because: "A line break in a field would begin another one."),
    SerializerRule(
      "repeatable", "the same parameters are written alike each time", source: "RequestSerializer",
      because: "A signature and a cache compare bytes."),
    SerializerRule(
      "refuses-what-has-no-body", "a GET carries the parameters in its URL, or is refused", source: "RFC 9110 §9.3.1",
      because: "Servers ignore or refuse content in a GET."),
    SerializerRule(
      "queries-are-added-to", "the query of the URL is kept", source: "RequestSerializer",
      because: "A URL from a server often has a query of its own."),
    SerializerRule(
      "fragments-stay-last", "a fragment stays the last part of the URL", source: "RFC 3986 §3",
      because: "What follows the fragment is never sent."),
    SerializerRule(
      "never-replaces-a-body", "parameters beside a body are refused", source: "RequestSerializer",
      because: "One of both would be lost without a word."),
    SerializerRule(
      "no-parameters-change-nothing", "without parameters, URL and body stay as they are", source: "RequestSerializer",
      because: "An empty body is not the same as none."),
    SerializerRule(
      "refuses-what-it-cannot-write", "parameters that the format cannot represent end in serializationFailed",
      source: "RequestSerializer", because: "A value that is silently left out is lost."),
    SerializerRule(
      "refuses-before-sending", "the error says that nothing was sent", source: "NetworkError",
      because: "A request that was not sent may be corrected and sent."),
    SerializerRule(
      "errors-keep-their-cause", "the error has the format's own error as its cause", source: "NetworkError",
      because: "Only the format knows which value it cannot write."),
  ]
}

extension [SerializerRule] {
  /// Throws the failure of a rule unless a condition is true, or the rule is excluded.
  func expect(
    _ condition: Bool, _ sentence: String, _ id: SerializerRule.ID, excluding exclusions: [SerializerRule.ID: String]
  ) throws {
    guard !condition, exclusions[id] == nil else { return }
    let failure = ConformanceFailure(sentence, rule: id)
    guard let rule = first(where: { $0.id == id }) else { throw failure }
    throw failure.of(id, expected: rule.sentence, source: rule.source, because: rule.reason)
  }

  /// Throws unless each excluded rule exists, so that no exclusion outlives its rule.
  func check(_ exclusions: [SerializerRule.ID: String]) throws {
    let known = Set(map(\.id))
    for id in exclusions.keys.sorted() where !known.contains(id) {
      throw ConformanceFailure(
        "it is excluded, and there is no such rule; the names are \(map(\.id).joined(separator: ", "))", rule: id)
    }
  }
}
