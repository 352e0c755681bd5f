import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewSecurity

@Suite struct SecurityPolicyTests {
  typealias Settings = SecurityPolicy.Settings

  private static let certificates = Swift.Result {
    try (0..<2).map { _ in try TestIdentity.selfSigned().certificate.certificate }
  }

  @Test func `a policy that pins is not made for a base URL without TLS`() throws {
    let settings = Settings.with { $0.pinningMode = .publicKey }
    for text in ["http://api.example/", "ftp://api.example/", "/relative"] {
      let url = try #require(URL(string: text))
      let error = #expect(throws: SecurityError.self) { try SecurityPolicy(settings, baseURL: url) }
      #expect(error?.kind == .plainHTTP)
    }
    _ = try SecurityPolicy(settings, baseURL: URL(string: "HTTPS://api.example/"))
    _ = try SecurityPolicy(Settings(), baseURL: URL(string: "http://api.example/"))
  }

  @Test func `a policy that pins has plain http refused, others leave it`() throws {
    for mode in SecurityPolicy.PinningMode.allCases {
      let policy = try SecurityPolicy(Settings.with { $0.pinningMode = mode })
      #expect(policy.requirements.refusesPlainHTTP == (mode != .none))
    }
    let strict = try SecurityPolicy(Settings.with { $0.leastTLSVersion = .tls13 })
    #expect(strict.requirements.leastVersion == .tls13)
  }

  @Test func `settings that check less than they seem to make no policy`() throws {
    let pin = try #require(try Self.certificates.get().first).publicKeyPin
    let certificate = try #require(try Self.certificates.get().first)
    let combinations: [Settings] = [
      .with { $0.allowInvalidCertificates = true },
      .with { $0.publicKeyPins = [pin] },
      .with { $0.backupPublicKeyPins = [pin] },
      .with { $0.pinnedCertificates = [certificate] },
      .with { $0.reportsPinsOnly = true },
      .with { $0.pinExpiry = Date() },
      .with {
        $0.pinningMode = .publicKey
        $0.allowInvalidCertificates = true
      },
      .with {
        $0.pinningMode = .certificate
        $0.pinnedCertificates = [certificate]
        $0.publicKeyPins = [pin]
      },
      .with {
        $0.pinningMode = .certificate
        $0.allowInvalidCertificates = true
        $0.pinExpiry = Date()
      },
      .with {
        $0.pinningMode = .certificate
        $0.allowInvalidCertificates = true
        $0.reportsPinsOnly = true
      },
    ]
    for settings in combinations {
      let error = #expect(throws: SecurityError.self) { try SecurityPolicy(settings) }
      #expect(error?.kind == .unsafeCombination)
    }
  }

  @Test func `each setting makes another connection key, and the same settings the same one`() throws {
    let certificates = try Self.certificates.get()
    let first = try #require(certificates.first)
    let second = try #require(certificates.last)
    let list = try RevocationList(der: Data(try TestIdentity.authority().revocationList([])))
    let all: [Settings] = [
      .with { _ in },
      .with { $0.pinningMode = .publicKey },
      .with { $0.pinningMode = .certificate },
      .with { $0.validatesDomainName = false },
      .with {
        $0.validatesDomainName = false
        $0.allowInvalidCertificates = true
      },
      .with { $0.pinScope = .leaf },
      .with { $0.leastTLSVersion = .tls12 },
      .with { $0.leastTLSVersion = .tls13 },
      .with { $0.isStrict = true },
      .with { $0.requiresStapledOCSP = true },
      .with { $0.revocationLists = [list] },
      .with { $0.anchors = .only([]) },
      .with { $0.anchors = .only([first]) },
      .with { $0.anchors = .only([second]) },
      .with { $0.anchors = .systemAnd([]) },
      .with { $0.anchors = .systemAnd([first]) },
      .with {
        $0.pinningMode = .publicKey
        $0.pinnedCertificates = [first]
      },
      .with {
        $0.pinningMode = .publicKey
        $0.publicKeyPins = [first.publicKeyPin]
      },
      .with {
        $0.pinningMode = .publicKey
        $0.backupPublicKeyPins = [first.publicKeyPin]
      },
      .with {
        $0.pinningMode = .publicKey
        $0.pinExpiry = Date(timeIntervalSince1970: 0)
      },
      .with {
        $0.pinningMode = .publicKey
        $0.pinExpiry = Date(timeIntervalSince1970: 1)
      },
      .with {
        $0.pinningMode = .publicKey
        $0.reportsPinsOnly = true
      },
    ]
    let keys = try all.map { try SecurityPolicy($0).connectionKey }
    #expect(Set(keys).count == all.count)
    #expect(try all.map { try SecurityPolicy($0).connectionKey } == keys)
    let forth = try SecurityPolicy(.with { $0.anchors = .only([first, second]) })
    let back = try SecurityPolicy(.with { $0.anchors = .only([second, first]) })
    #expect(forth.connectionKey == back.connectionKey)
  }

