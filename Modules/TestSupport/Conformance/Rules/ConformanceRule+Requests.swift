import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for the head of a request.
  static let requestRules: [ConformanceRule] = [
    .methodAsGiven, .methodCaseKept, .pathAsGiven, .queryAsGiven, .emptyQueryKept, .fragmentNotSent, .emptyPathIsSlash,
    .hostField, .hostFieldOfAddress, .fieldsInOrder, .emptyFieldSent, .fieldBytesKept, .fieldNameCaseKept,
    .noFieldsUnasked, .ownFieldsOnce, .noCodingOffered, .badURLRefused, .badTimeoutRefused, .unsupportedRefused,
    .bodilessMethodsRefused,
  ]
}

extension ConformanceRule {
  package static let methodAsGiven = ConformanceRule(
    "method-as-given", "a method arrives as it was given", source: "RFC 9110 §9.1",
    because: "A method is any token."
  ) { kit in
    let place = kit.serve()
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "M-SEARCH"]
    for name in methods {
      guard let method = HTTPRequest.Method(name) else { continue }
      _ = try await kit.fetch(Request(method, place.url()))
    }
    try kit.expectEqual(place.requests.map(\.method), methods, "the methods arrived as")
  }

  package static let methodCaseKept = ConformanceRule(
    "method-case-kept", "the case of a method is kept", source: "RFC 9110 §9.1",
    because: "Methods are case-sensitive.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    for name in ["get", "Purge"] {
      guard let method = HTTPRequest.Method(name) else { continue }
      _ = try await kit.fetch(Request(method, place.url()))
    }
    try kit.expectEqual(place.requests.map(\.method), ["get", "Purge"], "the methods arrived as")
  }

  package static let pathAsGiven = ConformanceRule(
    "path-as-given", "a path is sent byte for byte", source: "RFC 9112 §3.2.1",
    because: "Escaped octets stay escaped, and others unescaped."
  ) { kit in
    let place = kit.serve()
    let suffix = "/a%2Fb/c%20d/%E4/~e;f=g/:@!$&'()*+,=/%7e//end/"
    _ = try await kit.fetch(Request(.get, place.url(suffix)))
    try kit.expect(
      place.requests.first?.target.hasSuffix(suffix) == true, "it was \(place.requests.first?.target ?? "")")
  }

  package static let queryAsGiven = ConformanceRule(
    "query-as-given", "a query is sent byte for byte", source: "RFC 3986 §3.4",
    because: "Only the server interprets a query, down to its bytes; signatures cover it."
  ) { kit in
    let place = kit.serve()
    let query = "q=%7E~&&x=%2f%2F&=+%20;'()*!$,:@/?&a=1&a=2&e="
    _ = try await kit.fetch(Request(.get, place.url("/p?" + query)))
    try kit.expectEqual(place.requests.first?.query, query, "the query arrived as")
  }

  package static let emptyQueryKept = ConformanceRule(
    "empty-query-kept", "an empty query keeps its question mark", source: "RFC 3986 §6.2.3",
    because: "An empty query differs from no query."
  ) {
    kit in
    let place = kit.serve()
    _ = try await kit.fetch(Request(.get, place.url("/p?")))
    try kit.expectEqual(place.requests.first?.query, "", "the query arrived as")
  }

  package static let fragmentNotSent = ConformanceRule(
    "fragment-not-sent", "a fragment is never sent", source: "RFC 9110 §7.1",
    because: "A fragment is for the client only."
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(Request(.get, place.url("/p?a=1#secret")))
    _ = try await kit.fetch(Request(.get, place.url("/p#secret")))
    let targets = place.requests.map(\.target)
    try kit.expect(targets.allSatisfy { !$0.contains("secret") && !$0.contains("#") }, "the targets were \(targets)")
  }

  package static let emptyPathIsSlash = ConformanceRule(
    "empty-path-is-slash", "an empty path is sent as a slash", source: "RFC 9112 §3.2.1",
    because: "A request target has at least a slash."
  ) {
    kit in
    let place = kit.serve()
    let text = place.url().absoluteString
    guard let end = text.lastIndex(of: "/"), let name = HTTPField.Name(PlaceTable.field),
      let bare = URL(string: String(text[..<end])), let asking = URL(string: text[..<end] + "?a=1")
    else { return }
    let fields: HTTPFields = [name: String(text[text.index(after: end)...])]
    _ = try await kit.fetch(Request(.get, bare, headerFields: fields))
    _ = try await kit.fetch(Request(.get, asking, headerFields: fields))
    try kit.expectEqual(place.requests.map(\.target), ["/", "/?a=1"], "the targets were")
  }

  package static let hostField = ConformanceRule(
    "host-field", "the host field is the URL's host and port, once", source: "RFC 9110 §7.2",
    because: "Every request names its host and port.", features: .madeFields
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(place)
    let authority = try Origin(place.url()).authority
    try kit.expectEqual(place.requests.first?.fields[values: "Host"], [authority], "the field was")
  }

  package static let hostFieldOfAddress = ConformanceRule(
    "host-field-of-address", "an IPv6 address has brackets in the host field", source: "RFC 9110 §7.2, RFC 3986 §3.2.2",
    because: "IPv6 addresses have brackets in `Host`.",
    features: [.madeFields, .ipv6, .plain]
  ) { kit in
    let place = kit.serve()
    let url = place.url(host: "[::1]")
    _ = try await kit.fetch(Request(.get, url))
    try kit.expectEqual(place.requests.first?.fields["Host"], "[::1]:\(url.port ?? 0)", "the field was")
  }

  package static let fieldsInOrder = ConformanceRule(
    "fields-in-order", "fields keep their order, and repeated ones stay separate", source: "RFC 9110 §5.3",
    because: "Order matters among fields of one name, and they are not merged."
  ) { kit in
    let place = kit.serve()
    var request = Request(.get, place.url())
    let lines = [("X-B", "1"), ("X-A", "2"), ("X-B", "3, 4"), ("X-C", "5"), ("X-B", "6")]
    for (name, value) in lines { request.headerFields.append(name, value) }
    _ = try await kit.fetch(request)
    let seen = place.requests.first?.fields.lines.filter { $0.name.lowercased().hasPrefix("x-") } ?? []
    let wanted = lines.map { "\($0.0.lowercased()): \($0.1)" }
    try kit.expectEqual(seen.map { "\($0.name.lowercased()): \($0.value)" }, wanted, "the fields arrived as")
  }

  package static let emptyFieldSent = ConformanceRule(
    "empty-field-sent", "a field with an empty value is sent", source: "RFC 9110 §5.5",
    because: "A field value may be empty."
  ) {
    kit in
    let place = kit.serve()
    var request = Request(.get, place.url())
    request.headerFields.append("X-Empty", "")
    request.headerFields.append("X-After", "here")
    _ = try await kit.fetch(request)
    try kit.expectEqual(place.requests.first?.fields[values: "X-Empty"], [""], "the field arrived as")
    try kit.expectEqual(place.requests.first?.fields["X-After"], "here", "the field after it arrived as")
  }

  package static let fieldBytesKept = ConformanceRule(
    "field-bytes-kept", "values outside ASCII keep their bytes", source: "RFC 9110 §5.5",
    because: "Bytes above 0x7f are opaque.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    var request = Request(.get, place.url())
    guard let latin = HTTPField.Name("X-Latin"), let unicode = HTTPField.Name("X-Unicode") else { return }
    request.headerFields.append(HTTPField(name: latin, value: [0x63, 0x61, 0x66, 0xe9]))
    request.headerFields.append(HTTPField(name: unicode, value: "café 鷸"))
    _ = try await kit.fetch(request)
    let head = place.requests.first?.rawHead ?? []
    try kit.expect(
      head.firstRange(of: [0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a]) != nil, "the bytes in ISO 8859-1 did not arrive")
    try kit.expect(head.firstRange(of: [UInt8]("café 鷸\r\n".utf8)) != nil, "the bytes in UTF-8 did not arrive")
  }

  package static let fieldNameCaseKept = ConformanceRule(
    "field-name-case-kept", "over HTTP/1.1 the case of a field's name is kept", source: "RFC 9110 §5.1",
    because: "Field names are case-insensitive, but not for old servers.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    var request = Request(.get, place.url())
    request.headerFields.append("X-MixedCASE", "1")
    _ = try await kit.fetch(request)
    let names = place.requests.first?.fields.lines.map(\.name) ?? []
    try kit.expect(names.contains("X-MixedCASE"), "the names were \(names)")
  }

  package static let noFieldsUnasked = ConformanceRule(
    "no-fields-unasked", "no field is sent that the request does not have or need", source: "Transport",
    because: "A field that the app does not know of can leak, or change the answer.", features: .madeFields
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(place)
    _ = try await kit.fetch(Request(.post, place.url(), body: .text("a body")))
    let unasked = [
      "Accept", "Accept-Language", "User-Agent", "Expect", "Content-Type", "Cookie", "Authorization", "Referer",
      "Upgrade", "HTTP2-Settings", "Origin", "Pragma", "Cache-Control",
    ]
    for request in place.requests {
      let found = unasked.filter { request.fields[$0] != nil }
      try kit.expect(found.isEmpty, "\(request.method) carried \(found.joined(separator: ", "))")
    }
  }

  package static let ownFieldsOnce = ConformanceRule(
    "own-fields-once", "fields that are set arrive once, as set", source: "RFC 9110 §5.3",
    because: "A field that arrives twice may be joined to one that no server accepts.", features: .madeFields
  ) { kit in
    let place = kit.serve()
    var request = Request(.post, place.url(), body: .text("a body"))
    let fields = [
      "User-Agent": "curlew/1", "Accept": "text/plain", "Content-Type": "text/x-own", "Accept-Encoding": "identity",
    ]
    for (name, value) in fields { request.headerFields.append(name, value) }
    _ = try await kit.fetch(request)
    for (name, value) in fields {
      try kit.expectEqual(place.requests.first?.fields[values: name], [value], "\(name) arrived as")
    }
  }

  package static let noCodingOffered = ConformanceRule(
    "no-coding-offered", "a transport that delivers content as it was sent offers no coding by itself",
    source: "TransportCapabilities",
    because: "What is offered must be decoded, and only the layer above decodes.",
    capabilities: .rawContent, features: .madeFields
  ) { kit in
    for decodes in [nil, true, false] {
      let place = kit.serve()
      var request = Request(.get, place.url())
      request.options.decodesContent = decodes
      _ = try await kit.fetch(request)
      try kit.expectEqual(place.requests.first?.fields["Accept-Encoding"], nil, "the offered codings")
    }
  }

  package static let badURLRefused = ConformanceRule(
    "bad-url-refused", "a URL without an origin is refused", source: "RFC 9110 §4.2",
    because: "A URL that two parsers read differently sends secrets to the wrong host."
  ) { kit in
    let place = kit.serve()
    let good = place.url("/p").absoluteString.dropFirst(place.url().scheme.map { $0.count + 3 } ?? 0)
    let bad = [
      "ftp://\(good)", "http:///p", "http://user:secret@\(good)", "http://127.0.0.1:99999/p", "http://127.0.0.1:0/p",
      "/p", "file:///etc/passwd", "http://a%00b/", "http://a%20b/",
    ]
    for text in bad {
      guard let url = URL(string: text) else { continue }
      try await kit.expectError(.invalidURL, "asking \(text)") { _ = try await kit.send(Request(.get, url)) }
    }
    try kit.expect(place.requests.isEmpty, "one of them reached the server")
  }

  package static let badTimeoutRefused = ConformanceRule(
    "bad-timeout-refused", "a timeout of zero or less is rejected", source: "Timeouts",
    because: "Zero could mean at once or never."
  ) {
    kit in
    let place = kit.serve()
    for timeouts in [Timeouts(idle: .zero), Timeouts(total: .seconds(-1)), Timeouts(idle: .milliseconds(-1))] {
      var request = Request(.get, place.url())
      request.options.timeouts = timeouts
      try await kit.expectError(.invalidRequest, "asking with \(timeouts)") { _ = try await kit.send(request) }
    }
    try kit.expect(place.requests.isEmpty, "one of them reached the server")
  }

  package static let bodilessMethodsRefused = ConformanceRule(
    "bodiless-methods-refused", "HEAD and TRACE with a body are refused", source: "RFC 9110 §9.3.2, §9.3.8",
    because: "Servers take such a body for the next request."
  ) { kit in
    let place = kit.serve()
    for method in [HTTPRequest.Method.head, .trace] {
      var request = Request(method, place.url())
      request.body = .text("body")
      try await kit.expectError(.invalidRequest, "\(method) with a body") { _ = try await kit.send(request) }
    }
    try kit.expect(place.requests.isEmpty, "one of them reached the server")
  }

  package static let unsupportedRefused = ConformanceRule(
    "unsupported-refused", "a request that needs a missing capability is rejected before it is sent",
    source: "Transport",
    because: "A pin or a proxy that is silently ignored fails open."
  ) { kit in
    let place = kit.serve()
    var tried = 0
    for (capability, change) in needs where !kit.transport.capabilities.contains(capability) {
      var request = Request(.get, place.url())
      var settings = kit.endpoint.settings
      change(&request, &settings)
      tried += 1
      let error = try await kit.expectError(.unsupported, "asking for \(capability.names.joined())") {
        _ = try await kit.send(request, in: Exchange(settings))
      }
      try kit.expect(error.details.missing.contains(capability), "the error does not say what is missing")
    }
    try kit.expect(place.requests.isEmpty, "one of them reached the server")
    if tried == 0 { throw ConformanceSkip("the transport lacks no capability that a request can need") }
  }

  private typealias Need = @Sendable (inout Request, inout ExchangeSettings) -> Void

  /// Changes that make a request need a capability.
  private static let needs: [(TransportCapabilities, Need)] = [
    (.serverTrust, { $1.serverTrust = RecordingTrustEvaluator() }),
    (.clientIdentity, { $1.clientIdentity = ClientIdentity(certificateChain: Data(), privateKey: Data()) }),
    (.proxy, { $1.proxy = Proxy(.http, host: "127.0.0.1", port: 9) }),
    (.unixSocket, { request, _ in request.options.unixSocketPath = "/tmp/none" }),
    (.addressOverrides, { request, _ in request.options.addressOverrides = [AddressOverride(address: "127.0.0.1")] }),
    (.rateLimit, { request, _ in request.options.rateLimit = RateLimit(receive: 1000) }),
    (.rawContent, { request, _ in request.options.decodesContent = false }),
    (.expectContinue, { request, _ in request.options.expectsContinue = true }),
    (.connectTimeout, { request, _ in request.options.timeouts.connect = .seconds(1) }),
    (.versionChoice, { request, _ in request.options.version = .http1 }),
    (.allowedNetworks, { request, _ in request.options.allowedNetworks = .unmetered }),
    (.http2, { request, _ in request.options.needs = .http2 }),
    (.trailers, { request, _ in request.options.needs = .trailers }),
    (.backpressure, { request, _ in request.options.needs = .backpressure }),
    (.informationalResponses, { request, _ in request.options.needs = .informationalResponses }),
    (.streamedUploads, { request, _ in request.body = .stream(replayable: false) { UploadSource(pieces: []) } }),
  ]
}

extension HTTPFields {
  /// Appends a field; ignores an invalid name.
  mutating func append(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    append(HTTPField(name: name, value: value))
  }
}
