import CurlewCore
import CurlewCurlTransport
import CurlewJSON
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Sightings
import Testing

@Suite struct PartsTests {
  /// A format of the app's own: names and values in lines.
  private struct Notes: ResponseSerializer {
    var validation = ResponseValidation(mediaTypes: [.plainText])
    func serialize(_ head: ResponseHead?, _ body: Data) throws -> [String] {
      String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private func formats() -> SerializerRegistry {
    let formats = SerializerRegistry()
    formats.useJSON()
    return formats
  }

  private func origin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      request.path == "/notes" ? .ok("a\nb\n", type: "text/plain") : .json("[1]")
    }
  }

  @Test func `the app reads JSON over libcurl`() async throws {
    let origin = try await origin()
    let app = Sightings(SessionConfiguration(.made { try CurlTransport() }), formats: formats())
    #expect(try await app.document(origin.address("/json")) as? JSONValue? == [1])
    let error = await #expect(throws: NetworkError.self) { try await app.document(origin.address("/notes")) }
    #expect(error?.kind == .unacceptableContentType)
    await origin.stop()
  }

  @Test func `one line adds a serializer`() async throws {
    let origin = try await origin()
    let formats = formats()
    formats.register(Notes(), for: [.plainText])
    let app = Sightings(SessionConfiguration(.made { try CurlTransport() }), formats: formats)
    #expect(try await app.document(origin.address("/notes")) as? [String] == ["a", "b"])
    #expect(try await app.document(origin.address("/json")) as? JSONValue? == [1])
    await origin.stop()
  }

  @Test func `one line swaps the transport`() async throws {
    let stub = StubTransport(.bytes(Data("[2]".utf8), headerFields: [.contentType: "application/json"]))
    let app = Sightings(SessionConfiguration(.shared(stub)), formats: formats())
    #expect(try await app.document("http://h/json") as? JSONValue? == [2])
    #expect(stub.requestCount == 1)
  }
}
