import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

/// Generated runs, in which no secret may be in an error, an event or a description: 200 here, 10,000 with `CURLEW_ROUNDS=10000`.
@Suite struct OAuth2SecretTests {
  /// Collects what observers get, as text.
  private final class Witness: EventObserver {
    private let texts = Guarded<[String]>([])
    var text: String { texts.withLock { $0.joined(separator: "\n") } }

    func observe(_ event: ExchangeEvent) { add(event) }

    func add(_ value: Any) {
      var text = "\(value)\n\(String(reflecting: value))\n"
      dump(value, to: &text)
      texts.withLock { $0.append(text) }
    }
  }

  private static func answer(_ form: [String: String], _ kind: Int) throws -> StubAnswer {
    let echo = form.values.sorted().joined(separator: " ").replacing("\"", with: "")
    switch kind {
    case 0: return .json(#"{"error": "invalid_grant", "error_description": "\#(echo)"}"#, status: .badRequest)
    case 1:
      return .json(#"{"error": "invalid_client", "error_uri": "https://x.test/?\#(echo)"}"#, status: .unauthorized)
    case 2: return .text("<html>\(echo)</html>", status: .internalServerError)
    case 3: return StubAnswer(.found, headerFields: [.location: "https://elsewhere.test/?token=1"])
    case 4: throw NetworkError(.connectionLost, stage: .awaitingHead, message: "Lost.")
    case 5: return .json(#"{"access_token": "", "token_type": "\#(echo)"}"#)
    default:
      return .json(
        #"{"access_token": "ACCESS-SECRET-\#(kind)", "token_type": "Bearer", "refresh_token": "REFRESH-SECRET-\#(kind)"}"#
      )
    }
  }

  @Test func `no secret is in an error, an event or a description`() async throws {
    let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 200
    for round in 0..<rounds {
      let witness = Witness()
      let service = StubTransport { asked in
        if asked.request.url.host() == "api.test" {
          return asked.index % 3 == 0
            ? .challenge("Bearer error=\"invalid_token\"")
            : StubAnswer(round % 2 == 0 ? .ok : .forbidden, headerFields: [.setCookie: "a=COOKIE-SECRET"])
        }
        return try Self.answer(
          TokenEndpoint.form(String(decoding: asked.body, as: UTF8.self)), (round &+ asked.index) % 9)
      }
      var settings = ExchangeSettings()
      settings.observers = [witness]
      let signIn = Loader(service, chain: InterceptorChain(redirect: Redirect()), settings: settings)
      let place: OAuth2Client.SecretPlace = round % 4 < 2 ? .authorization : .content
      let client = try OAuth2Client(
        id: "birds", secret: "CLIENT-SECRET", secretPlace: place,
        tokenEndpoint: "https://login.test/token?key=URL-SECRET"
      ) { try await signIn.data(for: $0, upTo: 65_536) }
      let token = OAuth2Token(BearerToken("FIRST-SECRET"), refreshToken: "REFRESH-SECRET")
      let tokens =
        try round % 3 == 0
        ? TokenSource(for: ["https://api.test"], clientCredentials: client)
        : TokenSource(for: ["https://api.test"], refreshing: client, token: token)
      let proxies = EnvironmentProxies([
        "https_proxy": (round % 7 == 0 ? "ftp" : "http") + "://me:PROXY-SECRET@proxy.test:1"
      ])
      let chain = InterceptorChain(
        redirect: Redirect(), proxy: round % 2 == 0 ? proxies : nil, authentication: Authentication(tokens: [tokens]))
      let loader = Loader(service, chain: chain, settings: settings)
      for value in [client, token, tokens, chain, loader] as [Any] { witness.add(value) }
      do {
        let (_, head) = try await loader.data(for: Request(.get, "https://api.test/"), upTo: 65_536)
        witness.add(head)
      } catch {
        witness.add(error)
      }
      let text = witness.text
      if let place = text.firstRange(of: "SECRET") {
        let start = text.index(place.lowerBound, offsetBy: -100, limitedBy: text.startIndex) ?? text.startIndex
        Issue.record("Round \(round) shows \(text[start..<place.upperBound])")
        return
      }
    }
    print("oauth: \(rounds) runs without a secret")
  }
}
