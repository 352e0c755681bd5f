import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct SessionErrorTests {
  private static let problem = #"{"type":"https://birds.test/gone","title":"Gone","status":410,"detail":"It flew."}"#

  @Test func `the body of a refused response is decoded in the session's format`() async throws {
    let stub = StubTransport(.json(Self.problem, status: .gone, type: "application/problem+json"))
    let session = try HTTPSession.birds(stub)
    let error = await networkError { let _: Bird = try await session.get("birds/7") }
    #expect(error?.kind == .unacceptableStatus && error?.status == .gone)
    #expect(error?.details.responseBody == Data(Self.problem.utf8))
    let problem = try #require(error?.decodedBody(as: ProblemDetails.self))
    #expect(problem.type == "https://birds.test/gone" && problem.title == "Gone" && problem.status == 410)
    #expect(problem.detail == "It flew." && problem.instance == nil)
    #expect(error?.decodedBody(as: Bird.self) == nil)
    #expect(error?.description.contains("flew") == false)
  }

  @Test func `a body that is not what is expected, or that was not refused, has no value`() async throws {
    let page = try HTTPSession.birds(StubTransport(.json("<html>", status: .badGateway, type: "text/html")))
    let refused = await networkError { try await page.get("birds/7", .data) }
    #expect(refused?.status == .badGateway)
    #expect(refused?.decodedBody(as: ProblemDetails.self) == nil)
    #expect(refused?.details.responseBody == Data("<html>".utf8))
    let unreadable = try HTTPSession.birds(StubTransport(.json(Self.problem)))
    let undecoded = await networkError { let _: Bird = try await unreadable.get("birds/7") }
    #expect(undecoded?.kind == .serializationFailed && undecoded?.status == .ok)
    #expect(undecoded?.decodedBody(as: ProblemDetails.self) == nil)
    let formatless = page.with { $0.coding = nil }
    #expect(await networkError { try await formatless.get("birds/7", .data) }?.decodedBody(as: String.self) == nil)
  }

  @Test func `a page of HTML in the place of a value is named in the description`() async throws {
    let page = "<!DOCTYPE html><title>Sign in</title>"
    for stub in [StubTransport(.text(page)), StubTransport(.json(page, type: "text/html")), StubTransport(.json(page))]
    {
      let session = try HTTPSession.birds(stub)
      let error = await networkError { let _: Bird = try await session.get("birds/7") }
      #expect(
        error?.description.contains(" The body is a page of HTML, such as one for signing in") == true,
        "\(error as Any)")
    }
  }

  @Test func `streams and transfers report bodies that can be decoded too`() async throws {
    let stub = StubTransport(.json(Self.problem, status: .gone, type: "application/problem+json"))
    let session = try HTTPSession.birds(stub)
    let patient = session.with { $0.retry = RetryPolicy(limit: 0) }
    let errors = [
      await networkError { for try await _ in session.bytes("b") {} },
      await networkError { _ = try await session.stream(.get, "b") },
      await networkError { for try await _ in session.serverSentEvents("b") {} },
      await networkError { _ = try await session.upload(.bytes(Data([1])), to: "b").value },
      await networkError { let _: Bird = try await patient.get("b") },
    ]
    for error in errors {
      #expect(error?.decodedBody(as: ProblemDetails.self)?.status == 410)
      let name = try #require(error?.description.split(separator: ": The server answered 410 Gone").first)
      #expect(["GET https://birds.test/v1/b", "POST https://birds.test/v1/b"].contains(name))
    }
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
