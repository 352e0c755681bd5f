import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// Where a secret must not be seen.
@Suite struct AuthenticationRedactionTests {
  private static let secrets = ["hush-hush", Data("wader:hush-hush".utf8).base64EncodedString(), "response=\""]

  @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "Bearer"])
  func `no event and no error shows what was sent`(challenge: String) async throws {
    let observer = RecordingObserver()
    let failing = StubTransport { asked in
      guard asked.request.headerFields[.authorization] == nil else {
        throw NetworkError(.connectionLost, stage: .awaitingHead, message: "Gone.").with {
          $0.request = asked.request
          $0.maybeProcessed = true
        }
      }
      return .challenge(challenge)
    }
    var app = App { challenge in
      challenge.protectionSpace.scheme == "bearer"
        ? .use(.bearer(token: "hush-hush")) : .use(.password(user: "wader", password: "hush-hush"))
    }
    app.settings.observers = [observer]
    var request = try Request(.post, "https://a.example/")
    request.options.isIdempotent = false
    let (asking, sending) = (app, request)
    let error = await #expect(throws: NetworkError.self) {
      try await asking.load(sending, Loader(failing, interceptors: [Authentication()]))
    }
    var text = ""
    dump(error, to: &text)
    dump(observer.events, to: &text)
    print(observer.events, "\(String(describing: error))", to: &text)
    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
    #expect(observer.names.contains("challenged"))
  }
}
