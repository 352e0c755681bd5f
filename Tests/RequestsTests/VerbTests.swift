import CurlewCore
import CurlewCurlTransport
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Each verb over a real socket: what a template makes arrives as it was meant.
@Suite(.timeLimit(.minutes(10))) struct VerbTests {
  private struct Echo: Codable, Sendable, Equatable {
    var method: String
    var target: String
    var type: String?
    var body: String
    var agent: String?
  }

  private static func start() async throws -> (ScriptedOrigin, CurlTransport, Loader) {
    let origin = try await ScriptedOrigin.start { request in
      let body = String(decoding: await request.body(), as: UTF8.self)
      let echo = Echo(
        method: request.method, target: request.target, type: request["Content-Type"], body: body,
        agent: request["User-Agent"])
      guard let json = try? JSONEncoder().encode(echo) else { return .status(500) }
      return .ok(Array(json), type: "application/json")
    }
    let transport = try CurlTransport()
    return (origin, transport, Loader(transport))
  }

  private static func template(_ origin: ScriptedOrigin, _ serializer: any RequestSerializer) throws -> RequestTemplate
  {
    var fields: HTTPFields = [:]
    fields[.userAgent] = "template"
    return RequestTemplate(baseURL: try BaseURL(origin.url("/v1")), serializer: serializer, headerFields: fields)
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "PURGE"])
  func `a verb arrives with its parameters in the query, in a form or as JSON`(_ verb: String) async throws {
    let (origin, transport, loader) = try await Self.start()
    let method = try #require(HTTPRequest.Method(verb))
    let isQuery = ["GET", "DELETE"].contains(verb)
    for (serializer, type, body) in [
      (FormRequestSerializer(), "application/x-www-form-urlencoded", "kind=c%20d&n=1"),
      (JSONRequestSerializer(), "application/json", #"{"n":1,"kind":"c d"}"#),
    ] as [(any RequestSerializer, String, String)] {
      let template = try Self.template(origin, serializer)
      let request = try template.request(method, "a b?x=1", ["n": 1, "kind": "c d"])
      let expected = Echo(
        method: verb, target: isQuery ? "/v1/a%20b?x=1&kind=c%20d&n=1" : "/v1/a%20b?x=1", type: isQuery ? nil : type,
        body: isQuery ? "" : body, agent: "template")
      #expect(try await Transfer(loader, request, decoding: .json(Echo.self)).run() == expected)
      #expect(try await loader.value(for: request, decoding: .json(Echo.self)).0 == expected)
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `HEAD arrives with a query, and its answer has a head and no body`() async throws {
    let (origin, transport, loader) = try await Self.start()
    let request = try Self.template(origin, JSONRequestSerializer()).request(.head, "/top", ["n": 1])
    let result = try await Transfer(loader, request, decoding: .data).run()
    #expect(result.isEmpty)
    let (data, head) = try await loader.value(for: request, decoding: .data)
    #expect(data.isEmpty && head.status == .ok && head.mediaType == .json)
    #expect(origin.requests.map(\.lines.first) == ["HEAD /top?n=1 HTTP/1.1", "HEAD /top?n=1 HTTP/1.1"])
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a multipart form arrives with its boundary and its length, parameters first`() async throws {
    let (origin, transport, loader) = try await Self.start()
    let request = try Self.template(origin, JSONRequestSerializer()).multipart(
      .post, "photos", ["title": "Curlew"], headerFields: [.contentType: "text/plain"]
    ) { try $0.append(Data("bytes".utf8), name: "photo", fileName: "c.png", mediaType: .png) }
    let echo = try await Transfer(loader, request, decoding: .json(Echo.self)).run()
    let type = try #require(echo.type.flatMap { MediaType($0) })
    let boundary = try #require(type["boundary"])
    #expect(type.essence == "multipart/form-data")
    #expect(echo.body.hasPrefix("--\(boundary)\r\n"))
    #expect(echo.body.hasSuffix("\r\n--\(boundary)--\r\n"))
    let title = try #require(echo.body.firstRange(of: "Curlew"))
    let photo = try #require(echo.body.firstRange(of: "bytes"))
    #expect(title.upperBound < photo.lowerBound)
    #expect(origin.requests.first?["Content-Length"] == String(echo.body.utf8.count))
    await transport.shutdown()
    await origin.stop()
  }
}
