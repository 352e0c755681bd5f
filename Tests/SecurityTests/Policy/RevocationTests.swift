import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(10))) struct RevocationTests {
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

  @Test(
    arguments: [
      (-60, 24 * 3600, true), (60, 24 * 3600, true), (400, 24 * 3600, false), (-7200, -60, true), (-7200, -400, false),
      (-60, nil, true), (60, nil, true), (-23 * 3600, nil, true), (-25 * 3600, nil, false), (400, nil, false),
    ] as [(Int64, Int64?, Bool)])
  func `clocks may differ by five minutes, and a list without an end counts for a day`(
    lastUpdate: Int64, nextUpdate: Int64?, isCurrent: Bool
  ) throws {
    let root = try TestIdentity.authority()
    let policy = try Self.policy(
      root, list: try root.revocationList([], lastUpdate: lastUpdate, nextUpdate: nextUpdate))
    let leaf = try root.issue()
    guard !isCurrent else { return try policy.evaluate(SecurityPolicyTests.trust(leaf)) }
    let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(SecurityPolicyTests.trust(leaf)) }
    #expect(error?.reason == .revocationUnknown)
  }

  @Test func `a list of an anchor's own issuer refuses the anchor that it names, and no other`() throws {
    let root = try TestIdentity.authority()
    let (anchor, other) = (try root.issue(.authority("Middle")), try root.issue(.authority("Other")))
    let leaf = try anchor.issue()
    for scope in [TestIdentity.RevocationScope.full, .keyCompromise] {
      for lastUpdate: Int64 in [-60, -90_000_000] {
        for (named, isRefused) in [(other, false), (anchor, true)] {
          let list = try root.revocationList([named.certificate], scope: scope, lastUpdate: lastUpdate)
          let policy = try Self.policy(anchor, list: list)
          if isRefused {
            let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(SecurityPolicyTests.trust(leaf)) }
            #expect(error?.reason == .revoked || error?.reason == .revocationUnknown)
          } else {
            #expect(throws: Never.self) { try policy.evaluate(SecurityPolicyTests.trust(leaf)) }
          }
        }
      }
    }
    // What the anchor itself says of its own certificates still counts.
    let own = try Self.policy(
      anchor, lists: [try root.revocationList([]), try anchor.revocationList([leaf.certificate])])
    let error = #expect(throws: ServerTrustError.self) { try own.evaluate(SecurityPolicyTests.trust(leaf)) }
    #expect(error?.reason == .revoked)
  }

  @Test(arguments: [TestIdentity.RevocationScope.keyCompromise, .indirect, .delta])
  func `a list that covers a part refuses what it names, beside a full list too, and proves nothing for others`(
    scope: TestIdentity.RevocationScope
  ) throws {
    let root = try TestIdentity.authority()
    let (revoked, other) = (try root.issue(), try root.issue())
    let partial = try root.revocationList([revoked.certificate], scope: scope)
    let full = try root.revocationList([])

    let alone = try Self.policy(root, lists: [partial])
    for leaf in [revoked, other] {
      let error = #expect(throws: ServerTrustError.self) { try alone.evaluate(SecurityPolicyTests.trust(leaf)) }
      #expect(error?.reason == .revocationUnknown, "\(scope)")
    }
    let beside = try Self.policy(root, lists: [full, partial])
    let error = #expect(throws: ServerTrustError.self) { try beside.evaluate(SecurityPolicyTests.trust(revoked)) }
    #expect(error?.reason == .revoked && error?.certificate == 0)
    #expect(throws: Never.self) { try beside.evaluate(SecurityPolicyTests.trust(other)) }

    // A newer list of a part takes nothing back.
    let older = try root.revocationList([other.certificate], lastUpdate: -3600)
    let newer = try Self.policy(root, lists: [older, try root.revocationList([], scope: scope)])
    let named = #expect(throws: ServerTrustError.self) { try newer.evaluate(SecurityPolicyTests.trust(other)) }
    #expect(named?.reason == .revoked)
  }

  @Test func `another authority's indirect list refuses the certificate it names, and no other`() throws {
    let (root, stranger) = (try TestIdentity.authority(), try TestIdentity.authority(.authority("Stranger")))
    let (revoked, other) = (try root.issue(), try root.issue())
    let indirect = try stranger.revocationList([revoked.certificate], scope: .indirect)
    for lists in [[indirect], [try root.revocationList([]), indirect]] {
      let policy = try Self.policy(root, lists: lists)
      let error = #expect(throws: ServerTrustError.self) { try policy.evaluate(SecurityPolicyTests.trust(revoked)) }
      #expect(error?.reason == .revocationUnknown)
      #expect(throws: Never.self) { try policy.evaluate(SecurityPolicyTests.trust(other)) }
    }
  }

  @Test func `a full list of an issuer that nobody asks about changes nothing`() throws {
    let (root, stranger) = (try TestIdentity.authority(), try TestIdentity.authority(.authority("Stranger")))
    let leaf = try root.issue()
    let policy = try Self.policy(root, lists: [try stranger.revocationList([leaf.certificate])])
    #expect(throws: Never.self) { try policy.evaluate(SecurityPolicyTests.trust(leaf)) }
  }

  private static func policy(_ root: TestIdentity, list: [UInt8]) throws -> SecurityPolicy {
    try policy(root, lists: [list])
  }

  private static func policy(_ root: TestIdentity, lists: [[UInt8]]) throws -> SecurityPolicy {
    try SecurityPolicy(
      .with {
        $0.anchors = .only([try root.certificate.certificate])
        $0.revocationLists = try lists.map { try RevocationList(der: Data($0)) }
      })
  }
}
