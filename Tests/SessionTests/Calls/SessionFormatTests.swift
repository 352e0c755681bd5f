import CurlewCore
import CurlewJSON
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// A format from outside: members in lines such as `id=7`.
private struct LinesCoding: ValueCoding {
  var mediaType: MediaType { .plainText }
  var name: String { "lines" }

  func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "=") }
    let members = pairs.map { "\"\($0[0])\":" + (Int($0[1]) == nil ? "\"\($0[1])\"" : String($0[1])) }
    return try JSONCoding().decode(type, from: Data("{\(members.joined(separator: ","))}".utf8), nil)
  }

  func encode(_ value: some Encodable) throws -> Data {
    let text = String(decoding: try JSONCoding().encode(value), as: UTF8.self)
    return Data(text.filter { !"{}\"".contains($0) }.map { $0 == ":" ? "=" : $0 == "," ? "\n" : "\($0)" }.joined().utf8)
  }
}

@Suite(.timeLimit(.minutes(10))) struct SessionFormatTests {
  private struct GetBird: Endpoint {
    typealias Output = Bird
    var path: String { "birds/7" }
  }

  /// Answers `lines` as lines, everything else as JSON, and refuses `gone` with lines.
  private func session(
    _ change: (inout SessionConfiguration) throws -> Void = { _ in }
  ) throws -> (HTTPSession, RecordingTransport) {
    let recording = RecordingTransport(
      StubTransport { asked in
        let path = asked.request.url.path
        if path.hasSuffix("gone") {
          return StubAnswer(
            .gone, headerFields: [.contentType: "text/plain"], body: [.bytes(Data("id=1\nname=Dodo".utf8))])
        }
        return path.hasSuffix("lines")
          ? StubAnswer(headerFields: [.contentType: "text/plain"], body: [.bytes(Data("id=7\nname=Curlew".utf8))])
          : .json(Bird.json)
      })
    let session = try HTTPSession.birds(recording) { configuration in
      configuration.formats.add(LinesCoding())
      try change(&configuration)
    }
    return (session, recording)
  }

  @Test func `answers are read by their media type into the type that is asked for`() async throws {
    let (session, recording) = try session()
    let json: Bird = try await session.get("birds/7")
    let lines: Bird = try await session.get("lines")
    #expect(json == .curlew && lines == .curlew)
    #expect(try await session.value(of: GetBird()) == .curlew)
    let accept = "application/json, text/plain;q=0.9"
    #expect(recording.requests.map { $0.headerFields[.accept] } == [accept, accept, accept])
    let error = await networkError { let _: Bird = try await session.get("gone") }
    #expect(error?.kind == .unacceptableStatus && error?.decodedBody(as: Bird.self)?.name == "Dodo")
  }

  @Test func `what is sent is chosen by name or by media type`() async throws {
    let (session, recording) = try session()
    let vendor = try #require(MediaType("application/vnd.bird+json"))
    try await session.post("birds", .encoded(Bird.curlew))
    try await session.post("birds", .encoded(Bird.curlew, as: "lines"))
    try await session.post("birds", .encoded(Bird.curlew, as: .plainText))
    try await session.post("birds", .encoded(Bird.curlew, as: vendor))
    let types = recording.requests.map { $0.headerFields[.contentType] }
    #expect(types == ["application/json", "text/plain", "text/plain", "application/vnd.bird+json"])
    let bodies = recording.requests.map { request -> String? in
      guard case .bytes(let bytes) = request.body.source else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(bodies == [Bird.json, "id=7\nname=Curlew", "id=7\nname=Curlew", Bird.json])
  }

  @Test func `a format that the session does not have is refused before anything is sent`() async throws {
    let (session, recording) = try session()
    let byName = await networkError { try await session.post("birds", .encoded(Bird.curlew, as: "cbor")) }
    #expect(byName?.kind == .unsupported && byName?.message.contains("cbor, but json, lines") == true)
    let byType = await networkError { try await session.post("birds", .encoded(Bird.curlew, as: .yaml)) }
    #expect(byType?.kind == .unsupported && byType?.stage == .preparing)
    #expect(recording.requests.isEmpty)
  }

  @Test func `the format of a session is replaced by one of the same name`() async throws {
    struct Shouting: ValueCoding {
      var mediaType: MediaType { .json }
      func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
        try JSONCoding().decode(
          type, from: Data(String(decoding: body, as: UTF8.self).replacing("Curlew", with: "CURLEW").utf8), head)
      }
      func encode(_ value: some Encodable) throws -> Data { try JSONCoding().encode(value) }
    }
    let (session, recording) = try session { $0.formats.add(Shouting()) }
    let bird: Bird = try await session.get("birds/7")
    #expect(bird.name == "CURLEW")
    #expect(recording.requests.first?.headerFields[.accept] == "application/json, text/plain;q=0.9")
  }

  @Test func `coding is the first of the formats`() throws {
    let (session, _) = try session()
    #expect(session.configuration.coding is JSONCoding)
    let lines = session.with { $0.coding = LinesCoding() }
    #expect(lines.configuration.formats.all.map(\.name) == ["lines"])
    #expect(session.with { $0.coding = nil }.configuration.formats.all.map(\.name) == ["lines"])
  }

  @Test func `an Accept of the session is kept for endpoints as well`() async throws {
    let (session, recording) = try session { $0.headerFields[.accept] = "application/vnd.bird+json" }
    _ = try await session.value(of: GetBird())
    #expect(recording.requests.first?.headerFields[.accept] == "application/vnd.bird+json")
  }
}
