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
  /// A format of the app's own: a name in each line.
  private struct Lines: ValueCoding {
    var name: String { "lines" }
    var mediaType: MediaType { .plainText }

    func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
      guard let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init) as? Value else {
        throw CocoaError(.featureUnsupported)
      }
      return lines
    }

    func encode(_ value: some Encodable) throws -> Data { throw CocoaError(.featureUnsupported) }
  }

  private func configuration(_ transport: SessionTransport) -> SessionConfiguration {
    SessionConfiguration(transport).with { $0.formats.add(.json) }
  }

  private func origin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      request.path == "/notes" ? .ok("heron\nwigeon\n", type: "text/plain") : .json(#"["curlew"]"#)
    }
  }

  @Test func `the app reads JSON over libcurl`() async throws {
    let origin = try await origin()
    let app = Sightings(configuration(.made { try CurlTransport() }))
    #expect(try await app.names(origin.address("/json")) == ["curlew"])
    let error = await #expect(throws: NetworkError.self) { try await app.names(origin.address("/notes")) }
    #expect(error?.kind == .unacceptableContentType)
    await origin.stop()
  }

  @Test func `one line adds a format`() async throws {
    let origin = try await origin()
    var configuration = configuration(.made { try CurlTransport() })
    configuration.formats.add(Lines())
    let app = Sightings(configuration)
    #expect(try await app.names(origin.address("/notes")) == ["heron", "wigeon"])
    #expect(try await app.names(origin.address("/json")) == ["curlew"])
    await origin.stop()
  }

  @Test func `one line swaps the transport`() async throws {
    let stub = StubTransport(.bytes(Data(#"["dunlin"]"#.utf8), headerFields: [.contentType: "application/json"]))
    let app = Sightings(configuration(.shared(stub)))
    #expect(try await app.names("http://h/json") == ["dunlin"])
    #expect(stub.requestCount == 1)
  }
}
