import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for the head of a response.
  static let responseRules: [ConformanceRule] = [
    .statusAsSent, .reasonAsSent, .standardReason, .versionTold, .urlTold, .responseFieldsInOrder, .cookiesApart,
    .emptyResponseField, .responseFieldBytes, .responseFieldObsText, .longFieldArrives, .headBeforeBody,
    .redirectNotFollowed, .cookiesNotKept, .challengeDelivered, .nothingCached, .informationalAsEvents,
  ]
}

extension ConformanceRule {
  package static let statusAsSent = ConformanceRule(
    "status-as-sent", "any final status is delivered", source: "RFC 9110 §15",
    because: "A client need not know every status code."
  ) { kit in
    for status in [200, 201, 203, 226, 299, 300, 400, 404, 418, 451, 499, 500, 503, 511, 599] {
      let place = kit.serve(ConformanceAnswer(status, content: .bytes([0x61])))
      let answer = try await kit.fetch(place)
      try kit.expectEqual(answer.head.status.code, status, "the status")
      try kit.expectEqual(answer.body, Data("a".utf8), "the body of \(status)")
    }
  }

  package static let reasonAsSent = ConformanceRule(
    "reason-as-sent", "a reason phrase is delivered as it was sent", source: "RFC 9112 §4",
    because: "The server chooses the reason phrase.", features: .reasonPhrases
  ) { kit in
    let place = kit.serve(ConformanceAnswer(200, reason: "Quite Fine, Thanks"))
    try kit.expectEqual(try await kit.fetch(place).head.status.reasonPhrase, "Quite Fine, Thanks", "the phrase")
  }

  package static let standardReason = ConformanceRule(
    "standard-reason", "a status without a reason phrase gets the standard one", source: "RFC 9112 §4",
    because: "Messages and logs show a phrase, which HTTP/2 never sends."
  ) { kit in
    for (status, phrase) in [(200, "OK"), (404, "Not Found"), (503, "Service Unavailable")] {
      let hasPhrases = kit.endpoint.features.contains(.writtenRequests)
      let place = kit.serve(ConformanceAnswer(status, reason: hasPhrases ? "" : nil))
      try kit.expectEqual(try await kit.fetch(place).head.status.reasonPhrase, phrase, "the phrase of \(status)")
    }
  }

  package static let versionTold = ConformanceRule(
    "version-told", "the reported version is right, or nil", source: "ResponseHead",
    because: "A wrong version misleads whoever looks for a fault."
  ) { kit in
    let version = try await kit.fetch(kit.serve()).head.version
    let spoken: ResponseHead.Version = kit.endpoint.features.contains(.http2) ? .http2 : .http11
    try kit.expect(version == nil || version == spoken, "it was \(version?.rawValue ?? "")")
  }

  package static let urlTold = ConformanceRule(
    "url-told", "the head contains the URL of the request", source: "ResponseHead",
    because: "Relative links and redirects are resolved against it."
  ) { kit in
    let url = kit.serve().url("/a?b=c")
    try kit.expectEqual(try await kit.fetch(Request(.get, url)).head.url, url, "the URL")
  }

  package static let responseFieldsInOrder = ConformanceRule(
    "response-fields-in-order", "every field line is delivered in order, and repeated ones stay separate",
    source: "RFC 9110 §5.3",
    because: "Fields of one name keep their order."
  ) { kit in
    let lines = [("X-B", "1"), ("X-A", "2"), ("X-B", "3, 4"), ("X-C", "5"), ("X-B", "6")]
    let place = kit.serve(ConformanceAnswer(fields: OriginFields(lines.map { OriginFields.Line($0.0, $0.1) })))
    let fields = try await kit.fetch(place).head.headerFields.filter { $0.name.canonicalName.hasPrefix("x-") }
    try kit.expectEqual(
      fields.map { "\($0.name.canonicalName): \($0.value)" }, lines.map { "\($0.0.lowercased()): \($0.1)" },
      "the fields")
  }

