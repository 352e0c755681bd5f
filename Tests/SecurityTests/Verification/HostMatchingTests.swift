import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

/// The name of a leaf that a chain is built for, and of one that is trusted by its key alone.
@Suite struct HostMatchingTests {
  @Test(arguments: [
    ("localhost", true), ("LocalHost", true), ("localhost.", true), ("127.0.0.1", true), ("::1", true), ("[::1]", true),
    ("[0:0::1]", true), ("localhost..", false), ("127.0.0.2", false), ("[::2]", false), ("other.example", false),
    ("", false), (".", false), ("[]", false), ("localhost\0", false), ("localhost\0.evil.example", false),
    (String(repeating: "a", count: 300), false),
  ])
  func `a host is matched as certificates write it`(host: String, isMatch: Bool) throws {
    try check(try TestIdentity.authority().issue(), host, isMatch)
  }

  @Test(arguments: ["127.0.0.1", "::1", "[::1]"])
  func `an address matches no DNS name that looks like it`(host: String) throws {
    let profile = CertificateProfile(names: ["127.0.0.1", "::1", "[::1]"]).with { $0.addresses = [] }
    try check(try TestIdentity.authority().issue(profile), host, false)
  }

  private func check(_ leaf: TestIdentity, _ host: String, _ isMatch: Bool) throws {
    let pin = try leaf.certificate.certificate.publicKeyPin
    let policies = [
      try SecurityPolicy(.with { $0.anchors = .only([try leaf.root.certificate]) }),
      try SecurityPolicy(
        .with {
          $0.pinningMode = .publicKey
          $0.pinScope = .leaf
          $0.allowInvalidCertificates = true
          $0.publicKeyPins = [pin]
        }),
    ]
    for policy in policies {
      let trust = SecurityPolicyTests.trust(leaf, host: host)
      guard !isMatch else {
        #expect(throws: Never.self) { try policy.evaluate(trust) }
        continue
      }
      let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(trust) }
      #expect(error?.reason == .hostMismatch)
    }
  }
}
