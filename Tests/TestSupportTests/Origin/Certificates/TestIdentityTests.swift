import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

/// Judged by the `openssl` command.
@Suite(.timeLimit(.minutes(10))) struct TestIdentityTests {
  private func verify(_ identity: TestIdentity, _ options: String...) async throws -> String {
    let files = try identity.writeFiles()
    defer { files.remove() }
    let result = try await Command.run(
      ["openssl", "verify", "-CAfile", files.root, "-untrusted", files.chain] + options + [files.chain])
    return result.output
  }

  @Test(arguments: [TestKey.Kind.p256, .p384, .rsa(bits: 2048), .ed25519])
  func `a chain of three verifies`(kind: TestKey.Kind) async throws {
    let root = try TestIdentity.authority(.authority().with { $0.key = kind })
    let leaf = try root.issue(.authority("Middle", pathLength: 0)).issue(.server.with { $0.key = kind })
    #expect(leaf.chain.count == 2)
    #expect(try await verify(leaf, "-purpose", "sslserver", "-verify_hostname", "localhost").hasSuffix(": OK\n"))
    #expect(try await verify(leaf, "-verify_ip", "127.0.0.1").hasSuffix(": OK\n"))
    #expect(try await verify(leaf, "-verify_hostname", "other").contains("hostname mismatch"))
  }

  @Test func `each fault is the fault openssl names`() async throws {
    let root = try TestIdentity.authority()
    func fault(_ change: (inout CertificateProfile) -> Void, _ options: String...) async throws -> String {
      let files = try root.issue(.server.with(change)).writeFiles()
      defer { files.remove() }
      return try await Command.run(["openssl", "verify", "-CAfile", files.root] + options + [files.chain]).output
    }
    #expect(try await fault { $0.notAfter = -10 }.contains("certificate has expired"))
    #expect(try await fault { $0.notBefore = 1000 }.contains("not yet valid"))
    #expect(try await fault { $0.breaksSignature = true }.contains("signature failure"))
    #expect(try await fault({ $0.extendedKeyUsage = "clientAuth" }, "-purpose", "sslserver").contains("purpose"))
    #expect(try await fault({ $0.usesSHA1 = true }, "-auth_level", "1").contains("too weak"))
    #expect(try await fault({ $0.key = .rsa(bits: 1024) }, "-auth_level", "2").contains("key too weak"))
    #expect(try await fault({ $0.names = ["good.example\0.evil.example"] }).contains("OK"))
    let foreign = try TestIdentity.authority(.authority("Other"))
    var leaf = try foreign.issue()
    leaf.root = root.certificate
    #expect(try await verify(leaf).contains("unable to get local issuer"))
  }

  @Test func `a leaf outside the name constraints and one below a leaf are refused`() async throws {
    let root = try TestIdentity.authority()
    let middle = try root.issue(
      .authority("Middle").with { $0.nameConstraints = "critical,permitted;DNS:good.example" })
    #expect(
      try await verify(middle.issue(CertificateProfile(names: ["a.good.example"]).with { $0.addresses = [] }))
        .hasSuffix(": OK\n"))
    #expect(
      try await verify(middle.issue(CertificateProfile(names: ["bad.example"]).with { $0.addresses = [] }))
        .contains("permitted subtree violation"))
    #expect(try await verify(try root.issue().issue()).contains("invalid CA certificate"))
  }

  @Test func `keys, pins and PKCS#12 are what openssl makes of them`() async throws {
    let leaf = try TestIdentity.authority().issue(.authority("M")).issue()
    let files = try leaf.writeFiles()
    let pin = try await Command.run([
      "sh", "-c",
      "openssl x509 -in \(files.chain) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64",
    ])
    #expect(leaf.certificate.pin == "sha256/" + pin.output.split(separator: "\n")[0])
    let bundle = files.folder + "/bundle.p12"
    try Data(leaf.pkcs12(password: "secret")).write(to: URL(filePath: bundle))
    let read = try await Command.run(["openssl", "pkcs12", "-in", bundle, "-passin", "pass:secret", "-nodes"])
    #expect(read.exit == 0)
    #expect(read.output.components(of: "BEGIN CERTIFICATE") == 2)
    #expect(read.output.contains("BEGIN PRIVATE KEY"))
    let encrypted = files.folder + "/encrypted.pem"
    try Data(leaf.key.pem(password: "secret").utf8).write(to: URL(filePath: encrypted))
    #expect(try await Command.run(["openssl", "pkey", "-in", encrypted, "-passin", "pass:secret", "-noout"]).exit == 0)
    #expect(try await Command.run(["openssl", "pkey", "-in", encrypted, "-passin", "pass:wrong", "-noout"]).exit != 0)
    _ = try await Command.run(["rm", "-f", bundle, encrypted])
    files.remove()
  }

  @Test func `a revocation list revokes`() async throws {
    let root = try TestIdentity.authority()
    let (good, bad) = (try root.issue(), try root.issue())
    let list = try root.revocationList([bad.certificate])
    let files = try good.writeFiles()
    let path = files.folder + "/list.crl"
    try Data(list).write(to: URL(filePath: path))
    #expect(try await verify(good, "-crl_check", "-CRLfile", path).hasSuffix(": OK\n"))
    #expect(try await verify(bad, "-crl_check", "-CRLfile", path).contains("certificate revoked"))
    _ = try await Command.run(["rm", "-f", path])
    files.remove()
  }

  @Test func `what cannot be made is a typed error`() throws {
    #expect(throws: CertificateError.self) { try TestKey(.rsa(bits: 8)) }
    #expect(throws: CertificateError.self) { try TestIdentity.selfSigned(.server.with { $0.keyUsage = "nonsense" }) }
    #expect(TestCertificate(der: [1, 2, 3]).pin == nil)
  }
}

extension String {
  /// How often a part occurs.
  fileprivate func components(of part: String) -> Int {
    ranges(of: part).count
  }
}
