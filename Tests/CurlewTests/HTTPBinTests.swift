import Curlew
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import Testing

/// httpbin's address; nil where `Scripts/httpbin-peers` has not started it.
private let address = ProcessInfo.processInfo.environment["CURLEW_HTTPBIN"]

/// Every endpoint of httpbin that a client can exercise, over both transports.
@Suite(.enabled(if: address != nil, "Scripts/httpbin-peers runs this"), .timeLimit(.minutes(10)))
struct HTTPBinTests {
  enum Carrier: String, CaseIterable, Sendable {
    case curl, urlSession

    func session() throws -> HTTPSession {
      try HTTPSession(baseURL: address ?? "") { configuration in
        guard self == .urlSession else { return }
        configuration.transport = .made { URLSessionTransport() }
      }
    }
  }

  struct Probe: Sendable, CustomTestStringConvertible {
    var endpoint: String
    /// The error over URLSessionTransport, for what it cannot do.
    var refusal: NetworkError.Kind?
    var check: @Sendable (HTTPSession) async throws -> Void
    var testDescription: String { endpoint }

    init(
      _ endpoint: String, urlSession refusal: NetworkError.Kind? = nil,
      _ check: @escaping @Sendable (HTTPSession) async throws -> Void
    ) {
      self.endpoint = endpoint
      self.refusal = refusal
      self.check = check
    }
  }

  /// What httpbin says of a request.
  struct Echo: Decodable, Sendable {
    var args: [String: String]?
    var headers: [String: String]?
    var form: [String: String]?
    var files: [String: String]?
    var data: String?
    var json: Bird?
    var method: String?
    var url: String?
  }

  struct Bird: Codable, Sendable, Equatable { var name: String }

  private static let heron = Bird(name: "Grey heron, é")

