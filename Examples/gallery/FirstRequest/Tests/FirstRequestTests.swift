import Curlew
import CurlewTestSupport
import Testing

@testable import FirstRequest

@Suite(.timeLimit(.minutes(10))) struct FirstRequestTests {
  @Test func `a repository, a missing one and a server that is down each have their sentence`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/repos/swiftlang/swift"
        ? .json(#"{"full_name":"swiftlang/swift","stargazers_count":70000,"fork":false}"#) : .status(404)
    }
    let api = try HTTPSession(baseURL: origin.address("/"))
    #expect(await sentence(about: "swiftlang/swift", from: api) == "swiftlang/swift has 70000 stars.")
    #expect(await sentence(about: "no/one", from: api) == "There is no repository no/one.")
    await origin.stop()
    #expect(await sentence(about: "swiftlang/swift", from: api).contains("connection-failed"))
  }
}
