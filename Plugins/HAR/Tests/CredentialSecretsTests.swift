import CurlewAWSSignature
import CurlewCore
import CurlewHAR
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Generated runs with tokens, proxies and signatures: 300, or as many as `CURLEW_HAR_REQUESTS` says; `Scripts/oauth-peers` runs 10,000.
///
/// Every secret of a run contains the word `SECRET`, which nothing that is shown may contain.
@Suite struct CredentialSecretsTests {
  /// Collects what observers get, as text, with what a dump shows.
  private final class Witness: EventObserver {
    private let texts = Mutex<[String]>([])
    var text: String { texts.withLock { $0.joined(separator: "\n") } }

    func observe(_ event: ExchangeEvent) { add(event) }

    func add(_ value: Any) {
      var text = "\(value)\n\(String(reflecting: value))\n"
      dump(value, to: &text)
      texts.withLock { $0.append(text) }
    }
  }

  /// A token endpoint's answer; many repeat what they got.
  private static func tokenAnswer(_ asked: StubTransport.Asked, _ kind: Int) throws -> StubAnswer {
    let form = String(decoding: asked.body, as: UTF8.self)
    let echo = form + " " + (asked.request.headerFields[.authorization] ?? "")
    switch kind {
    case 0: return .json(#"{"error": "invalid_grant", "error_description": "\#(echo)"}"#, status: .badRequest)
    case 1:
      return .json(#"{"error": "invalid_client", "error_uri": "https://x.test/?\#(form)"}"#, status: .unauthorized)
    case 2: return .text("<html>\(echo)</html>", status: .internalServerError)
    case 3: return StubAnswer(.found, headerFields: [.location: "https://elsewhere.test/?token=SECRET"])
    case 4: throw NetworkError(.connectionLost, stage: .awaitingHead, message: "Lost.")
    case 5: return .json(#"{"access_token": "", "refresh_token": "REFRESH-SECRET"}"#)
    case 6: return .json(#"{"access_token": "ACCESS-SECRET", "token_type": 7}"#)
    default:
      return .json(
        #"{"access_token": "ACCESS-SECRET-\#(kind)", "token_type": "Bearer", "refresh_token": "REFRESH-SECRET-\#(kind)"}"#
      )
    }
  }

  private static func client(_ round: Int, _ signIn: Loader) throws -> OAuth2Client {
    try OAuth2Client(
      id: "birds", secret: "CLIENT-SECRET", secretPlace: round % 4 < 2 ? .authorization : .content,
      tokenEndpoint: "https://login.test/token?key=URL-SECRET"
    ) { try await signIn.data(for: $0, upTo: 65_536) }
  }

  @Test func `no secret is in an error, an event, an archive or a description`() async throws {
    let folder = try TemporaryFolder()
    let rounds = CurlCommandTests.count
    let recorder = try HARRecorder(folder.path + "/events.har")
    let round = Mutex(0)
    let services = StubTransport(capabilities: StubTransport.defaultCapabilities.union(.proxy)) { asked in
      let round = round.withLock { $0 }
      if asked.request.url.host() == "login.test" { return try Self.tokenAnswer(asked, (round &+ asked.index) % 10) }
      if asked.index % 3 == 0 {
        return StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
      }
      return StubAnswer(
        round % 2 == 0 ? .ok : .forbidden,
        headerFields: [.setCookie: "a=COOKIE-SECRET", .strictTransportSecurity: "max-age=\(round % 2)"])
    }
    let transport = try HARRecordingTransport(services, to: folder.path + "/content.har")
    let hosts = HSTSHosts()
    for number in 0..<rounds {
      round.withLock { $0 = number }
      let witness = Witness()
      var settings = ExchangeSettings()
      settings.observers = [witness, recorder]
      let signIn = Loader(transport, chain: InterceptorChain(redirect: Redirect()), settings: settings)
      let client = try Self.client(number, signIn)
      let token = OAuth2Token(BearerToken("FIRST-SECRET"), refreshToken: "REFRESH-SECRET")
      let tokens =
        try number % 3 == 0
        ? TokenSource(for: ["https://api.test"], clientCredentials: client)
        : TokenSource(for: ["https://api.test"], refreshing: client, token: token)
      let signature = try AWSSignature(for: ["https://api.test"], region: "eu-central-1", service: "s3") {
        AWSCredentials(accessKeyID: "AKID", secretAccessKey: "KEY-SECRET", sessionToken: "SESSION-SECRET")
      }
      let scheme = number % 7 == 0 ? "ftp" : "http"
      let proxies = EnvironmentProxies(["https_proxy": "\(scheme)://me:PROXY-SECRET@proxy.test:1"])
      let authentication: any Interceptor = number % 5 == 0 ? signature : Authentication(tokens: [tokens])
      let chain = InterceptorChain(
        redirect: Redirect(), hsts: HSTS(hosts), cookies: Cookies(MemoryCookieJar()),
        proxy: number % 2 == 0 ? proxies : nil, authentication: authentication)
      let loader = Loader(transport, chain: chain, settings: settings)
      for value in [client, token, tokens, proxies] as [Any] { witness.add(value) }
      // These are long.
      if number % 50 == 0 { for value in [signature, hosts, chain, loader] as [Any] { witness.add(value) } }
      do {
        witness.add(try await loader.data(for: Request(.get, "https://api.test/?sig=URL-SECRET"), upTo: 65_536).1)
      } catch {
        witness.add(error)
      }
      guard Self.isClean(witness.text, "round \(number)") else { return }
    }
    recorder.close()
    await transport.shutdown()
    for name in ["events", "content"] {
      let text = try String(contentsOfFile: folder.path + "/" + name + ".har", encoding: .utf8)
      #expect(text.contains("login.test") && text.contains("api.test"))
      guard Self.isClean(text, name) else { return }
    }
    #expect(recorder.entryCount > rounds && transport.entryCount > rounds)
    print("credentials: \(rounds) runs without a secret, \(recorder.entryCount + transport.entryCount) entries")
  }

  private static func isClean(_ text: String, _ name: String) -> Bool {
    guard let place = text.firstRange(of: "SECRET") else { return true }
    let start = text.index(place.lowerBound, offsetBy: -200, limitedBy: text.startIndex) ?? text.startIndex
    Issue.record("\(name) shows \(text[start..<place.upperBound])")
    return false
  }
}
