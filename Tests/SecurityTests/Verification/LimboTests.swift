import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

/// The cases of x509-limbo for servers, each at its own time and with its own anchors.
@Suite struct LimboTests {
  struct Suite: Decodable {
    var testcases: [Case]
  }
  struct Case: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      var kind: String
      var value: String
    }
    var id: String
    var validationKind: String
    var trustedCerts: [String]
    var untrustedIntermediates: [String]
    var peerCertificate: String
    var validationTime: String?
    var expectedResult: String
    var expectedPeerName: Name?
    var crls: [String]
  }

  static let path = "x509-limbo/limbo.json"

  @Test(.enabled(if: SharedData.has(path), "x509-limbo is not beside the package"), arguments: [false, true])
  func `each case is judged as it should be, or is listed with OpenSSL's answer`(isStrict: Bool) throws {
    let cases = try Self.cases()
    #expect(cases.count == 99)
    var differences: [String: String] = [:]
    for one in cases {
      let answer = Self.answer(one, isStrict: isStrict)
      if (answer == nil) != (one.expectedResult == "SUCCESS") { differences[one.id] = answer ?? "accepted" }
    }
    let listed =
      isStrict
      ? Self.strictDifferences : Self.strictDifferences.merging(Self.looseDifferences) { strict, _ in strict }
    for (id, answer) in differences.sorted(by: { $0.key < $1.key }) where listed[id] != answer {
      Issue.record("\(isStrict ? "strict" : "") \(id): \(answer)")
    }
    for id in listed.keys.sorted() where differences[id] == nil {
      Issue.record("\(id) is right and need not be listed")
    }
  }

  /// The cases that are about servers.
  static func cases() throws -> [Case] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let suite = try decoder.decode(Suite.self, from: try SharedData.bytes(path))
    return suite.testcases.filter { $0.validationKind == "SERVER" }
  }

  /// Nil is trusted; else the rule that failed.
  private static func answer(_ one: Case, isStrict: Bool) -> String? {
    do {
      let policy = try SecurityPolicy(
        .with {
          $0.anchors = .only(try one.trustedCerts.flatMap { try Certificate.all(pem: Data($0.utf8)) })
          $0.revocationLists = try one.crls.flatMap { try RevocationList.all(pem: Data($0.utf8)) }
          $0.validatesDomainName = one.expectedPeerName != nil
          $0.isStrict = isStrict
        })
      let chain = try ([one.peerCertificate] + one.untrustedIntermediates).flatMap {
        try Certificate.all(pem: Data($0.utf8))
      }
      let date = try one.validationTime.map { try Date($0, strategy: .iso8601) } ?? now
      try policy.evaluate(
        ServerTrust(
          host: one.expectedPeerName?.value ?? "unnamed.example", port: 443, certificates: chain.map(\.der),
          date: date))
      return nil
    } catch let error as ServerTrustError {
      return error.reason.rawValue
    } catch let error as SecurityError {
      return error.kind.rawValue
    } catch {
      return "\(error)"
    }
  }

  /// A day of the suite's own time, for the cases that name none.
  static let now = Date(timeIntervalSince1970: 1_735_689_600)

  /// What OpenSSL judges otherwise, even when strict, and why.
  static let strictDifferences: [String: String] = [
    // OpenSSL does not match a wildcard name against an excluded subtree below it.
    "cve::cve-2025-61727": "accepted",
    // The policy has no limit on depth but its own of 100.
    "pathlen::max-chain-depth-0-exhausted": "accepted",
    // OpenSSL: unsuitable certificate purpose, since its key may only sign certificates.
    "rfc5280::ca-as-leaf": "constraint",
    // OpenSSL tries one chain and no other.
    "rfc5280::nc::nc-forbids-alternate-chain-ica": "untrusted",
    // OpenSSL does not check the syntax of a name that is not asked for.
    "rfc5280::nc::nc-permits-invalid-dns-san": "accepted",
    // OpenSSL lets a leaf have name constraints.
    "rfc5280::nc::not-allowed-in-ee-critical": "accepted",
    // OpenSSL lets a leaf have name constraints.
    "rfc5280::nc::not-allowed-in-ee-noncritical": "accepted",
    // OpenSSL enforces name constraints that are not critical, and lets them be so.
    "rfc5280::nc::permitted-dns-match-noncritical": "accepted",
    // OpenSSL lets names have an underscore.
    "rfc5280::san::underscore-dns": "accepted",
    // OpenSSL does not look at serial numbers.
    "rfc5280::serial::negative": "accepted",
    // OpenSSL does not look at serial numbers.
    "rfc5280::serial::zero": "accepted",
    // OpenSSL takes the last second of a validity for past.
    "rfc5280::validity::notafter-fractional": "expired",
    // OpenSSL does not look at what an anchor says of its own issuer.
    "webpki::aki::root-with-aki-authoritycertissuer": "accepted",
    // OpenSSL does not look at what an anchor says of its own issuer.
    "webpki::aki::root-with-aki-authoritycertserialnumber": "accepted",
    // OpenSSL does not look at what an anchor says of its own issuer.
    "webpki::aki::root-with-aki-ski-mismatch": "accepted",
    // The common name is not looked at, so what it says is no matter.
    "webpki::cn::case-mismatch": "accepted",
    // The common name is not looked at, so what it says is no matter.
    "webpki::cn::punycode-not-in-san": "accepted",
    // The common name is not looked at, so what it says is no matter.
    "webpki::cn::utf8-vs-punycode-mismatch": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::ee-basicconstraints-ca": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::eku::ee-anyeku": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::eku::root-has-eku": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::forbidden-dsa-leaf": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::forbidden-rsa-not-divisible-by-8-in-root": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::malformed-aia": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::nc::intermediate-permitted-excluded-subtrees-both-null": "accepted",
    // OpenSSL knows no public suffixes.
    "webpki::san::public-suffix-multi-label-wildcard-san": "accepted",
    // OpenSSL knows no public suffixes.
    "webpki::san::public-suffix-private-namespace-wildcard-san": "accepted",
    // A rule of the CA/Browser Forum that OpenSSL does not have.
    "webpki::san::san-critical-with-nonempty-subject": "accepted",
  ]

  /// What it judges otherwise besides when it is not strict.
  private static let looseDifferences: [String: String] = [
    // Asks for a key identifier, which the strict policy does.
    "rfc5280::aki::leaf-missing-aki": "accepted",
    // Asks for a subject, which the strict policy does.
    "rfc5280::ca-empty-subject": "accepted",
  ]
}
