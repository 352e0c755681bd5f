import CurlewCore
import CurlewSecurity
import FoundationEssentials
import Testing

/// The certificates of AFNetworking's and Alamofire's own tests, each judged at a date of its time.
@Suite(.enabled(if: SharedData.has("certs-afnetworking"), "the predecessors' certificates are not beside the package"))
struct PredecessorCertificatesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var date: String
    var host: String
    var shown: [String]
    var anchors: [String]
    /// Nil is trusted.
    var reason: ServerTrustError.Reason?
    init(
      _ date: String, _ host: String, _ shown: [String], under anchors: [String], _ reason: ServerTrustError.Reason?
    ) {
      self.date = date
      self.host = host
      self.shown = shown
      self.anchors = anchors
      self.reason = reason
    }
    var testDescription: String {
      "\(shown.first ?? "") for \(host) on \(date) under \(anchors): \(reason?.rawValue ?? "trusted")"
    }
  }

  private static let httpbin = (0...3).map { "HTTPBin.org/HTTPBinOrgServerTrustChain/httpbin_\($0).cer" }
  private static let google = (0...1).map { "Google.com/GoogleComServerTrustChainPath1/googlecom_\($0).cer" }
  private static let crossed = (0...2).map { "Google.com/GoogleComServerTrustChainPath2/googlecom_\($0).cer" }
  private static let adn = (0...2).map { "ADN.net/ADNNetServerTrustChain/adn_\($0).cer" }
  private static let amazon = "HTTPBin.org/Amazon Root CA 1.cer"
  private static let geoTrust = "Google.com/GeoTrust_Global_CA_Root.cer"

  static let afnetworking: [Case] = [
    Case("2020-06-01", "httpbin.org", httpbin, under: [amazon], nil),
    Case("2020-06-01", "www.httpbin.org", httpbin, under: [amazon], nil),
    Case("2020-06-01", "a.www.httpbin.org", httpbin, under: [amazon], .hostMismatch),
    Case("2020-06-01", "httpbin.com", httpbin, under: [amazon], .hostMismatch),
    Case("2020-01-17", "httpbin.org", httpbin, under: [amazon], .notYetValid),
    Case("2021-02-19", "httpbin.org", httpbin, under: [amazon], .expired),
    Case("2020-06-01", "httpbin.org", Array(httpbin.prefix(1)), under: [amazon], .untrusted),
    Case("2020-06-01", "httpbin.org", httpbin, under: [geoTrust], .untrusted),
    Case("2020-06-01", "httpbin.org", httpbin, under: [], .untrusted),
    Case("2020-06-01", "httpbin.org", [httpbin[0], httpbin[3], httpbin[2], httpbin[1]], under: [amazon], nil),
    // The authority's certificate is signed with SHA-1, which its being an anchor itself makes no matter.
    Case("2015-12-01", "www.google.com", google, under: [geoTrust], .weak),
    Case("2015-12-01", "www.google.com", google, under: ["Google.com/GoogleInternetAuthorityG2.cer"], nil),
    Case("2016-02-02", "www.google.com", google, under: ["Google.com/GoogleInternetAuthorityG2.cer"], .expired),
    Case("2015-12-01", "google.org", google, under: ["Google.com/GoogleInternetAuthorityG2.cer"], .hostMismatch),
    // 1024 bits of RSA.
    Case(
      "2015-12-01", "www.google.com", crossed, under: ["Google.com/Equifax_Secure_Certificate_Authority_Root.cer"],
      .weak),
    Case("2015-01-01", "alpha.app.net", adn, under: [adn[2]], .weak),
    Case("2015-01-01", "foobar.com", ["SelfSigned/AltName.cer"], under: ["SelfSigned/AltName.cer"], nil),
    Case("2015-01-01", "foobar.com", ["SelfSigned/AltName.cer"], under: [amazon], .untrusted),
    Case("2024-03-11", "foobar.com", ["SelfSigned/AltName.cer"], under: ["SelfSigned/AltName.cer"], .expired),
    // AFNetworking took the common name for a host's; RFC 9525 §2 does not.
    Case(
      "2015-01-01", "foobar.com", ["SelfSigned/foobar.com.cer"], under: ["SelfSigned/foobar.com.cer"], .hostMismatch),
    Case("2015-01-01", "foobar.com", ["SelfSigned/NoDomains.cer"], under: ["SelfSigned/NoDomains.cer"], .hostMismatch),
  ]

  private static let first = "alamofire-org/alamofire-signing-ca1.cer"
  private static let second = "alamofire-org/alamofire-signing-ca2.cer"
  private static let root = "alamofire-org/alamofire-root-ca.cer"
  private static let badssl = ["leaf", "intermediate-ca-2", "intermediate-ca-1"].map {
    "expired-badssl-com/expired.badssl.com-\($0).cer"
  }

  private static func alamofire(_ name: String) -> String { "alamofire-org/\(name).cer" }

  private static func own(_ date: String, _ host: String, _ name: String, _ reason: ServerTrustError.Reason?) -> Case {
    Case(date, host, [alamofire(name)], under: [alamofire(name)], reason)
  }

  /// What its authorities signed breaks RFC 5280 §4.1.1.2: the algorithm in what is signed and the one beside the
  /// signature differ (no parameters there, NULL here). OpenSSL refuses that as it does a wrong signature (error 7);
  /// Apple's verifier, on which those tests ran, does not.
  static let alamofire: [Case] = [
    Case("2016-01-01", "test.alamofire.org", [alamofire("signed-by-ca1")], under: [first], .untrusted),
    Case("2016-01-01", "test.alamofire.org", [alamofire("signed-by-ca2")], under: [second], .untrusted),
    Case("2016-01-01", "test.alamofire.org", [alamofire("signed-by-ca1")], under: [second], .untrusted),
    Case("2016-01-01", "test.alamofire.org", [alamofire("test.alamofire.org")], under: [first], .untrusted),
    // The root may be used for "any" purpose, which OpenSSL does not take for TLS servers in an authority.
    Case("2016-01-01", "test.alamofire.org", [alamofire("signed-by-ca1"), first], under: [root], .constraint),
    // As anchors of themselves they have no signature to check, so that their names and dates are seen.
    own("2016-01-01", "test.alamofire.org", "signed-by-ca1", nil),
    own("2016-01-01", "test.alamofire.org", "test.alamofire.org", nil),
    own("2016-01-01", "test.alamofire.org", "valid-dns-name", nil),
    own("2016-01-01", "www.alamofire.org", "multiple-dns-names", nil),
    own("2016-01-01", "alamofire.org", "multiple-dns-names", .hostMismatch),
    own("2016-01-01", "any.alamofire.org", "wildcard.alamofire.org", nil),
    own("2016-01-01", "alamofire.org", "wildcard.alamofire.org", .hostMismatch),
    own("2015-07-12", "test.alamofire.org", "expired", nil),
    own("2016-01-01", "test.alamofire.org", "expired", .expired),
    own("2025-07-10", "test.alamofire.org", "valid-dns-name", .expired),
    own("2016-01-01", "test.alamofire.org", "missing-dns-name-and-uri", .hostMismatch),
    // A URI names no host (RFC 9525 §6.1: an https client asks for DNS names and addresses).
    own("2016-01-01", "test.alamofire.org", "valid-uri", .hostMismatch),
    Case(
      "2015-04-11", "expired.badssl.com", badssl, under: ["expired-badssl-com/expired.badssl.com-root-ca.cer"], nil),
    Case(
      "2015-04-13", "expired.badssl.com", badssl, under: ["expired-badssl-com/expired.badssl.com-root-ca.cer"],
      .expired),
  ]

  private static let places = (
    afnetworking: "certs-afnetworking/Tests/Resources/", alamofire: "certs-alamofire/Tests/Resources/Certificates/"
  )

  @Test(arguments: afnetworking) func `AFNetworking's servers are judged as at their time`(_ one: Case) throws {
    try Self.judge(one, in: Self.places.afnetworking)
  }

  @Test(arguments: alamofire) func `Alamofire's servers are judged as at their time`(_ one: Case) throws {
    try Self.judge(one, in: Self.places.alamofire)
  }

  @Test func `one certificate is the same from DER and from PEM`() throws {
    let folder = Self.places.alamofire + "selfSignedAndMalformedCerts/"
    let names = ["certDER.cer", "certDER.crt", "certDER.der", "certPEM.cer", "certPEM.crt"]
    let all = try names.map { try Certificate.all(in: try SharedData.bytes(folder + $0)) }
    #expect(all.allSatisfy { $0.count == 1 } && Set(all).count == 1)
  }

  @Test(arguments: ["keyDER.der", "randomGibberish.crt"])
  func `what is no certificate is refused, alone and in a folder of others`(name: String) throws {
    let folder = Self.places.alamofire + "selfSignedAndMalformedCerts"
    let path = SharedData.root + "/" + folder + "/" + name
    let error = #expect(throws: SecurityError.self) { try Certificate.all(inFile: path) }
    #expect(error?.kind == .malformedCertificate && error?.message.hasPrefix(path) == true)
    #expect(throws: SecurityError.self) { try Certificate.all(inDirectory: SharedData.root + "/" + folder) }
  }

  @Test func `a folder of good certificates makes a policy that pins them`() throws {
    let pins = try Certificate.all(inDirectory: SharedData.root + "/" + Self.places.afnetworking + "HTTPBin.org")
    #expect(pins.count == 4)
    var settings = SecurityPolicy.Settings.with { $0.pinningMode = .certificate }
    settings.pinnedCertificates = pins
    settings.anchors = .only(try Self.certificates([Self.amazon], in: Self.places.afnetworking))
    let chain = try Self.certificates(Self.httpbin, in: Self.places.afnetworking)
    let trust = ServerTrust(
      host: "httpbin.org", port: 443, certificates: chain.map(\.der),
      date: try Date("2020-06-01T00:00:00Z", strategy: .iso8601))
    #expect(try SecurityPolicy(settings).verdict(on: trust).pin?.certificate == 0)
  }

  private static func judge(_ one: Case, in folder: String) throws {
    let anchors = try certificates(one.anchors, in: folder)
    let trust = ServerTrust(
      host: one.host, port: 443, certificates: try certificates(one.shown, in: folder).map(\.der),
      date: try Date(one.date + "T12:00:00Z", strategy: .iso8601))
    let policy = try SecurityPolicy(.with { $0.anchors = .only(anchors) })
    var refusal: ServerTrustError?
    do throws(ServerTrustError) { try policy.evaluate(trust) } catch { refusal = error }
    #expect(refusal?.reason == one.reason, "\(refusal?.message ?? "trusted")")
  }

  private static func certificates(_ names: [String], in folder: String) throws -> [Certificate] {
    try names.flatMap { try Certificate.all(in: try SharedData.bytes(folder + $0)) }
  }
}