  package static let cookiesApart = ConformanceRule(
    "cookies-apart", "repeated Set-Cookie fields stay separate", source: "RFC 6265 §3",
    because: "Cookies must not be merged."
  ) {
    kit in
    let cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2", "c=3; Path=/"]
    let place = kit.serve(ConformanceAnswer(fields: OriginFields(cookies.map { OriginFields.Line("Set-Cookie", $0) })))
    try kit.expectEqual(try await kit.fetch(place).head.headerFields[values: .setCookie], cookies, "the cookies")
  }

  package static let emptyResponseField = ConformanceRule(
    "empty-response-field", "a field with an empty value is delivered", source: "RFC 9110 §5.5",
    because: "A field value may be empty."
  ) { kit in
    let place = kit.serve(ConformanceAnswer(fields: ["X-Empty": "", "X-After": "here"]))
    let fields = try await kit.fetch(place).head.headerFields
    guard let empty = HTTPField.Name("X-Empty"), let after = HTTPField.Name("X-After") else { return }
    try kit.expectEqual(fields[empty], "", "the field")
    try kit.expectEqual(fields[after], "here", "the field after it")
  }

  package static let responseFieldBytes = ConformanceRule(
    "response-field-bytes", "values outside ASCII keep their bytes", source: "RFC 9110 §5.5",
    because: "Bytes above 0x7f in a field value are opaque.", features: .rawReplies
  ) { kit in
    let place = kit.serve(ConformanceAnswer(fields: ["X-Unicode": "café 鷸"]))
    guard let name = HTTPField.Name("X-Unicode") else { return }
    try kit.expectEqual(try await kit.fetch(place).head.headerFields[name], "café 鷸", "the value")
  }

  package static let responseFieldObsText = ConformanceRule(
    "response-field-obs-text", "a value in ISO 8859-1 keeps its bytes and can be read as text", source: "RFC 9110 §5.5",
    because: "Older servers send such values (obs-text); a byte that became U+FFFD is lost.", features: .rawReplies
  ) { kit in
    let latin: [UInt8] = [0x63, 0x61, 0x66, 0xe9, 0x20, 0xa3, 0x35]
    let start = [UInt8]("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Latin: ".utf8)
    let place = kit.serve(.raw(start + latin + [UInt8]("\r\nX-After: here\r\n\r\nok".utf8)))
    let answer = try await kit.fetch(place)
    guard let name = HTTPField.Name("X-Latin"), let after = HTTPField.Name("X-After") else { return }
    let field = answer.head.headerFields.first { $0.name == name }
    try kit.expectEqual(field?.withUnsafeBytesOfValue { Array($0) }, latin, "the bytes of the value")
    try kit.expectEqual(field?.text, "café £5", "the value as text")
    try kit.expectEqual(answer.head.headerFields[after], "here", "the field after it")
    try kit.expectEqual(answer.body, Data("ok".utf8), "the body")
  }

  package static let longFieldArrives = ConformanceRule(
    "long-field-arrives", "a field of 12 KiB is delivered whole", source: "RFC 9110 §5.4",
    because: "Tokens and policies can be long."
  ) {
    kit in
    let value = String(repeating: "0123456789abcdef", count: 768)
    let place = kit.serve(ConformanceAnswer(fields: ["X-Long": value]))
    guard let name = HTTPField.Name("X-Long") else { return }
    try kit.expect(try await kit.fetch(place).head.headerFields[name] == value, "the value differs")
  }

  package static let headBeforeBody = ConformanceRule(
    "head-before-body", "the head is delivered before the body has arrived", source: "Transport",
    because: "The status decides whether the body is read at all.", features: .earlyHeads
  ) {
    kit in
    let gate = OriginGate()
    let place = kit.serve(
      ConformanceAnswer(content: .bytes([UInt8]("hello".utf8)), holdsContent: .init(after: 0, gate)))
    let response = try await kit.send(Request(.get, place.url()))
    gate.open()
    try kit.expectEqual(try await kit.collect(response.body, upTo: 100), Data("hello".utf8), "the body")
  }

