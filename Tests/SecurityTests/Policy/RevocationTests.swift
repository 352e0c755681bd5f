import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct RevocationTests {
  @Test func `a certificate on its issuer's list is refused, another is not, nor where the issuer has none`() throws {
    let root = try TestIdentity.authority()
    let revoked = try root.issue()
    let good = try root.issue()
    let elsewhere = try root.issue(.authority("Middle")).issue()
    let policy = try Self.policy(root, list: try root.revocationList([revoked.certificate]))
    #expect(throws: Never.self) { try policy.evaluate(SecurityPolicyTests.trust(good)) }
    #expect(throws: Never.self) { try policy.evaluate(SecurityPolicyTests.trust(elsewhere)) }
    let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(SecurityPolicyTests.trust(revoked)) }
    #expect(error?.reason == .revoked && error?.certificate == 0)
  }

  @Test func `a list that is out of date, or that another signed, refuses`() throws {
    let root = try TestIdentity.authority()
    let stranger = try TestIdentity.authority()
    for list in [try root.revocationList([], lastUpdate: -7200, nextUpdate: -3600), try stranger.revocationList([])] {
      let policy = try Self.policy(root, list: list)
      let error = #expect(throws: ServerTrustError.self) {
        try policy.evaluate(SecurityPolicyTests.trust(try root.issue()))
      }
      #expect(error?.reason == .revocationUnknown)
    }
  }

  private static func policy(_ root: TestIdentity, list: [UInt8]) throws -> SecurityPolicy {
    try SecurityPolicy(
      .with {
        $0.anchors = .only([try root.certificate.certificate])
        $0.revocationLists = [try RevocationList(der: Data(list))]
      })
  }
}
