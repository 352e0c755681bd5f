import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

/// AFNetworking's truth table, with its holes closed, over real handshakes.
@Suite struct TruthTableTests {
  enum Server: String, Sendable {
    /// Issued by the root the policy trusts, for the host.
    case trusted
    /// Issued by it, for another host.
    case trustedForAnother = "trusted for another host"
    /// Issued by a root nobody trusts, for the host.
    case untrusted
    /// Self-signed, for the host.
    case selfSigned = "self-signed"
    /// Self-signed, for another host.
    case selfSignedForAnother = "self-signed for another host"
    /// Self-signed, for the host, expired.
    case selfSignedExpired = "self-signed and expired"
  }
  enum Pins: String, Sendable {
    case none
    case leaf
    case root
    case foreign
  }
  enum Result: Sendable, Hashable {
    case accepted
    case refused(ServerTrustError.Reason)
    case notMade
  }
  struct Row: Sendable, CustomTestStringConvertible {
    var mode: SecurityPolicy.PinningMode
    var allowsInvalid: Bool
    var validatesName: Bool
    var scope: SecurityPolicy.PinScope
    var server: Server
    var pins: Pins
    var result: Result
    init(
      _ mode: SecurityPolicy.PinningMode, invalid: Bool = false, name: Bool = true,
      scope: SecurityPolicy.PinScope = .chain, _ server: Server, pins: Pins = .none, _ result: Result
    ) {
      self.mode = mode
      allowsInvalid = invalid
      validatesName = name
      self.scope = scope
      self.server = server
      self.pins = pins
      self.result = result
    }
    var testDescription: String {
      "\(mode), invalid \(allowsInvalid), name \(validatesName), \(scope), server \(server.rawValue), pins \(pins): \(result)"
    }
  }

  static let rows: [Row] = [
    // None: the chain decides.
    Row(.none, .trusted, .accepted),
    Row(.none, .trustedForAnother, .refused(.hostMismatch)),
    Row(.none, name: false, .trustedForAnother, .accepted),
    Row(.none, .untrusted, .refused(.untrusted)),
    Row(.none, .selfSigned, .refused(.untrusted)),
    Row(.none, name: false, .selfSigned, .refused(.untrusted)),
    Row(.none, .selfSignedExpired, .refused(.untrusted)),
    // None with invalid ones allowed: only without names.
    Row(.none, invalid: true, .trusted, .notMade),
    Row(.none, invalid: true, .selfSigned, .notMade),
    Row(.none, invalid: true, name: false, .trusted, .accepted),
    Row(.none, invalid: true, name: false, .selfSignedForAnother, .accepted),
    Row(.none, invalid: true, name: false, .selfSignedExpired, .accepted),
    // Pins without a mode.
    Row(.none, .trusted, pins: .leaf, .notMade),
    // Public key.
    Row(.publicKey, .trusted, pins: .leaf, .accepted),
    Row(.publicKey, .trusted, pins: .root, .accepted),
    Row(.publicKey, scope: .leaf, .trusted, pins: .leaf, .accepted),
    Row(.publicKey, scope: .leaf, .trusted, pins: .root, .refused(.pinMismatch)),
    Row(.publicKey, .trusted, pins: .foreign, .refused(.pinMismatch)),
    Row(.publicKey, .trusted, pins: .none, .refused(.pinMismatch)),
    Row(.publicKey, .trustedForAnother, pins: .leaf, .refused(.hostMismatch)),
    Row(.publicKey, name: false, .trustedForAnother, pins: .leaf, .accepted),
    Row(.publicKey, .untrusted, pins: .leaf, .refused(.untrusted)),
    Row(.publicKey, .selfSigned, pins: .leaf, .refused(.untrusted)),
    // Public key with invalid ones allowed: the leaf alone.
    Row(.publicKey, invalid: true, .selfSigned, pins: .leaf, .notMade),
    Row(.publicKey, invalid: true, scope: .leaf, .selfSigned, pins: .leaf, .accepted),
    Row(.publicKey, invalid: true, scope: .leaf, .untrusted, pins: .leaf, .accepted),
    Row(.publicKey, invalid: true, scope: .leaf, .untrusted, pins: .root, .refused(.pinMismatch)),
    Row(.publicKey, invalid: true, scope: .leaf, .selfSignedExpired, pins: .leaf, .accepted),
    Row(.publicKey, invalid: true, scope: .leaf, .selfSigned, pins: .foreign, .refused(.pinMismatch)),
    Row(.publicKey, invalid: true, scope: .leaf, .selfSigned, pins: .none, .refused(.pinMismatch)),
    Row(.publicKey, invalid: true, scope: .leaf, .selfSignedForAnother, pins: .leaf, .refused(.hostMismatch)),
    Row(.publicKey, invalid: true, name: false, scope: .leaf, .selfSignedForAnother, pins: .leaf, .accepted),
    // Certificate.
    Row(.certificate, .trusted, pins: .leaf, .accepted),
    Row(.certificate, .trusted, pins: .root, .accepted),
    Row(.certificate, scope: .leaf, .trusted, pins: .leaf, .accepted),
    Row(.certificate, scope: .leaf, .trusted, pins: .root, .refused(.pinMismatch)),
    Row(.certificate, .trusted, pins: .foreign, .refused(.pinMismatch)),
    Row(.certificate, .trusted, pins: .none, .refused(.pinMismatch)),
    Row(.certificate, .trustedForAnother, pins: .leaf, .refused(.hostMismatch)),
    Row(.certificate, .selfSigned, pins: .leaf, .refused(.untrusted)),
    Row(.certificate, .untrusted, pins: .root, .refused(.untrusted)),
    // Certificate with invalid ones allowed: the pins are the anchors.
    Row(.certificate, invalid: true, .selfSigned, pins: .leaf, .accepted),
    Row(.certificate, invalid: true, .untrusted, pins: .root, .accepted),
    Row(.certificate, invalid: true, .untrusted, pins: .leaf, .accepted),
    Row(.certificate, invalid: true, scope: .leaf, .untrusted, pins: .root, .refused(.pinMismatch)),
    Row(.certificate, invalid: true, .selfSigned, pins: .foreign, .refused(.untrusted)),
    Row(.certificate, invalid: true, .selfSigned, pins: .none, .refused(.pinMismatch)),
    Row(.certificate, invalid: true, .trusted, pins: .foreign, .refused(.untrusted)),
    Row(.certificate, invalid: true, .selfSignedForAnother, pins: .leaf, .refused(.hostMismatch)),
    Row(.certificate, invalid: true, name: false, .selfSignedForAnother, pins: .leaf, .accepted),
    Row(.certificate, invalid: true, .selfSignedExpired, pins: .leaf, .refused(.expired)),
  ]

