import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct RequestFieldTests {
  @Test func `nothing is said that was not asked for, and codings are offered`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      _ = try await transport.fetch(Request(.get, origin.url()))
      _ = try await transport.fetch(Request(.put, origin.url(), body: .text("x")))
      let names = origin.requests.map { $0.fields.lines.map(\.name).sorted() }
      #expect(names == [["Accept-Encoding", "Host"], ["Accept-Encoding", "Content-Length", "Host"]])
    }
  }

  @Test func `fields keep order, case and repetition`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      var request = Request(.get, origin.url())
      let lines = ["x-Empty: ", "X-B: 1", "X-A: 2", "X-B: 3, 4", "Cookie: a=1", "X-Z: café"]
      for line in lines {
        let parts = line.split(separator: ": ", omittingEmptySubsequences: false).map(String.init)
        request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(parts[0])), value: parts[1]))
      }
      _ = try await transport.fetch(request)
      let seen = origin.requests[0].fields.lines.filter { !["Host", "Accept-Encoding"].contains($0.name) }
      #expect(seen.map { "\($0.name): \($0.value)" } == lines)
    }
  }

  @Test func `fields that Foundation makes are the app's when it sets them`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      var request = Request(.post, origin.url(), body: .text("a=b"))
      let own = [
        "Accept": "a/b", "Accept-Encoding": "identity", "Accept-Language": "cy", "Content-Type": "x/y",
        "User-Agent": "curlew/1", "Host": "example.test",
      ]
      for (name, value) in own { request.headerFields[try #require(HTTPField.Name(name))] = value }
      _ = try await transport.fetch(request)
      for (name, value) in own { #expect(origin.requests[0].fields[values: name] == [value]) }
    }
  }

  @Test func `no coding is offered for a range`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      _ = try await transport.fetch(Request(.get, origin.url(), headerFields: [.range: "bytes=0-1"]))
      #expect(origin.requests[0]["Accept-Encoding"] == nil)
    }
  }

  @Test func `what must not be repeated asks for a connection of its own`() async throws {
    // As RFC 9112, section 9.6 asks of servers; without the field, libcurl may send on the connection before it sees the end.
    try await withOrigin { request in
      request["Connection"] == "close" ? .ok("", ["Connection": "close"]) : .ok()
    } _: { origin, transport in
      for _ in 0..<2 { _ = try await transport.fetch(Request(.get, origin.url())) }
      for _ in 0..<2 { _ = try await transport.fetch(Request(.post, origin.url(), body: .text("x"))) }
      var delete = Request(.delete, origin.url())
      delete.options.isIdempotent = false
      _ = try await transport.fetch(delete)
      _ = try await transport.fetch(Request(.get, origin.url()), in: Exchange().derived(freshConnection: true))
      #expect(origin.requests.map { $0["Connection"] } == [nil, nil, "close", "close", "close", "close"])
      #expect(origin.requests.map(\.isOnReusedConnection) == [false, true, false, false, false, false])
      #expect(Set(origin.requests.map(\.connection)).count == 5)
    }
  }

  @Test func `what Foundation would change is refused before it is sent`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      var latin = Request(.get, origin.url())
      latin.headerFields.append(HTTPField(name: try #require(HTTPField.Name("X-Latin")), value: [0x63, 0xe9]))
      let requests = [
        Request(try #require(HTTPRequest.Method("get")), origin.url()),
        Request(.get, origin.url(), body: .text("content")),
        Request(.get, origin.url(), headerFields: [.expect: "100-continue"]), latin,
        try Request(.get, "http://[::1]:\(origin.port)/"),
      ]
      for request in requests {
        let error = try await failure { _ = try await transport.send(request, in: Exchange()) }
        #expect(error.kind == .unsupported, "\(request)")
        #expect(!error.maybeProcessed)
      }
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `a capability that is lacking is named in the refusal`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      var settings = ExchangeSettings()
      settings.proxy = Proxy(.http, host: "127.0.0.1", port: 9)
      let error = try await failure {
        _ = try await transport.send(Request(.get, origin.url()), in: Exchange(settings))
      }
      #expect(error.kind == .unsupported)
      #expect(error.details.missing == .proxy)
      let stream = Body.stream(AsyncStream<Data> { $0.finish() })
      let other = try await failure {
        _ = try await transport.send(Request(.post, origin.url(), body: stream), in: Exchange())
      }
      #expect(other.details.missing == .streamedUploads)
      #expect(origin.requests.isEmpty)
    }
  }

  @Test func `header injection does not come through`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      var request = Request(.get, origin.url())
      request.headerFields[try #require(HTTPField.Name("X-A"))] = "1\r\nX-Injected: 2"
      request.headerFields[.accept] = "a\nX-Injected: 3"
      _ = try? await transport.fetch(request)
      #expect(origin.requests.allSatisfy { $0["X-Injected"] == nil })
    }
  }
}
