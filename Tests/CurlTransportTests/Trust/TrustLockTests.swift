import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// Each lock alone, the other two taken out: a policy that refuses everything, right after one that accepts.
@Suite struct TrustLockTests {
  fileprivate struct Case: Sendable, CustomTestStringConvertible {
    var locks: TrustLockSwitches
    var version: OriginTLS.Version
    var closes: Bool
    var testDescription: String { "locks \(locks.rawValue), \(version), connection \(closes ? "closed" : "kept")" }
  }

  /// Lock 2, which has two halves.
  private static let sessions: TrustLockSwitches = [.ownSessions, .sessionMatch]

  // With `.gate` alone libcurl resumes what it likes, with `.ownSessions` too Curlew resumes what another policy verified.
  fileprivate static let cases: [Case] = [
    TrustLockSwitches.connectionMatch, sessions, .gate, [.ownSessions, .gate], .all,
  ].flatMap { locks in
    [OriginTLS.Version.tls12, .tls13].flatMap { version -> [Case] in
      // Lock 1 keeps connections apart, lock 2 sessions; the gate must hold against both.
      [false, true].compactMap { closes in
        if locks == .connectionMatch, closes { return nil }
        if locks == sessions, !closes { return nil }
        return Case(locks: locks, version: version, closes: closes)
      }
    }
  }

  @Test(arguments: cases)
  fileprivate func `nothing reaches the server under a policy that refuses`(_ one: Case) async throws {
    let identity = try TestIdentity.selfSigned()
    let tls = OriginTLS(identity).with { $0.versions = one.version...one.version }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in
      one.closes ? .ok("hello", ["Connection": "close"]) : .ok("hello")
    }
    var configuration = CurlTransport.Configuration()
    configuration.trustLocks = one.locks
    let transport = try CurlTransport(configuration)
    let accepting = Self.settings(RecordingTrustEvaluator(key: "accepts"))
    let refusing = Self.settings(
      RecordingTrustEvaluator(key: "refuses") { _ throws(ServerTrustError) in
        throw ServerTrustError(.policy, message: "Refused.")
      })
    let rounds = 20
    for _ in 0..<rounds {
      do {
        let response = try await transport.send(Request(.get, origin.url("/accepted")), in: Exchange(accepting))
        _ = try await response.body.collect(upTo: 100)
      } catch let error as NetworkError where error.kind == .serverTrustRefused {
        // The gate alone refuses a resumed session to everyone, since nobody verified it.
        #expect(!one.locks.contains(.sessionMatch))
      }
      let error = await #expect(throws: NetworkError.self) {
        try await transport.send(Request(.get, origin.url("/refused")), in: Exchange(refusing))
      }
      #expect(error?.kind == .serverTrustRefused)
      #expect(error?.maybeProcessed == false)
    }
    #expect(origin.requests.count { $0.path == "/refused" } == 0)
    let accepted = origin.requests.count { $0.path == "/accepted" }
    #expect(one.locks.contains(.sessionMatch) || one.locks == .connectionMatch ? accepted == rounds : accepted > 0)
    if one.locks == .all || one.locks == Self.sessions, one.closes {
      #expect(origin.requests.count { $0.tls?.isResumed == true } == rounds - 1)
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `requests under one policy share a connection, and are evaluated once`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let transport = try CurlTransport()
    let evaluator = RecordingTrustEvaluator()
    for _ in 0..<5 {
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange(Self.settings(evaluator)))
      _ = try await response.body.collect(upTo: 100)
    }
    #expect(evaluator.evaluated.count == 1)
    #expect(origin.counters.connectionsAccepted == 1)
    await transport.shutdown()
    await origin.stop()
  }

  /// With each lock taken out in turn as well.
  @Test(
    arguments: [OriginTLS.Version.tls12, .tls13],
    [
      TrustLockSwitches.all, [.ownSessions, .sessionMatch, .gate], [.connectionMatch, .gate],
      [.connectionMatch, .ownSessions, .gate], [.connectionMatch, .ownSessions, .sessionMatch],
    ])
  func `two client identities never share a connection, nor one with none`(
    version: OriginTLS.Version, locks: TrustLockSwitches
  ) async throws {
    let authority = try TestIdentity.authority()
    let tls = OriginTLS(try authority.issue()).with {
      $0.clientCertificates = .optional
      $0.versions = version...version
    }
    let origin = try await ScriptedOrigin.start(tls: tls) {
      $0.path.hasSuffix("close") ? .ok("", ["Connection": "close"]) : .ok("")
    }
    var configuration = CurlTransport.Configuration()
    configuration.trustLocks = locks
    let transport = try CurlTransport(configuration)
    let identities = [try authority.issue(.client()), try authority.issue(.client()), nil]
    for round in 0..<30 {
      var settings = Self.settings(RecordingTrustEvaluator())
      settings.clientIdentity = identities[round % 3].map { identity in
        ClientIdentity(certificateChain: Data(identity.chainPEM.utf8), privateKey: Data(identity.key.pem.utf8))
      }
      let path = "/\(round % 3)-\(round % 4 == 0 ? "close" : "keep")"
      do {
        let response = try await transport.send(Request(.get, origin.url(path)), in: Exchange(settings))
        _ = try await response.body.collect(upTo: 100)
      } catch let error as NetworkError where error.kind == .serverTrustRefused {
        // A lock held by refusing.
        #expect(locks != .all)
      }
    }
    for request in origin.requests {
      let index = try #require(Int(request.path.dropFirst().prefix(1)))
      #expect(request.tls?.clientCertificate == identities[index]?.certificate.der)
    }
    #expect(locks != .all || origin.requests.count == 30)
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `the system's anchors refuse a certificate of nobody, and no byte goes out`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    let transport = try CurlTransport()
    let error = await #expect(throws: NetworkError.self) {
      try await transport.send(Request(.get, origin.url()), in: Exchange())
    }
    #expect(error?.kind == .serverTrustRefused && error?.details.trust?.reason == .untrusted)
    #expect(origin.requests.isEmpty)
    await transport.shutdown()
    await origin.stop()
  }

  private static func settings(_ evaluator: any ServerTrustEvaluating) -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.serverTrust = evaluator
    return settings
  }
}

@Suite struct ClientIdentityTests {
  @Test(arguments: [OriginTLS.Version.tls12, .tls13])
  func `a server that demands an identity and gets none ends the handshake, and says so`(
    version: OriginTLS.Version
  ) async throws {
    let authority = try TestIdentity.authority()
    let tls = OriginTLS(try authority.issue()).with {
      $0.clientCertificates = .issued(by: [authority.root])
      $0.versions = version...version
    }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    let exchange = Exchange(settings)
    let error = await #expect(throws: NetworkError.self) {
      try await transport.send(Request(.get, origin.url()), in: exchange)
    }
    #expect(error?.kind == .clientIdentityFailed)
    #expect(origin.requests.isEmpty)
    await transport.shutdown()
    await origin.stop()
  }
}
