import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

/// Stapled OCSP responses, over real handshakes: before TLS 1.3 they come behind the certificates, since then with them.
@Suite struct StaplingTests {
  struct Staple: Sendable, CustomTestStringConvertible {
    var name: String
    var expected: Outcome
    /// Of the root and the server's identity, the response.
    var make: @Sendable (TestIdentity, TestIdentity) throws -> [UInt8]?
    init(
      _ name: String, _ expected: Outcome,
      make: @escaping @Sendable (TestIdentity, TestIdentity) throws -> [UInt8]?
    ) {
      self.name = name
      self.expected = expected
      self.make = make
    }
    var testDescription: String { name }
  }

  static let staples: [Staple] = [
    Staple("good", .accepted) { root, leaf in try root.ocspResponse(for: leaf.certificate) },
    Staple("none", .refused(.revocationUnknown)) { _, _ in nil },
    Staple("garbage", .refused(.revocationUnknown)) { _, _ in [1, 2, 3] },
    Staple("more behind its end", .refused(.revocationUnknown)) { root, leaf in
      try root.ocspResponse(for: leaf.certificate) + [0]
    },
    Staple("revoked", .refused(.revoked)) { root, leaf in try root.ocspResponse(for: leaf.certificate, .revoked) },
    Staple("unknown", .refused(.revocationUnknown)) { root, leaf in
      try root.ocspResponse(for: leaf.certificate, .unknown)
    },
    Staple("out of date", .refused(.revocationUnknown)) { root, leaf in
      try root.ocspResponse(for: leaf.certificate, thisUpdate: -7200, nextUpdate: -600)
    },
    Staple("of the future", .refused(.revocationUnknown)) { root, leaf in
      try root.ocspResponse(for: leaf.certificate, thisUpdate: 600)
    },
    Staple("of a clock that is a little ahead", .accepted) { root, leaf in
      try root.ocspResponse(for: leaf.certificate, thisUpdate: 120)
    },
    Staple("about another certificate", .refused(.revocationUnknown)) { root, _ in
      try root.ocspResponse(for: try root.issue().certificate)
    },
    Staple("by another authority of the same name", .refused(.revocationUnknown)) { _, leaf in
      try TestIdentity.authority().ocspResponse(for: leaf.certificate)
    },
  ]

  @Test(arguments: staples, [OriginTLS.Version.tls12, .tls13])
  func `a stapled response that is required decides`(_ staple: Staple, version: OriginTLS.Version) async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    var tls = OriginTLS(leaf)
    tls.versions = version...version
    tls.stapledResponse = try staple.make(root, leaf)
    let handshake = try await Handshaking.with(tls, under: try Self.policy(root))
    #expect(handshake.outcome == staple.expected, "\(handshake.error?.message ?? "")")
    #expect(handshake.requests == (staple.expected == .accepted ? 1 : 0))
    if staple.expected != .accepted { #expect(handshake.handshakes == 0) }
  }

  @Test(arguments: [OriginTLS.Version.tls12, .tls13])
  func `a chain that is not trusted stays so, however good its response is`(version: OriginTLS.Version) async throws {
    let stranger = try TestIdentity.authority()
    let leaf = try stranger.issue()
    var tls = OriginTLS(leaf)
    tls.versions = version...version
    tls.stapledResponse = try stranger.ocspResponse(for: leaf.certificate)
    let handshake = try await Handshaking.with(tls, under: try Self.policy(try .authority()))
    #expect(handshake.outcome == .refused(.untrusted))
    #expect(handshake.requests == 0 && handshake.handshakes == 0)
  }

  @Test func `nobody asks for a response that no policy requires`() async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    var tls = OriginTLS(leaf)
    tls.stapledResponse = try root.ocspResponse(for: leaf.certificate, .revoked)
    let evaluator = RecordingTrustEvaluator()
    let handshake = try await Handshaking.with(tls, under: evaluator)
    #expect(handshake.outcome == .accepted)
    #expect(evaluator.evaluated.map(\.ocspResponse) == [nil])
  }

  @Test func `nobody can answer for an anchor that is the server's own certificate, and issued by another`() throws {
    let leaf = try TestIdentity.authority().issue()
    var trust = SecurityPolicyTests.trust(leaf)
    trust.ocspResponse = Data(try leaf.ocspResponse(for: leaf.certificate))
    let error = #expect(throws: ServerTrustError.self) { try Self.policy(leaf).evaluate(trust) }
    #expect(error?.reason == .revocationUnknown)
  }

  @Test func `the dates of a response are judged by the clock of the exchange`() throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    let policy = try Self.policy(root)
    var trust = SecurityPolicyTests.trust(leaf)
    trust.ocspResponse = Data(try root.ocspResponse(for: leaf.certificate, nextUpdate: 3600))
    for (later, isGood) in [(0.0, true), (3600 + 200, true), (3600 + 400, false), (-600, false)] {
      trust.date = Date().addingTimeInterval(later)
      if isGood {
        #expect(throws: Never.self) { try policy.evaluate(trust) }
      } else {
        let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
        #expect(error?.reason == .revocationUnknown)
      }
    }
  }

  @Test func `a policy that builds no chain cannot require a response`() throws {
    let error = #expect(throws: SecurityError.self) {
      try SecurityPolicy(
        .with {
          $0.pinningMode = .publicKey
          $0.pinScope = .leaf
          $0.allowInvalidCertificates = true
          $0.requiresStapledOCSP = true
        })
    }
    #expect(error?.kind == .unsafeCombination)
  }

  static func policy(_ root: TestIdentity) throws -> SecurityPolicy {
    try SecurityPolicy(
      .with {
        $0.anchors = .only([try root.certificate.certificate])
        $0.requiresStapledOCSP = true
      })
  }
}