  /// The status that a call fails with.
  private static func status(_ work: () async throws -> Void) async -> Int? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? NetworkError)?.details.response?.status.code
    }
  }

  /// A session that answers challenges.
  private static func known(_ session: HTTPSession, password: String = "p") -> HTTPSession {
    session.with { configuration in
      configuration.settings.hooks.challenge = { challenge in
        challenge.previousFailureCount == 0 ? .use(.password(user: "u", password: password)) : .defaultHandling
      }
    }
  }

  // MARK: Methods and what they carry

  private static let methods = [
    Probe("get") { session async throws in
      let echo: Echo = try await session.get("get", parameters: ["q": "a b&c", "n": 2])
      #expect(echo.args == ["q": "a b&c", "n": "2"])
      #expect(try await session.head("get").status == .ok)
    },
    Probe("post") { session async throws in
      let json: Echo = try await session.post("post", .json(heron))
      #expect(json.json == heron)
      let form: Echo = try await session.post("post", .form(["name": "Möwe", "n": 1]))
      #expect(form.form == ["name": "Möwe", "n": "1"])
      let bytes: Echo = try await session.post("post", .text("plain"))
      #expect(bytes.data == "plain")
    },
    Probe("post, a value compressed") { session async throws in
      let echo: Echo = try await session.post("post", .json(String(repeating: "curlew ", count: 500)).gzipped())
      #expect(echo.headers?["Content-Encoding"] == "gzip")
    },
    Probe("post, a multipart form", urlSession: .unsupported) { session async throws in
      let echo: Echo = try await session.post(
        "post",
        .multipart { form in
          try form.append("Curlew", name: "title")
          try form.append(Data("song".utf8), name: "song", fileName: "song.txt", mediaType: .plainText)
        })
      #expect(echo.form == ["title": "Curlew"] && echo.files == ["song": "song"])
    },
    Probe("post, a stream", urlSession: .unsupported) { session async throws in
      let chunks = AsyncStream<Data> { feed in
        for text in ["one ", "two"] { feed.yield(Data(text.utf8)) }
        feed.finish()
      }
      let upload = session.upload(
        .body(.stream(chunks, length: 7), as: .plainText), to: "post", as: Echo.self)
      for try await _ in upload {}
      #expect(try await upload.value.data == "one two")
    },
    Probe("put, patch, delete") { session async throws in
      let put: Echo = try await session.put("put", .json(heron))
      let patched: Echo = try await session.patch("patch", .json(heron))
      #expect(put.json == heron && patched.json == heron)
      let deleted: Echo = try await session.delete("delete", parameters: ["a": 1])
      #expect(deleted.args == ["a": "1"])
    },
    Probe("anything") { session async throws in
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let echo: Echo = try await session.request(try #require(.init(method)), "anything/a%20b")
        #expect(echo.method == method && echo.url?.hasSuffix("/anything/a%20b") == true)
      }
    },
    Probe("headers, user-agent, ip, uuid") { session async throws in
      let echo: Echo = try await session.get("headers", headerFields: [.referer: "http://r.test/"])
      #expect(echo.headers?["Referer"] == "http://r.test/")
      #expect(echo.headers?["Accept"] == "application/json")
      let agent = try await session.get("user-agent", .json([String: String].self))["user-agent"]
      #expect(agent == session.configuration.headerFields[.userAgent])
      #expect(try await session.get("ip", .json([String: String].self))["origin"] == "127.0.0.1")
      #expect(try await session.get("uuid", .json([String: String].self))["uuid"]?.count == 36)
    },
  ]

  // MARK: Responses

  private static let responses = [
    Probe("json, xml") { session async throws in
      let shown = try await session.get("json", .jsonValue)
      #expect(shown?["slideshow"]?["author"]?.stringValue == "Yours Truly")
      #expect(try await session.get("xml", .xml).root.name.localName == "slideshow")
    },
    Probe("html, robots.txt, deny, forms/post, links, /") { session async throws in
      for path in ["html", "robots.txt", "deny", "forms/post", "links/3/0", "links/3", ""] {
        #expect(try await !session.get(path, .string).isEmpty, "\(path)")
      }
    },
    Probe("encoding/utf8, base64") { session async throws in
      #expect(try await session.get("encoding/utf8", .string).contains("STARGΛ̊TE"))
      #expect(try await session.get("base64/Q3VybGV3", .string) == "Curlew")
    },
    Probe("gzip, deflate, brotli") { session async throws in
      for (path, member) in [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")] {
        #expect(try await session.get(path, .jsonValue)?[member]?.boolValue == true, "\(path)")
      }
    },
    Probe("image") { session async throws in
      for (path, type) in [("png", "image/png"), ("jpeg", "image/jpeg"), ("webp", "image/webp")] {
        let image = try await session.get("image/\(path)", .image)
        #expect(image.info.width > 0 && image.info.height > 0, "\(type)")
      }
      #expect(try await session.get("image/svg", .string).contains("<svg"))
      #expect(try await session.get("image", .data, headerFields: [.accept: "image/png"]).starts(with: [0x89, 0x50]))
    },
    Probe("bytes, stream-bytes, range, drip") { session async throws in
      #expect(try await session.get("bytes/1000", .data, parameters: ["seed": 1]).count == 1000)
      var count = 0
      for try await chunk in session.bytes("stream-bytes/1000", parameters: ["chunk_size": 100]) {
        count += chunk.count
      }
      #expect(count == 1000)
      let part = try await session.response(.get, "range/26", headerFields: [.range: "bytes=3-5"])
      #expect(part.head.status == .partialContent && part.value == Data("def".utf8))
      #expect(try await session.get("drip", .data, parameters: ["duration": 0, "numbytes": 10]).count == 10)
    },
    Probe("stream") { session async throws in
      var urls = 0
      for try await echo in session.jsonLines("stream/5", as: Echo.self) { urls += echo.url == nil ? 0 : 1 }
      #expect(urls == 5)
      var lines = 0
      for try await line in session.lines("stream/5") { lines += line.hasPrefix("{") ? 1 : 0 }
      #expect(lines == 5)
    },
    Probe("a download of range, continued") { session async throws in
      let path = FileManager.default.temporaryDirectory.path + "/curlew-bin-\(UInt64.random(in: 0 ... .max))"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let download = session.download("range/50000", to: path)
      for try await _ in download {}
      #expect(try await download.value.length == 50_000)
      #expect(FileManager.default.contents(atPath: path)?.prefix(3) == Data("abc".utf8))
    },
    Probe("delay") { session async throws in
      var options = RequestOptions()
      options.timeouts.total = .milliseconds(300)
      let error = await #expect(throws: NetworkError.self) { try await session.get("delay/5", .data, options: options) }
      #expect(error?.isTimeout == true)
      try await session.get("delay/0", .data)
    },
    Probe("response-headers") { session async throws in
      let head = try await session.response(.get, "response-headers", parameters: ["X-Bird": "curlew"]).head
      let name = try #require(HTTPField.Name("X-Bird"))
      #expect(head.headerFields[name] == "curlew")
    },
  ]

  // MARK: What a chain does

  private static let semantics = [
    Probe("status") { session async throws in
      for code in [200, 204, 206] { try await session.get("status/\(code)", .data) }
      for code in [400, 404, 418, 429, 500, 503] {
        #expect(await status { try await session.get("status/\(code)", .data) } == code)
      }
    },
    Probe("redirect, relative-redirect, absolute-redirect, redirect-to") { session async throws in
      for path in ["redirect/3", "relative-redirect/3", "absolute-redirect/3"] {
        let response = try await session.response(.get, path, as: Echo.self)
        #expect(response.head.url.path == "/get" && response.metrics.count == 4, "\(path)")
      }
      for code in [307, 308] {
        let echo: Echo = try await session.post(
          "redirect-to", .json(heron), parameters: ["url": "/post", "status_code": .integer(Int128(code))])
        #expect(echo.json == heron, "\(code)")
      }
      let error = await #expect(throws: NetworkError.self) { try await session.get("redirect/25", .data) }
      #expect(error?.kind == .tooManyRedirects)
    },
    Probe("cookies") { session async throws in
      struct Jar: Decodable, Sendable { var cookies: [String: String] }
      let set: Jar = try await session.get("cookies/set", parameters: ["a": "1", "b": "2"])
      #expect(set.cookies == ["a": "1", "b": "2"])
      let named: Jar = try await session.get("cookies/set/c/3")
      #expect(named.cookies["c"] == "3")
      let deleted: Jar = try await session.get("cookies/delete", parameters: ["a": ""])
      #expect(deleted.cookies == ["b": "2", "c": "3"])
    },
    Probe("basic-auth, hidden-basic-auth, bearer") { session async throws in
      #expect(await status { try await session.get("basic-auth/u/p", .data) } == 401)
      #expect(await status { try await known(session, password: "x").get("basic-auth/u/p", .data) } == 401)
      let value = try await known(session).get("basic-auth/u/p", .jsonValue)
      #expect(value?["authenticated"]?.boolValue == true)
      #expect(await status { try await session.get("hidden-basic-auth/u/p", .data) } == 404)
      #expect(await status { try await session.get("bearer", .data) } == 401)
      let bearer = try await session.get("bearer", .jsonValue, headerFields: [.authorization: "Bearer t"])
      #expect(bearer?["token"]?.stringValue == "t")
    },
    Probe("digest-auth") { session async throws in
      for path in ["auth/u/p", "auth-int/u/p", "auth/u/p/SHA-256", "auth/u/p/SHA-512", "auth/u/p/MD5/never"] {
        let value = try await known(session).get("digest-auth/\(path)", .jsonValue)
        #expect(value?["authenticated"]?.boolValue == true, "\(path)")
      }
    },
    Probe("cache, etag") { session async throws in
      #expect(await status { try await session.get("cache", .data, headerFields: [.ifNoneMatch: "x"]) } == 304)
      #expect(await status { try await session.get("etag/a", .data, headerFields: [.ifNoneMatch: "a"]) } == 304)
      #expect(await status { try await session.get("etag/a", .data, headerFields: [.ifMatch: "b"]) } == 412)
      let caching = session.with { $0.chain.caching = Caching(MemoryCacheStore()) }
      for source in [ResponseHead.Source.network, .cache] {
        #expect(try await caching.response(.get, "cache/60").head.source == source)
      }
    },
  ]

  @Test(arguments: methods + responses + semantics, Carrier.allCases)
  func `an endpoint works, or is refused with its error`(_ probe: Probe, _ carrier: Carrier) async throws {
    let session = try carrier.session()
    guard carrier == .urlSession, let refusal = probe.refusal else { return try await probe.check(session) }
    let error = await #expect(throws: NetworkError.self) { try await probe.check(session) }
    #expect(error?.kind == refusal)
  }
}
