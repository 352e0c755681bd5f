import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import Testing

/// OCSP responses that OpenSSL's own responder made, and its own server that staples them.
@Suite(.enabled(if: PeerProgram.isAvailable(), "openssl is not installed"))
struct OpenSSLStaplingTests {
  struct Responder: Sendable, CustomTestStringConvertible {
    var name: String
    var expected: ServerTrustError.Reason?
    /// Of the root, who signs.
    var signer: @Sendable (TestIdentity) throws -> TestIdentity
    var revokes = false
    var arguments = ["-ndays", "1"]
    var testDescription: String { name }
  }

  private static let delegate = CertificateProfile.client("Responder").with { $0.extendedKeyUsage = "OCSPSigning" }

  static let responders: [Responder] = [
    Responder(name: "the issuer", signer: { $0 }),
    Responder(name: "the issuer, of a revoked certificate", expected: .revoked, signer: { $0 }, revokes: true),
    Responder(name: "without an end", signer: { $0 }, arguments: []),
    Responder(
      name: "with SHA-1", expected: .revocationUnknown, signer: { $0 }, arguments: ["-ndays", "1", "-rmd", "sha1"]),
    Responder(name: "named by its key", signer: { $0 }, arguments: ["-ndays", "1", "-resp_key_id"]),
    Responder(name: "a delegate", signer: { try $0.issue(delegate) }),
    Responder(name: "a delegate with RSA", signer: { try $0.issue(delegate.with { $0.key = .rsa(bits: 2048) }) }),
    Responder(
      name: "a delegate, of a revoked certificate", expected: .revoked, signer: { try $0.issue(delegate) },
      revokes: true),
    Responder(
      name: "a server of the issuer's", expected: .revocationUnknown,
      signer: { try $0.issue(delegate.with { $0.extendedKeyUsage = "serverAuth" }) }),
    Responder(
      name: "one that may be used for anything", expected: .revocationUnknown,
      signer: { try $0.issue(delegate.with { $0.extendedKeyUsage = nil }) }),
    Responder(
      name: "a delegate that has expired", expected: .revocationUnknown,
      signer: { try $0.issue(delegate.with { $0.notAfter = -60 }) }),
    Responder(
      name: "a delegate with a weak key", expected: .revocationUnknown,
      signer: { try $0.issue(delegate.with { $0.key = .rsa(bits: 1024) }) }),
    Responder(
      name: "a delegate of an authority below", expected: .revocationUnknown,
      signer: { try $0.issue(.authority("Middle")).issue(delegate) }),
    Responder(
      name: "a delegate of somebody else", expected: .revocationUnknown,
      signer: { _ in try TestIdentity.authority().issue(delegate) }),
  ]

  @Test(arguments: responders)
  func `a response counts when the issuer, or who it made a responder, signed it`(_ responder: Responder) async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue(.server.with { $0.serialNumber = 0x1234 })
    var trust = SecurityPolicyTests.trust(leaf)
    trust.ocspResponse = try await Self.respond(responder, root, leaf)
    let policy = try StaplingTests.policy(root)
    guard let expected = responder.expected else {
      #expect(throws: Never.self) { try policy.evaluate(trust) }
      return
    }
    let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
    #expect(error?.reason == expected, "\(error?.message ?? "")")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"], [true, false])
  func `OpenSSL's own server staples, and the response decides`(version: String, isRevoked: Bool) async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue(.server.with { $0.serialNumber = 0x1234 })
    let responder = Responder(
      name: "a delegate", signer: { try $0.issue(Self.delegate) }, revokes: isRevoked)
    let response = try await Self.respond(responder, root, leaf)
    let files = try leaf.writeFiles()
    defer { try? FileManager.default.removeItem(atPath: files.folder) }
    try response.write(to: URL(fileURLWithPath: files.folder + "/response.der"))
    let server = [version, "-cert", files.chain, "-key", files.key, "-status_file", files.folder + "/response.der"]
    let outcomes = try await PeerProgram.serving(server) { port in
      let url = try #require(URL(string: "https://localhost:\(port)/"))
      return [
        try await Handshaking.with(url, under: try StaplingTests.policy(root)).outcome,
        try await Handshaking.with(url, under: try StaplingTests.policy(try .authority())).outcome,
      ]
    }
    #expect(outcomes == [isRevoked ? .refused(.revoked) : .accepted, .refused(.untrusted)])
    let silent = try await PeerProgram.serving(server.dropLast(2)) { port in
      let url = try #require(URL(string: "https://localhost:\(port)/"))
      return try await Handshaking.with(url, under: try StaplingTests.policy(root)).outcome
    }
    #expect(silent == .refused(.revocationUnknown))
  }

  /// What `openssl ocsp` answers about a leaf.
  private static func respond(_ responder: Responder, _ root: TestIdentity, _ leaf: TestIdentity) async throws -> Data {
    let signer = try responder.signer(root)
    let (ours, theirs) = (try leaf.writeFiles(), try signer.writeFiles())
    defer { for files in [ours, theirs] { try? FileManager.default.removeItem(atPath: files.folder) } }
    let state = responder.revokes ? "R\t300101000000Z\t250101000000Z" : "V\t300101000000Z\t"
    let index = URL(fileURLWithPath: ours.folder + "/index.txt")
    try Data("\(state)\t1234\tunknown\t/CN=Curlew Test\n".utf8).write(to: index)
    let response = ours.folder + "/response.der"
    let leafFile = ours.folder + "/leaf.pem"
    try Data(leaf.certificate.pem.utf8).write(to: URL(fileURLWithPath: leafFile))
    let (status, _) = try await PeerProgram.output(
      [
        "ocsp", "-index", index.path, "-CA", ours.root, "-rsigner", theirs.chain, "-rkey", theirs.key,
        "-issuer", ours.root, "-cert", leafFile, "-respout", response, "-noverify",
      ] + responder.arguments)
    #expect(status == 0)
    return try Data(contentsOf: URL(fileURLWithPath: response))
  }
}
