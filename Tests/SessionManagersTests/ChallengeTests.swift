import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct ChallengeTests {
  struct Declined: Error {}

  private func protected() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      request["Authorization"] == "Basic dTpw"
        ? .json("{}") : .status(401, ["WWW-Authenticate": #"Basic realm="birds""#])
    }
  }

  @Test(arguments: Carrier.allCases)
  func `the four answers to a challenge, at once or later`(_ carrier: Carrier) async throws {
    let origin = try await protected()
    for later in [false, true] {
      for answer in [
        ChallengeAnswer.use(.password(user: "u", password: "p")), .cancel(Declined()), .defaultHandling, .reject,
      ] {
        let manager = Fixture.manager(carrier.configuration)
        manager.hooks.taskDidReceiveChallenge = { _, _, _, reply in
          guard later else { return reply(answer) }
          Task { reply(answer) }
        }
        let ended = await manager.ended(Request(.get, origin.url("/")))
        switch answer {
        case .use: #expect(ended.error == nil && ended.response?.status == .ok)
        case .cancel: #expect(ended.error is Declined)
        case .defaultHandling, .reject:
          #expect(ended.kind == .unacceptableStatus && ended.response?.status == .unauthorized)
        }
      }
    }
    await origin.stop()
  }

  @Test func `a hook that the chain never asks is the error of the task, before anything is sent`() async throws {
    let stub = StubTransport(Fixture.json())
    let bare = Fixture.manager(SessionConfiguration(.shared(stub)))
    bare.hooks.taskWillRedirect = { _, _, _, proposed in proposed }
    #expect(await bare.ended(Fixture.request).kind == .hookNeverAsked)
    bare.hooks = SessionHooks()
    bare.hooks.dataTaskWillCacheResponse = { _, _, _ in .store }
    #expect(await bare.ended(Fixture.request).kind == .hookNeverAsked)
    #expect(stub.requestCount == 0)
    bare.hooks = SessionHooks()
    #expect(await bare.ended(Fixture.request).error == nil)
  }

  @Test func `a hook about challenges is asked also where the configuration has no interceptor that asks it`()
    async throws
  {
    let stub = StubTransport { asked in
      guard asked.request.headerFields[.authorization] == nil else { return Fixture.json() }
      return StubAnswer(.unauthorized, headerFields: [.wwwAuthenticate: #"Basic realm="birds""#])
    }
    let bare = Fixture.manager(SessionConfiguration(.shared(stub)))
    #expect(await bare.ended(Fixture.request).kind == .unacceptableStatus)
    bare.hooks.taskDidReceiveChallenge = { _, _, _, reply in reply(.use(.password(user: "u", password: "p"))) }
    #expect(await bare.ended(Fixture.request).error == nil)
    #expect(bare.configuration.chain.serverTrust != nil && stub.requestCount == 3)
    // What the app has put there stays.
    let own = Authentication()
    var configuration = SessionConfiguration(.shared(stub))
    configuration.chain.authentication = own
    let manager = Fixture.manager(configuration)
    manager.hooks.taskDidReceiveChallenge = { _, _, _, reply in reply(.reject) }
    #expect(manager.configuration.chain.authentication as? Authentication === own)
    #expect(await manager.ended(Fixture.request).kind == .unacceptableStatus)
  }

  private func manager(_ trust: (any ServerTrustEvaluating)?) throws -> URLSessionManager {
    let manager = Fixture.manager(Carrier.curl.configuration)
    try manager.setSecurityPolicy(trust)
    return manager
  }

  private func trusting(_ origin: TestIdentity) throws -> SecurityPolicy {
    var settings = SecurityPolicy.Settings()
    settings.anchors = .only([try Certificate(der: Data(origin.certificate.der))])
    return try SecurityPolicy(settings)
  }

  @Test func `the task's hook is asked about a certificate that the policy refuses, and only then`() async throws {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .json("{}") }
    for (policy, questions) in [(try SecurityPolicy.system(), 1), (try trusting(identity), 0)] {
      for accepts in [true, false] {
        let manager = try manager(policy)
        let asked = Collected<SessionHook>()
        manager.hooks.taskDidReceiveChallenge = { _, _, challenge, reply in
          asked.append(SessionHook.of(challenge))
          guard accepts, let trust = challenge.serverTrust?.trust else { return reply(.defaultHandling) }
          reply(.use(.serverTrust(trust)))
        }
        let ended = await manager.ended(Request(.get, origin.url("/")))
        #expect(ended.kind == (accepts || questions == 0 ? nil : .serverTrustRefused))
        #expect(asked.all == Array(repeating: .connectionChallenge, count: questions))
      }
    }
    await origin.stop()
  }

  @Test func `the session's hook is asked about every server and bypasses the policy`() async throws {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .json("{}") }
    let policies: [(SecurityPolicy, trusts: Bool)] = [(try .system(), false), (try trusting(identity), true)]
    for (policy, trusts) in policies {
      for answer in ["accept", "default", "reject"] {
        let manager = try manager(policy)
        let asked = Collected<String>()
        manager.hooks.sessionDidReceiveChallenge = { _, _, challenge, reply in
          asked.append("session")
          switch (answer, challenge.serverTrust?.trust) {
          case ("accept", let trust?): reply(.use(.serverTrust(trust)))
          case ("reject", _): reply(.reject)
          default: reply(.defaultHandling)
          }
        }
        manager.hooks.taskDidReceiveChallenge = { _, _, _, reply in
          asked.append("task")
          reply(.defaultHandling)
        }
        let ended = await manager.ended(Request(.get, origin.url("/")))
        let succeeds = answer == "accept" || answer == "default" && trusts
        #expect(ended.kind == (succeeds ? nil : .serverTrustRefused), "\(answer) \(trusts): \(ended)")
        #expect(asked.all == ["session"])
      }
    }
    await origin.stop()
  }

  @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
  func `pins that do not match are the typed error of the task`(_ mode: SecurityPolicy.PinningMode) async throws {
    let (identity, other) = (try TestIdentity.selfSigned(), try TestIdentity.selfSigned())
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .json("{}") }
    var settings = SecurityPolicy.Settings()
    settings.anchors = .only([try Certificate(der: Data(identity.certificate.der))])
    settings.pinningMode = mode
    settings.pinnedCertificates = [try Certificate(der: Data(other.certificate.der))]
    let ended = try await manager(try SecurityPolicy(settings)).ended(Request(.get, origin.url("/")))
    #expect(ended.kind == .serverTrustRefused && ended.response == nil)
    let trust = (ended.error as? NetworkError)?.details.trust
    #expect(trust?.reason == .pinMismatch && trust?.trust?.certificates.isEmpty == false)
    await origin.stop()
  }

  @Test func `a policy of one task does not affect others`() async throws {
    let identity = try TestIdentity.selfSigned()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .json("{}") }
    let manager = try manager(try SecurityPolicy.system())
    var settings = TaskSettings()
    settings.securityPolicy = try trusting(identity)
    #expect(await manager.ended(Request(.get, origin.url("/")), settings: settings).error == nil)
    #expect(await manager.ended(Request(.get, origin.url("/"))).kind == .serverTrustRefused)
    await origin.stop()
  }
}
