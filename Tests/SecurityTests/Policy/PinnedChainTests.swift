import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

/// Pins of each certificate in a chain of four, as AFNetworking's tests pin those of httpbin.org.
@Suite struct PinnedChainTests {
  @Test func `the default policy checks the chain and the name, and pins nothing`() {
    let settings = SecurityPolicy.Settings()
    #expect(settings.pinningMode == .none)
    #expect(!settings.allowInvalidCertificates && settings.validatesDomainName)
    #expect(settings.pinnedCertificates.isEmpty && settings.publicKeyPins.isEmpty)
  }

  @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
  func `each certificate of a chain can be pinned, alone or among others`(_ mode: SecurityPolicy.PinningMode) throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue(.authority("First", pathLength: 1)).issue(.authority("Second", pathLength: 0)).issue()
    let trust = SecurityPolicyTests.trust(leaf)
    let chain = try (leaf.chain + [root.certificate]).map { try $0.certificate }
    #expect(chain.count == 4)
    let foreign = try TestIdentity.selfSigned().certificate.certificate
    func isTrusted(_ pins: [Certificate]) throws -> Bool {
      let policy = try SecurityPolicy(
        .with {
          $0.pinningMode = mode
          $0.anchors = .only([try root.certificate.certificate])
          $0.pinnedCertificates = pins
        })
      do throws(ServerTrustError) {
        try policy.evaluate(trust)
        return true
      } catch {
        #expect(error.reason == .pinMismatch)
        return false
      }
    }
    for pin in chain { #expect(try isTrusted([pin])) }
    #expect(try isTrusted(chain))
    #expect(try isTrusted([foreign, chain[0]]))
    #expect(try !isTrusted([foreign]))
  }
}