  package static let redirectNotFollowed = ConformanceRule(
    "redirect-not-followed", "a redirect is a response, with its body", source: "Transport",
    because: "Only the layer above knows which credentials may follow."
  ) { kit in
    let target = kit.serve()
    for status in [301, 302, 303, 307, 308] {
      let location = target.url().absoluteString
      let place = kit.serve(
        ConformanceAnswer(status, fields: ["Location": location], content: .bytes([UInt8]("moved".utf8))))
      let answer = try await kit.fetch(place)
      try kit.expectEqual(answer.head.status.code, status, "the status")
      try kit.expectEqual(answer.head.headerFields[.location], location, "the location")
      try kit.expectEqual(answer.body, Data("moved".utf8), "the body of \(status)")
    }
    try kit.expect(target.requests.isEmpty, "the redirect was followed")
  }

  package static let cookiesNotKept = ConformanceRule(
    "cookies-not-kept", "a cookie is not sent back", source: "Transport",
    because: "Only the jar of the app may hold cookies."
  ) { kit in
    let place = kit.serve(ConformanceAnswer(fields: ["Set-Cookie": "a=1; Path=/"]))
    for _ in 0..<2 { _ = try await kit.fetch(place) }
    try kit.expect(place.requests.allSatisfy { $0.fields["Cookie"] == nil }, "it was")
  }

  package static let challengeDelivered = ConformanceRule(
    "challenge-delivered", "401 is a response, with its body", source: "Transport",
    because: "Only the app has the password."
  ) {
    kit in
    for challenge in [#"Basic realm="a""#, #"Digest realm="a", nonce="b""#, "Bearer", "Negotiate", "Odd x=1"] {
      let place = kit.serve(
        ConformanceAnswer(401, fields: ["WWW-Authenticate": challenge], content: .bytes([UInt8]("who?".utf8))))
      let answer = try await kit.fetch(place)
      try kit.expectEqual(answer.head.status.code, 401, "the status for \(challenge)")
      try kit.expectEqual(answer.body, Data("who?".utf8), "the body for \(challenge)")
      try kit.expectEqual(place.requests.count, 1, "the number of requests for \(challenge)")
    }
  }

  package static let nothingCached = ConformanceRule(
    "nothing-cached", "each request reaches the server", source: "Transport",
    because: "Only the cache of the chain may answer, by its own rules."
  ) { kit in
    let fields: OriginFields = ["Cache-Control": "public, max-age=3600", "ETag": "\"1\""]
    let place = kit.serve(ConformanceAnswer(fields: fields, content: .bytes([0x61])))
    for _ in 0..<3 { _ = try await kit.fetch(place) }
    try kit.expectEqual(place.requests.count, 3, "the number of requests")
    let conditions = place.requests.filter { $0.fields["If-None-Match"] != nil }
    try kit.expect(conditions.isEmpty, "a conditional field was added")
  }

  package static let informationalAsEvents = ConformanceRule(
    "informational-as-events", "1xx heads are events, in order, before the final head",
    source: "RFC 9110 §15.2, RFC 8297",
    because: "1xx responses precede the final one.",
    capabilities: .informationalResponses, features: .informational
  ) { kit in
    let link = "</a.css>; rel=preload"
    let place = kit.serve(
      ConformanceAnswer(
        content: .bytes([0x61]), informational: [.init(102), .init(103, ["Link": link, "X-A": "1", "X-A": "2"])]))
    let observer = RecordingObserver()
    let answer = try await kit.fetch(Request(.get, place.url()), in: kit.exchange(observer: observer))
    try kit.expectEqual(answer.head.status.code, 200, "the final status")
    let heads = observer.kinds.compactMap { if case .informational(let head) = $0 { head } else { nil } }
    try kit.expectEqual(heads.map(\.status.code), [102, 103], "the informational heads")
    guard let name = HTTPField.Name("X-A"), let linkName = HTTPField.Name("Link") else { return }
    try kit.expectEqual(heads.last?.headerFields[linkName], link, "the link")
    try kit.expectEqual(heads.last?.headerFields[values: name], ["1", "2"], "repeated fields")
    try kit.expectEqual(answer.head.headerFields[linkName], nil, "the link in the final head")
  }
}