  private static let root = Swift.Result { try TestIdentity.authority() }

  @Test(arguments: rows)
  func `a server is trusted exactly when the table says so`(_ row: Row) async throws {
    let root = try Self.root.get()
    let identity = try Self.identity(row.server, under: root)
    let settings = try SecurityPolicy.Settings.with {
      $0.pinningMode = row.mode
      $0.allowInvalidCertificates = row.allowsInvalid
      $0.validatesDomainName = row.validatesName
      $0.pinScope = row.scope
      $0.anchors = .only([try root.certificate.certificate])
      $0.pinnedCertificates =
        switch row.pins {
        case .none: []
        case .leaf: [try identity.certificate.certificate]
        case .root: [try identity.root.certificate]
        case .foreign: [try TestIdentity.selfSigned().certificate.certificate]
        }
    }
    let policy: SecurityPolicy
    do {
      policy = try SecurityPolicy(settings)
    } catch {
      #expect(row.result == .notMade && error.kind == .unsafeCombination)
      return
    }
    let handshake = try await Handshaking.with(identity, under: policy)
    switch row.result {
    case .accepted: #expect(handshake.outcome == .accepted)
    case .refused(let reason): #expect(handshake.outcome == .refused(reason), "\(handshake.error?.message ?? "")")
    case .notMade: Issue.record("the policy was made")
    }
    #expect(handshake.requests == (row.result == .accepted ? 1 : 0))
  }

  private static func identity(_ server: Server, under root: TestIdentity) throws -> TestIdentity {
    let other = CertificateProfile(names: ["other.example"]).with { $0.addresses = [] }
    return switch server {
    case .trusted: try root.issue()
    case .trustedForAnother: try root.issue(other)
    case .untrusted: try TestIdentity.authority(.authority("Nobody's")).issue()
    case .selfSigned: try .selfSigned()
    case .selfSignedForAnother: try .selfSigned(other)
    case .selfSignedExpired: try .selfSigned(.server.with { $0.notAfter = -60 })
    }
  }
}