  @Test func `the verdict names the pin that matched, the certificate that has it, and a backup as one`() throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue(.authority("Middle", pathLength: 0)).issue()
    let trust = Self.trust(leaf)
    let rootPin = try root.certificate.certificate.publicKeyPin
    let leafPin = try leaf.certificate.certificate.publicKeyPin
    let anchored = try Settings.with {
      $0.pinningMode = .publicKey
      $0.anchors = .only([try root.certificate.certificate])
    }
    var settings = anchored
    settings.publicKeyPins = [rootPin]
    var verdict = try SecurityPolicy(settings).verdict(on: trust)
    #expect(verdict.pin == PinMatch(certificate: 2, pin: rootPin, isBackup: false))
    #expect(verdict.verifiedChain == (leaf.chain + [root.certificate]).map { Data($0.der) })
    settings = anchored
    settings.backupPublicKeyPins = [leafPin]
    verdict = try SecurityPolicy(settings).verdict(on: trust)
    #expect(verdict.pin == PinMatch(certificate: 0, pin: leafPin, isBackup: true))
  }

  @Test func `pins that have expired are not looked at, the chain still is`() throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    let now = Date()
    let policy = try SecurityPolicy(
      .with {
        $0.pinningMode = .publicKey
        $0.anchors = .only([try root.certificate.certificate])
        $0.pinExpiry = now
      })
    var trust = Self.trust(leaf)
    trust.date = now
    try policy.evaluate(trust)
    trust.date = now.addingTimeInterval(-1)
    var error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
    #expect(error?.reason == .pinMismatch && error?.advice?.hasPrefix("Set `publicKeyPins`") == true)
    trust = Self.trust(try .selfSigned())
    trust.date = now
    error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
    #expect(error?.reason == .untrusted)
  }

  @Test func `the refusal of a pinned certificate that no authority has signed names the anchors`() throws {
    let leaf = try TestIdentity.selfSigned()
    for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
      let policy = try SecurityPolicy(
        .with {
          $0.pinningMode = mode
          $0.pinnedCertificates = [try leaf.certificate.certificate]
        })
      let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(Self.trust(leaf)) }
      #expect(error?.reason == .untrusted && error?.message.contains("anchors") == true)
      // A certificate that is not pinned gets no such advice.
      let other = #expect(throws: ServerTrustError.self) { try policy.evaluate(Self.trust(try .selfSigned())) }
      #expect(other?.reason == .untrusted && other?.message.contains("anchors") == false)
    }
  }

  @Test(arguments: [true, false])
  func `a mismatch is reported, and refused unless it is to be reported only`(onlyReports: Bool) throws {
    let root = try TestIdentity.authority()
    let reports = Guarded<[TrustReport]>([])
    let policy = try SecurityPolicy(
      .with {
        $0.pinningMode = .publicKey
        $0.anchors = .only([try root.certificate.certificate])
        $0.reportsPinsOnly = onlyReports
      }, report: { report in reports.withLock { $0.append(report) } })
    let trust = Self.trust(try root.issue())
    if onlyReports {
      #expect(try policy.verdict(on: trust).pin == nil)
    } else {
      #expect(throws: ServerTrustError.self) { try policy.verdict(on: trust) }
    }
    let seen = reports.withLock { $0 }
    #expect(seen.map(\.wasEnforced) == [!onlyReports])
    #expect(seen.first?.error.reason == .pinMismatch && seen.first?.trust == trust)
    let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(Self.trust(try .selfSigned())) }
    #expect(error?.reason == .untrusted)
  }

  @Test func `one certificate trusted for one host is trusted for no other, and no other certificate is`() throws {
    let identity = try TestIdentity.selfSigned(.server.with { $0.notAfter = -60 })
    let exact = try ExactCertificateTrust(try identity.certificate.certificate, host: "LOCALHOST")
    try exact.evaluate(Self.trust(identity))
    try exact.evaluate(Self.trust(identity, host: "localhost."))
    let address = try ExactCertificateTrust(try identity.certificate.certificate, host: "[::1]")
    try address.evaluate(Self.trust(identity, host: "::1"))
    var error = #expect(throws: ServerTrustError.self) { try exact.evaluate(Self.trust(try .selfSigned())) }
    #expect(error?.reason == .pinMismatch)
    var elsewhere = Self.trust(identity)
    elsewhere.host = "other.example"
    error = #expect(throws: ServerTrustError.self) { try exact.evaluate(elsewhere) }
    #expect(error?.reason == .hostMismatch)
    #expect(exact.requirements.refusesPlainHTTP)
  }

  @Test func `a chain that cannot be read, is empty or too long is refused`() throws {
    let policy = try SecurityPolicy(
      .with {
        $0.allowInvalidCertificates = true
        $0.validatesDomainName = false
      })
    let der = Data(try TestIdentity.selfSigned().certificate.der)
    for chain in [[], [Data()], [Data([0x30])], [der, Data([1, 2])], [der + [0]], Array(repeating: der, count: 101)] {
      let trust = ServerTrust(host: "localhost", port: 443, certificates: chain, date: Date())
      let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
      #expect(error?.reason == .malformed)
    }
    try policy.evaluate(
      ServerTrust(host: "localhost", port: 443, certificates: Array(repeating: der, count: 100), date: Date()))
  }

  @Test func `what is kept of certificates is theirs alone, however many were shown`() throws {
    let root = try TestIdentity.authority()
    let policy = try SecurityPolicy(.with { $0.anchors = .only([try root.certificate.certificate]) })
    let leaves = try (0..<100).map { number in
      try root.issue(number % 2 == 0 ? .server : .server.with { $0.notAfter = -60 })
    }
    for _ in 0..<3 {
      for (number, leaf) in leaves.enumerated() {
        var refusal: ServerTrustError?
        do throws(ServerTrustError) { try policy.evaluate(Self.trust(leaf)) } catch { refusal = error }
        #expect(refusal?.reason == (number % 2 == 0 ? nil : .expired))
        #expect(ShownCertificates.parsed(Data(leaf.certificate.der))?.publicKeyPin?.description == leaf.certificate.pin)
      }
    }
  }

  static func trust(_ identity: TestIdentity, host: String = "localhost") -> ServerTrust {
    ServerTrust(host: host, port: 443, certificates: identity.chain.map { Data($0.der) }, date: Date())
  }
}
