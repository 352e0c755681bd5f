import CurlewCore
import CurlewJSON
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct EndpointTests {
  struct GetBird: Endpoint {
    typealias Output = Bird
    var id: Int
    var path: String { "birds/\(id)" }
  }

  struct AddBird: Endpoint {
    typealias Output = Bird
    var draft: Bird
    var method: HTTPRequest.Method { .post }
    var path: String { "birds" }
    var parameters: Parameters? { ["notify": true] }
    var content: RequestContent { .encoded(draft) }
    var headerFields: HTTPFields { [.ifNoneMatch: "*"] }
  }

  struct RemoveBird: Endpoint {
    typealias Output = Void
    var id: Int
    var method: HTTPRequest.Method { .delete }
    var path: String { "birds/\(id)" }
  }

  struct Song: Endpoint {
    typealias Output = Data
    var path: String { "song?loud" }
  }

  struct Motto: Endpoint {
    typealias Output = String
    var path: String { "https://other.test/motto" }
    func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<String> {
      StringResponseSerializer()
    }
  }

  @Test func `a stub answers an endpoint with a value in one line`() async throws {
    let stub = StubTransport(answering: GetBird(id: 7), with: .curlew, as: .json)
    let session = try HTTPSession.birds(stub)
    #expect(try await session.value(of: GetBird(id: 7)) == .curlew)
    #expect(try await session.response(to: GetBird(id: 7)).head.status == .ok)
    #expect(
      await networkError { _ = try await session.value(of: GetBird(id: 8)) }?.details.response?.status == .notFound)
    #expect(
      await networkError { _ = try await session.value(of: AddBird(draft: .curlew)) }?.kind == .unacceptableStatus)
  }

  @Test func `an endpoint says what is asked for, and the session the rest`() async throws {
    let recording = RecordingTransport(
      StubTransport { asked in asked.request.method == .delete ? StubAnswer(.noContent) : .json(Bird.json) })
    let session = try HTTPSession.birds(recording)
    #expect(try await session.value(of: AddBird(draft: .curlew)) == .curlew)
    try await session.value(of: RemoveBird(id: 7))
    #expect(try await session.value(of: Song()) == Data(Bird.json.utf8))
    #expect(try await session.value(of: Motto()) == Bird.json)
    #expect(
      recording.requests.map { "\($0.method) \($0.url.absoluteString)" } == [
        "POST https://birds.test/v1/birds?notify=1", "DELETE https://birds.test/v1/birds/7",
        "GET https://birds.test/v1/song?loud", "GET https://other.test/motto",
      ])
    #expect(recording.requests.map { $0.headerFields[.accept] } == ["application/json", nil, nil, nil])
    #expect(recording.requests.first?.headerFields[.ifNoneMatch] == "*")
  }

  @Test func `a stub's answer passes validation like a server's`() async throws {
    let stub = StubTransport(answering: GetBird(id: 7), with: .curlew, as: .json, status: .internalServerError)
    let session = try HTTPSession.birds(stub)
    #expect(await networkError { _ = try await session.value(of: GetBird(id: 7)) }?.kind == .unacceptableStatus)
  }
}
