import CurlewCore
import Foundation
import HTTPTypes
import Testing

/// What a person reads about a failed request.
@Suite struct NetworkErrorTests {
  private static func error(
    _ request: String? = nil, method: HTTPRequest.Method = .get, answeredAt answered: String? = nil,
    _ status: HTTPResponse.Status = .notFound
  ) throws -> NetworkError {
    let request = try request.map { try Request(method, $0) }
    let head = try answered.map { ResponseHead(url: try #require(URL(string: $0)), status: status) }
    return NetworkError(.unacceptableStatus, stage: .validating, message: "It failed.").with { details in
      details.request = request
      details.response = head
    }
  }

  @Test func `a description names the request, what happened and the stage, in this order`() throws {
    let end = ": It failed. (unacceptable-status, while validating the response)"
    for (error, name) in [
      (try Self.error("https://h.test/birds/7"), "GET https://h.test/birds/7"),
      (try Self.error("https://h.test/a", method: .post, answeredAt: "https://h.test/a"), "POST https://h.test/a"),
      (
        try Self.error("https://h.test/a", method: .put, answeredAt: "https://i.test/b?c"),
        "PUT https://h.test/a, redirected to https://i.test/b"
      ),
      (try Self.error(answeredAt: "https://i.test/b"), "https://i.test/b"),
    ] {
      #expect(error.description == name + end)
      #expect((error as any Error).localizedDescription == name + end)
    }
    #expect(try Self.error().description == "It failed. (unacceptable-status, while validating the response)")
  }

  @Test(arguments: [
    ("https://h.test/a?token=secret", "https://h.test/a"), ("https://h.test/a#secret", "https://h.test/a"),
    ("https://u:secret@h.test/a?b", "https://h.test/a"), ("https://secret@h.test/", "https://h.test/"),
    ("https://h.test/a;jsessionid=secret/b?c", "https://h.test/a;jsessionid=<redacted>/b"),
    ("https://h.test/a@b", "https://h.test/a@b"), ("https://h.test?secret", "https://h.test"),
  ])
  func `the URL in a description has neither user, nor query, nor secrets`(url: String, shown: String) throws {
    for error in [try Self.error(url), try Self.error(url, answeredAt: url)] {
      #expect(error.description.hasPrefix("GET \(shown): "))
    }
    let redacted = try #require(Redaction.standard.redacted(try Self.error(url)) as? NetworkError)
    #expect(redacted.description.hasPrefix("GET \(shown): "))
  }

  @Test func `the URL in a description is not longer than a line or two`() throws {
    let error = try Self.error("https://h.test/" + String(repeating: "é", count: 50_000))
    #expect(error.description.count < 300 && error.description.contains("…: It failed."))
  }

  @Test func `a description counts the attempts if there were several`() {
    let once = NetworkError(.connectionLost, stage: .sending, message: "It failed.")
    #expect(once.description == "It failed. (connection-lost, while sending the request)")
    let often = once.with { $0.attempts = 3 }
    #expect(often.description == "It failed. (connection-lost, while sending the request, after 3 attempts)")
  }

  @Test func `the error for a transport without HTTP/2 says how to get it`() throws {
    let request = try Request(.get, "https://h.test/")
    let lacking = NetworkError.unsupported([.http2, .proxy], request: request).description
    #expect(lacking.contains("use libcurl 8.14 or later (but not 8.16), or the transport of the trait AsyncHTTPClient"))
    #expect(!NetworkError.unsupported(.proxy, request: request).description.contains("libcurl"))
  }

  @Test(arguments: [
    "<center>The plain HTTP request was sent to HTTPS port</center>",
    "<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
    "Client sent an HTTP request to an HTTPS server.\n",
  ])
  func `a server that says that it expects TLS leads to https, and another 400 does not`(body: String) throws {
    func text(_ url: String, _ status: HTTPResponse.Status, _ body: String) throws -> String {
      try Self.error(url, answeredAt: url, status).with { $0.responseBody = Data(body.utf8) }.description
    }
    let hint = "The server expects TLS at this port: write https:// in the URL."
    #expect(try text("http://h.test:443/", .badRequest, body).contains(hint))
    #expect(try !text("https://h.test/", .badRequest, body).contains(hint))
    #expect(try !text("http://h.test:443/", .notFound, body).contains(hint))
    #expect(try !text("http://h.test:443/", .badRequest, "Bad request").contains(hint))
  }

  @Test func `a description ends with what to do, where the message does not say it`() throws {
    func text(_ kind: NetworkError.Kind, _ change: (inout NetworkError.Details) -> Void = { _ in }) -> String {
      NetworkError(kind, stage: .connecting, message: "It failed.").with(change).description
    }
    #expect(
      text(.connectionFailed)
        == "It failed. Check the address, and that the server runs. (connection-failed, while connecting)")
    #expect(text(.nameLookupFailed).contains("Check the spelling of the host"))
    #expect(text(.idleTimedOut).contains("options.timeouts.idle"))
    #expect(text(.nameLookupFailed) { $0.lacksNetwork = true }.hasPrefix("It failed. Connect it and try again; "))
    let untrusted = ServerTrustError(.untrusted, message: "It failed.")
    #expect(text(.serverTrustRefused) { $0.trust = untrusted }.contains("policy.anchors = .only("))
    let pinned = text(.serverTrustRefused) { $0.trust = ServerTrustError(.pinMismatch, message: "It failed.") }
    #expect(pinned.contains("ask the server's operator") && !pinned.contains("anchors"))
  }

  @Test
  func `advice of an error's own takes the place of that of its kind, and is what Foundation calls the suggestion`() {
    let error = NetworkError(.connectionFailed, stage: .connecting, message: "It failed.", advice: "Try it.")
    #expect(error.advice == "Try it." && error.recoverySuggestion == "Try it." && error.failureReason == "It failed.")
    #expect(error.description == "It failed. Try it. (connection-failed, while connecting)")
    let missing = ServerTrustError(.untrusted, message: "It failed.", advice: "Install it.")
    let refused = NetworkError(.serverTrustRefused, stage: .securing, message: missing.message).with {
      $0.trust = missing
    }
    #expect(refused.advice == "Install it." && missing.description == "It failed. Install it.")
  }

  @Test func `a URL without a usable origin and a field that cannot be sent have advice`() throws {
    let ftp = #expect(throws: InvalidOriginError.self) { try Request(.get, "ftp://h.test/").origin }
    #expect(ftp?.message == "The URL's scheme (ftp) is not supported." && ftp?.advice == "Use http or https.")
    #expect(ftp?.description == "The URL's scheme (ftp) is not supported. Use http or https.")
    let socket = #expect(throws: InvalidOriginError.self) { try Request(.get, "wss://example.com/chat").origin }
    #expect(socket?.advice == "Use http or https; a WebSocket opens with `session.webSocket` (CurlewWebSocket).")
    let key = #expect(throws: NetworkError.self) { try HTTPFields(named: ["X-API-Key": "k7\n"]) }
    #expect(key?.advice == "Remove it.")
  }

  @Test func `a failed handshake leads to plain HTTP on this machine alone`() throws {
    func advice(_ url: String) throws -> String? {
      let request = try Request(.get, url)
      return NetworkError(.handshakeFailed, stage: .securing, message: "No.").with { $0.request = request }.advice
    }
    for host in ["localhost", "127.0.0.1", "[::1]"] {
      #expect(try advice("https://\(host):8443/")?.contains("write http://") == true)
    }
    for url in ["https://h.test/", "https://10.0.0.1:8443/", "https://localhost.h.test/", "https://127.h.test/"] {
      #expect(try advice(url) == "Check the port: the server may not speak TLS there.")
    }
  }

  @Test func `a connection over TLS that was late leads to the port, too`() throws {
    func advice(_ url: String) throws -> String? {
      let request = try Request(.get, url)
      return NetworkError(.connectTimedOut, stage: .connecting, message: "Late.").with { $0.request = request }.advice
    }
    #expect(try advice("https://h.test/")?.contains("speaks TLS at this port") == true)
    #expect(try advice("http://h.test/")?.contains("TLS") == false)
  }

  @Test(arguments: [
    ("application/json", #"{"detail": "secret"}"#, "`error.decodedBody(as:)` has what the server said about it."),
    (
      "application/problem+json; charset=utf-8", "{}",
      "`error.decodedBody(as: ProblemDetails.self)` has what the server said about it."
    ),
    ("application/json", "", nil), ("text/plain", "", nil), ("image/png", "{}", nil), (nil, "{}", nil),
    (
      "text/html; charset=utf-8", "<p>secret",
      "`try error.refusedValue(.string)` is the start of what the server said about it."
    ),
  ])
  func `a refusal with a body of JSON or text says how it is read, and does not quote it`(
    type: String?, body: String, advice: String?
  ) throws {
    let plain = try Self.error("https://h.test/", answeredAt: "https://h.test/").with { details in
      details.responseBody = Data(body.utf8)
      details.response?.headerFields[.contentType] = type
    }
    let error = plain.with { $0.coding = true }
    #expect(plain.advice == nil && error.advice == advice)
    #expect(!error.description.contains("secret"))
  }

  @Test func `a 401 says whether the credentials were for another server`() throws {
    let own = try Self.error("https://h.test/a", answeredAt: "https://h.test/b", .unauthorized)
    #expect(
      own.advice
        == "Give the session a password (`configuration.authenticate(user:password:)`) or a token (`TokenSource`)"
        + " for https://h.test.")
    let elsewhere = try Self.error("https://h.test/a", answeredAt: "https://i.test/a", .unauthorized)
    #expect(elsewhere.description.contains("Credentials are not sent after a redirect to another server"))
    #expect(try Self.error("https://h.test/a", answeredAt: "https://i.test/a", .conflict).advice == nil)
  }

  @Test(arguments: [
    ("text/html; charset=utf-8", "", true), ("application/xhtml+xml", "", true),
    (nil, "\u{FEFF}\n <!DOCTYPE html><p>", true),
    ("application/json", "<HTML lang='en'>", true), ("application/json", "{\"a\": \"<html\"", false), (nil, "", false),
    ("application/xml", "<?xml version='1.0'?><htm/>", false),
  ])
  func `a page of HTML in the place of a value is named as such`(type: String?, body: String, isPage: Bool) throws {
    for kind in [NetworkError.Kind.serializationFailed, .unacceptableContentType, .bodyTooLarge] {
      let error = try Self.error("https://h.test/", answeredAt: "https://h.test/", .ok).with { details in
        (details.kind, details.responseBody) = (kind, Data(body.utf8))
        details.response?.headerFields[.contentType] = type
      }
      #expect((error.advice?.contains("is a page of HTML") == true) == (isPage && kind != .bodyTooLarge))
    }
  }

  @Test func `a connection that was lost leads to https only where TLS can be the reason`() throws {
    func advice(_ url: String, _ stage: NetworkError.Stage, isReused: Bool? = false) throws -> String? {
      let request = try Request(.get, url)
      return NetworkError(.connectionLost, stage: stage, message: "Lost.").with { details in
        (details.request, details.connectionReused) = (request, isReused)
      }.advice
    }
    #expect(try advice("http://h.test:8443/", .awaitingHead)?.contains("write https://") == true)
    #expect(try advice("http://h.test:8443/", .awaitingHead, isReused: true) == nil)
    #expect(try advice("http://h.test:8443/", .receivingBody) == nil)
    #expect(try advice("http://h.test:80/", .awaitingHead) == nil)
    #expect(try advice("http://h.test/", .awaitingHead) == nil)
    #expect(try advice("https://h.test:8443/", .awaitingHead) == nil)
  }

  @Test func `the status is that of the response`() throws {
    #expect(try Self.error("https://h.test/", answeredAt: "https://h.test/", .gone).status == .gone)
    #expect(try Self.error("https://h.test/").status == nil)
  }

  @Test func `an error keeps the request that it names`() throws {
    let (first, second) = (try Request(.get, "https://h.test/1"), try Request(.get, "https://h.test/2"))
    let error = NetworkError(.connectionLost, stage: .sending, message: "Lost.")
    #expect(error.naming(first).naming(second).details.request?.url == first.url)
  }

  @Test func `an error about a file names it and says what to do`() throws {
    let missing = "/none-\(UInt64.random(in: 0 ... .max))/photo.jpg"
    let error = #expect(throws: NetworkError.self) { try Body.file(URL(filePath: missing)) }
    #expect(error?.message.contains(missing) == true && error?.advice?.hasPrefix("Check the path") == true)
    let directory = #expect(throws: NetworkError.self) { try Body.file(URL(filePath: "/")) }
    #expect(directory?.message == "/ cannot be sent: it is not a regular file.")
    #expect(directory?.advice == "Give the path of one.")
    let remote = try #require(URL(string: "https://u:secret@h.test/photo?token=secret"))
    let refused = #expect(throws: NetworkError.self) { try Body.file(remote) }
    #expect(refused?.message == "https://h.test/photo is not a file URL.")
    #expect(refused?.advice == "Make one with URL(filePath:), or give a path.")
    let full = FileSystemError(code: ENOSPC, operation: "write", path: "/f")
    #expect(full.reason == "No space left on device")
    #expect(full.recoverySuggestion == "Free some space, or choose a place on another disk.")
  }

  @Test func `a status without a phrase is named by its code alone`() {
    #expect(HTTPResponse.Status(code: 599).words == "599")
    #expect(HTTPResponse.Status.notFound.words == "404 Not Found")
  }
}
