import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct CertificateDetailsTests {
  @Test func `a certificate's names, dates and key are told`() throws {
    let root = try TestIdentity.authority(.authority("Root, of all"))
    let now = Date()
    let leaf = try root.issue(
      .server.with {
        $0.commonName = "Bücher"
        $0.names = ["a.example", "*.b.example"]
        $0.serialNumber = 0xABCD
      })
    let details = try #require(try leaf.certificate.certificate.details)
    #expect(details.subject == #"CN=B\C3\BCcher"#)
    #expect(details.issuer == #"CN=Root\, of all"#)
    #expect(details.names == ["a.example", "*.b.example", "127.0.0.1", "::1"])
    #expect(details.key == "EC 256 bits")
    #expect(details.signature == "ecdsa-with-SHA256")
    #expect(details.serialNumber == "ABCD")
    #expect(!details.isAuthority)
    #expect(try root.certificate.certificate.details?.isAuthority == true)
    let validity = try #require(details.notAfter).timeIntervalSince(try #require(details.notBefore))
    #expect(validity == 30 * 24 * 3600 + 3600)
    #expect(abs(try #require(details.notBefore).timeIntervalSince(now) + 3600) < 5)
  }

  @Test func `nothing in a name reaches a terminal as it is`() throws {
    let profile = CertificateProfile(names: ["evil\u{1B}[31m\n\0name"]).with {
      $0.commonName = "line\nfeed\u{202E}"
      $0.addresses = [[1, 2, 3]]
    }
    let details = try #require(try TestIdentity.selfSigned(profile).certificate.certificate.details)
    #expect(details.names == [#"evil\1b[31m\0a\00name"#, "address of 3 bytes"])
    #expect(details.subject == #"CN=line\0Afeed\E2\80\AE"#)
  }
}
