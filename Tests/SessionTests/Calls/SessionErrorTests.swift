import CurlewCore
import CurlewJSON
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(2))) struct SessionErrorTests {
  private static let problem = #"{"type":"https://birds.test/gone","title":"Gone","status":410,"detail":"It flew."}"#

  @Test func `the body of a refused response is decoded when the session is asked to`() async throws {
    let stub = StubTransport(.json(Self.problem, status: .gone, type: "application/problem+json"))
    let session = try HTTPSession.birds(stub)
    let plain = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(plain?.decodedBody(ProblemDetails.self) == nil)

    let error = await networkError {
      let _: Bird = try await session.errors(as: ProblemDetails.self).get("birds/7")
    }
    #expect(error?.kind == .unacceptableStatus)
    #expect(error?.details.response?.status == .gone)
    #expect(error?.details.responseBody == Data(Self.problem.utf8))
    let problem = try #require(error?.decodedBody(ProblemDetails.self))
    #expect(problem.type == "https://birds.test/gone" && problem.title == "Gone" && problem.status == 410)
    #expect(problem.detail == "It flew." && problem.instance == nil)
    #expect(error?.decodedBody(Bird.self) == nil)
    #expect(error?.description.contains("flew") == false)
  }

  @Test func `a body that is not what is expected leaves the error as it is`() async throws {
    let stub = StubTransport(.json("<html>", status: .badGateway, type: "text/html"))
    let session = try HTTPSession.birds(stub).errors(as: ProblemDetails.self)
    let error = await networkError { try await session.get("birds/7") }
    #expect(error?.kind == .unacceptableStatus)
    #expect(error?.decodedBody(ProblemDetails.self) == nil)
    #expect(error?.details.responseBody == Data("<html>".utf8))
  }

  @Test func `streams and transfers report decoded errors too`() async throws {
    let stub = StubTransport(.json(Self.problem, status: .gone, type: "application/problem+json"))
    let session = try HTTPSession.birds(stub).errors(as: ProblemDetails.self)
    let errors = [
      await networkError { for try await _ in session.bytes("b") {} },
      await networkError { _ = try await session.stream(.get, "b") },
      await networkError { for try await _ in session.serverSentEvents("b") {} },
      await networkError { _ = try await session.upload(.bytes(Data([1])), to: "b").value },
    ]
    for error in errors { #expect(error?.decodedBody(ProblemDetails.self)?.status == 410) }
  }

  @Test(arguments: [
    (#"{"title":7,"status":"410","detail":null}"#, "about:blank", nil as String?, nil as Int?),
    (#"{"title":"a","extra":[1]}"#, "about:blank", "a", nil),
    (#"{"type":"urn:x","status":500}"#, "urn:x", nil, 500),
  ]) func `a member of another type than the RFC's is ignored`(
    _ text: String, _ type: String, _ title: String?, _ status: Int?
  ) throws {
    let problem = try JSONCoding().decode(ProblemDetails.self, from: Data(text.utf8), nil)
    #expect(problem.type == type && problem.title == title && problem.status == status && problem.detail == nil)
    let again = try JSONCoding().decode(ProblemDetails.self, from: JSONCoding().encode(problem), nil)
    #expect(again == problem)
  }
}
