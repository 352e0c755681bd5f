import Curlew
import CurlewTestSupport
import SmallServer
import Testing

@testable import BesideAServer

@Suite(.timeLimit(.minutes(10))) struct BirdHandlerTests {
  private func withHandler(_ work: (BirdHandler, String) async throws -> Void) async throws {
    let api = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/v1/": .ok("")
      case "/v1/birds/7": .json(#"{"name":"Curlew"}"#)
      case "/v1/birds/9": .status(503, [:])
      default: .status(404, [:])
      }
    }
    let address = api.address("/v1/")
    try await work(BirdHandler(api: try HTTPSession(baseURL: address)), address)
    await api.stop()
  }

  @Test func `a handler answers with what the API says, and with a cookie of the server's`() async throws {
    try await withHandler { handler, _ in
      let first = await handler.respond(to: Request(path: "/birds/7"))
      #expect(first.status == 200 && first.body.text == "Curlew")
      #expect(first.headerFields["set-cookie"] == "last=Curlew")
      let request = Request(path: "/birds/7", headerFields: ["cookie": "a=1; last=Heron"])
      #expect(request.cookies == [Cookie(name: "a", value: "1"), Cookie(name: "last", value: "Heron")])
      #expect(await handler.respond(to: request).body.text == "Curlew, after Heron")
    }
  }

  @Test func `an error of the API becomes an answer of the server's`() async throws {
    try await withHandler { handler, address in
      #expect(await handler.respond(to: Request(path: "/birds/8")).status == 404)
      #expect(await handler.respond(to: Request(path: "/birds/9")).status == 502)
      let answers = try await handler.ping(address)
      #expect(answers)
    }
  }
}
