import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// What an error says that can be done, for failures that a new app meets.
@Suite(.timeLimit(.minutes(10))) struct AdviceTests {
  private func answer(
    _ status: HTTPResponse.Status, _ type: String, _ body: String, _ fields: HTTPFields = [:]
  ) throws -> HTTPSession {
    let fields = HTTPFields(Array(fields) + [HTTPField(name: .contentType, value: type)])
    return try .birds(StubTransport { _ in StubAnswer(status, headerFields: fields, body: [.bytes(Data(body.utf8))]) })
  }

  @Test(arguments: [
    (500, "The server itself failed, and its log says why: try again later."),
    (502, "A gateway got no valid answer from the server behind it: try again later."),
    (503, "The server is overloaded or down for a while: try again later."),
    (504, "A gateway got no valid answer from the server behind it: try again later."),
  ])
  func `a status of a server that failed says what that means, and what repeats the request`(
    _ code: Int, _ meaning: String
  ) async throws {
    let session = try answer(.init(code: code), "text/plain", "")
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.advice == "\(meaning) A `RetryPolicy` waits and repeats it (`configuration.retry`).")
    let repeated = session.with { $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero)) }
    let last = await networkError { let _: Bird = try await repeated.get("birds/7") }
    #expect(last?.advice == meaning)
  }

  @Test func `a POST that is not repeated says what would allow it, and one that was repeated says nothing of it`()
    async throws
  {
    let session = try answer(.serviceUnavailable, "text/plain", "").with {
      $0.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }
    let error = await networkError { let _: Bird = try await session.post("birds") }
    #expect(
      error?.details.attempts == 1 && error?.advice?.contains("repeats a POST only with an `Idempotency-Key`") == true)
    let options = RequestOptions(isIdempotent: true)
    let repeated = await networkError { let _: Bird = try await session.post("birds", options: options) }
    #expect(repeated?.details.attempts == 2 && repeated?.advice?.contains("POST") == false)
  }

  @Test(arguments: [
    ("Bearer realm=\"x\"", "for https://birds.test; it asks for Bearer."),
    ("Digest realm=\"x\", Basic realm=\"y\"", "for https://birds.test; it asks for Digest or Basic."),
    ("\u{7F}\u{E9} secret", "for https://birds.test."), (nil, "for https://birds.test."),
  ])
  func `a 401 says which kind of credentials the server asks for`(_ challenge: String?, _ end: String) async throws {
    let fields: HTTPFields = challenge.map { [.wwwAuthenticate: $0] } ?? [:]
    let session = try answer(.unauthorized, "text/plain", "", fields)
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.advice?.hasSuffix(end) == true, "\(error?.advice ?? "")")
    #expect(error?.advice?.contains("authenticate(user:password:)") == (challenge?.hasPrefix("Bearer") != true))
    let known = session.with { $0.headerFields[.authorization] = "Bearer old" }
    let refused = await networkError { let _: Bird = try await known.get("birds/7") }
    #expect(refused?.advice?.hasPrefix("The server refused the credentials that the request had: check them") == true)
  }

  @Test func `a 401 of another server than the credentials are for names both`() async throws {
    let session = try answer(.unauthorized, "text/plain", "", [.wwwAuthenticate: "Basic"])
    let advice =
      "The session's credentials are for https://birds.test, and were not sent to https://other.test: give this call"
    for known in [
      session.with { $0.headerFields[.authorization] = "Bearer new" },
      try session.with { try $0.authenticate(user: "wader", password: "secret") },
    ] {
      let error = await networkError { let _: Bird = try await known.get("https://other.test/birds/7") }
      #expect(error?.advice?.hasPrefix(advice) == true, "\(error?.advice ?? "")")
    }
    let known = session.with { $0.headerFields[.authorization] = "Bearer new" }
    let url = try #require(URL(string: "https://other.test/"))
    for error in [
      await networkError {
        try await known.get("https://other.test/", .data, headerFields: [.authorization: "Bearer a"])
      },
      await networkError { try await session.get("https://other.test/", .data) },
      await networkError {
        try await known.with { $0.secretOrigins = [try Origin(url)] }.get("https://other.test/", .data)
      },
    ] {
      #expect(error?.advice?.contains("were not sent") == false, "\(error?.advice ?? "")")
    }
  }

  @Test func `a redirect that is not followed says so, and one without a place does not`() async throws {
    for (fields, isTold) in [([.location: "/birds/8?token=s3cr3t"] as HTTPFields, true), ([:], false)] {
      let session = try answer(.found, "text/plain", "", fields).with { $0.options.redirectLimit = 0 }
      let error = await networkError { let _: Bird = try await session.get("birds/7") }
      let advice = error?.advice ?? ""
      #expect(error?.status == .found && advice.contains("`options.redirectLimit`") == isTold)
      #expect(advice.hasPrefix("The redirect to https://birds.test/birds/8 was not followed: ") == isTold, "\(advice)")
    }
  }

  @Test(arguments: [
    (403, "check that it has the credentials"), (405, "the server allows GET, HEAD"), (407, "`Proxy.credential`"),
    (408, "did not get the request in time"), (413, "no body of this size"), (415, "check `Content-Type`"),
    (501, "does not know this method"), (511, "with a browser"),
  ])
  func `a status that has one remedy says it`(_ status: Int, _ part: String) async throws {
    let session = try answer(.init(code: status), "text/plain", "", [.allow: "GET, HEAD"])
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.advice?.contains(part) == true, "\(error?.advice ?? "none")")
    #expect(error?.isRetryable == (status == 408))
    let odd = try answer(.methodNotAllowed, "text/plain", "", [.allow: "GET `x`"])
    let plain = await networkError { let _: Bird = try await odd.get("birds/7") }
    #expect(plain?.advice == "Check the method and the URL.")
  }

  @Test func `a 429 says how long the server asks to wait, and where its words are`() async throws {
    let session = try answer(.tooManyRequests, "application/json", "{}", [.retryAfter: "120"])
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    let advice = try #require(error?.advice)
    #expect(advice.hasPrefix("Send fewer requests; it asks to wait 120 s (`Retry-After`). A `RetryPolicy` waits"))
    #expect(advice.hasSuffix("`error.decodedBody(as:)` has what the server said about it."))
  }

  @Test(arguments: [
    ("[]", "Compare the type with"), (#"{"id":"seven","name":"Curlew"}"#, "Compare the type with"),
    (#"{"id":7}"#, "Compare the type with"), (#"{"id":7"#, "Look at"), ("<", "Look at"),
  ])
  func `a body of another shape says where the body is, and one that cannot be read`(
    _ body: String, _ start: String
  ) async throws {
    let session = try answer(.ok, "application/json", body)
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.advice == "\(start) the body: `try error.refusedValue(.string)` is its start as text.")
    #expect(try error?.refusedValue(.string) == body)
  }

  @Test func `a text asked of JSON names the serializer for texts`() async throws {
    let session = try answer(.ok, "application/json", Bird.json)
    let error = await networkError { let _: String = try await session.get("birds/7") }
    #expect(error?.advice == "The body as text is `try await session.get(path, .string)`.")
    #expect(try await session.get("birds/7", .string) == Bird.json)
  }

  @Test(arguments: [
    ("text/plain", "Hello", "Check the URL; with `.string` or `.data` any body is a value."),
    ("text/html", "<html>", "or one that a wrong URL leads to. With `.string` it is a value."),
  ])
  func `a body of another type names the URL and the serializer for texts`(
    _ type: String, _ body: String, _ advice: String
  ) async throws {
    let session = try answer(.ok, type, body)
    for session in [session, session.with { $0.formats.sniffs = true }] {
      let error = await networkError { let _: Bird = try await session.get("birds/7") }
      #expect(
        error?.kind == .unacceptableContentType && error?.advice?.hasSuffix(advice) == true, "\(error?.advice ?? "")")
    }
  }

  @Test func `a stream of another type than events says what is wrong`() async throws {
    let session = try answer(.ok, "application/json", "{}")
    let error = await networkError { for try await _ in session.serverSentEvents("birds") {} }
    #expect(error?.message.hasSuffix("is not that of an event stream (text/event-stream).") == true)
    #expect(error?.advice?.hasPrefix("Check the URL") == true)
    let away = try answer(.serviceUnavailable, "application/json", "{}")
    let refused = await networkError { for try await _ in away.serverSentEvents("birds") {} }
    #expect(refused?.advice?.contains("EventStreamOptions.temporaryStatuses") == true)
  }

  @Test func `a value that JSON lacks is named with its path, and in one sentence`() async throws {
    let session = try answer(.ok, "application/json", "{}")
    let error = await networkError { try await session.post("birds", .encoded(["weight": Double.nan])) }
    #expect(error?.message.hasPrefix("The content cannot be encoded: `weight`: ") == true, "\(error?.message ?? "")")
    #expect(error?.message.hasSuffix("..") == false)
    #expect(error?.advice == "Send null or a text for NaN and infinity, which the format lacks.")
    #expect(error?.description.hasPrefix("POST https://birds.test/v1/birds: ") == true)
    let form = await networkError { try await session.post("birds", .form(encoding: [1])) }
    #expect(form?.advice == "Give a dictionary, or a value whose properties become the names.")
  }

  @Test func `a file that cannot be sent is named with its request and what to do`() async throws {
    let session = try answer(.ok, "application/json", "{}")
    for (path, advice) in [
      ("/none/f", "Check the path, and that its directory exists."),
      ("file:///none/f", "Write the path alone, without `file://`."),
    ] {
      let errors = [
        await networkError { try await session.post("birds", .file(path)) },
        await networkError { _ = try await session.upload(.file(path), to: "birds").value },
      ]
      for error in errors {
        #expect(error?.description.hasPrefix("POST https://birds.test/v1/birds: The file ") == true, "\(error!)")
        #expect(error?.advice == advice)
      }
    }
  }

  @Test func `a query and a form take variables of several types in their order`() async throws {
    let recording = RecordingTransport(StubTransport(.json(Bird.json)))
    let session = try HTTPSession.birds(recording)
    let (text, number, nothing): (String, Int, String?) = ("a b&c", 2, nil)
    let _: Bird = try await session.get("birds", parameters: ["name": text, "page": number, "none": nothing, "x": "y"])
    _ = try await session.get("birds", .string, parameters: ["name": text])
    let _: Bird = try await session.post("birds", .form(["name": text, "page": number]))
    #expect(recording.requests.map { $0.url.query() } == ["name=a%20b%26c&page=2&x=y", "name=a%20b%26c", nil])
    guard case .bytes(let form) = try #require(recording.requests.last).body.source else { throw CancellationError() }
    #expect(String(decoding: form, as: UTF8.self) == "name=a%20b%26c&page=2")
    let error = await networkError { let _: Bird = try await session.get("b", parameters: ["a": Unencodable()]) }
    #expect(
      error?.kind == .serializationFailed && error?.message.hasPrefix("The parameters cannot be encoded: ") == true)
  }

  private struct Unencodable: Encodable {
    func encode(to encoder: any Encoder) throws { throw CancellationError() }
  }

  @Test func `the data of an event is decoded in the session's format`() async throws {
    let stream = "event: bird\nid: 1\ndata: \(Bird.json)\n\ndata: 7\n\n"
    let session = try answer(.ok, "text/event-stream", stream)
    var birds: [Bird] = []
    for try await event in session.serverSentEvents("birds") {
      guard event.type == "bird" else {
        let error = await networkError { _ = try event.decoded(as: Bird.self) }
        #expect(error?.kind == .serializationFailed && error?.advice?.contains("event.data") == true)
        #expect(error?.message.hasPrefix("The data of an event cannot be decoded as Bird: ") == true)
        break
      }
      #expect(event == ServerSentEvent(type: "bird", data: Bird.json, lastEventID: "1"))
      #expect(!String(reflecting: Mirror(reflecting: event).children.map(\.label)).contains("coding"))
      birds.append(try event.decoded(as: Bird.self))
    }
    #expect(birds == [.curlew])
    let own = ServerSentEvent(data: Bird.json)
    #expect(await networkError { _ = try own.decoded(as: Bird.self) }?.kind == .unsupported)
    #expect(try own.decoded(as: Bird.self, by: JSONCoding()) == .curlew)
  }
}
