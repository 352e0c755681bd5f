import CurlewCore
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Servers as badssl.com has them, each refused or accepted for the right reason over a real handshake.
@Suite struct ServerMatrixTests {
  struct Server: Sendable, CustomTestStringConvertible {
    var name: String
    var host: String
    var expected: Outcome
    var make: @Sendable (TestIdentity) throws -> TestIdentity
    /// The only version of TLS it speaks; nil for 1.2 and 1.3.
    var version: OriginTLS.Version?
    /// What the root's list says is revoked, of the server's chain.
    var revoked: [Int] = []
    init(
      _ name: String, host: String = "localhost", _ expected: Outcome,
      make: @escaping @Sendable (TestIdentity) throws -> TestIdentity
    ) {
      self.name = name
      self.host = host
      self.expected = expected
      self.make = make
    }
    /// One whose leaf alone is special.
    init(
      leaf name: String, host: String = "localhost", _ expected: Outcome,
      _ change: @escaping @Sendable (inout CertificateProfile) -> Void
    ) {
      self.init(name, host: host, expected) { try $0.issue(.server.with(change)) }
    }
    /// One whose authority between root and leaf is special.
    init(
      authority name: String, _ expected: Outcome, leaf: CertificateProfile = .server,
      _ change: @escaping @Sendable (inout CertificateProfile) -> Void
    ) {
      self.init(name, expected) { try $0.issue(.authority("Middle").with(change)).issue(leaf) }
    }
    /// One that speaks one version of TLS only.
    init(_ version: OriginTLS.Version, _ expected: Outcome) {
      self.init("\(version) only", expected) { try $0.issue() }
      self.version = version
    }
    /// One of whose chain the root's list names some certificates; the leaf is 0.
    init(
      _ name: String, revoked: [Int], _ expected: Outcome,
      make: @escaping @Sendable (TestIdentity) throws -> TestIdentity
    ) {
      self.init(name, expected, make: make)
      self.revoked = revoked
    }
    var testDescription: String { name }
  }

  private static let root = Swift.Result { try TestIdentity.authority() }

  static let servers = dates + names + chains + uses + strengths + versions + revocations

  static let dates: [Server] = [
    Server(leaf: "a good server", .accepted) { _ in },
    Server(leaf: "expired", .refused(.expired)) { $0.notAfter = -60 },
    Server(leaf: "not valid yet", .refused(.notYetValid)) { $0.notBefore = 3600 },
    Server(authority: "an expired authority", .refused(.expired)) { $0.notAfter = -60 },
    Server(authority: "an authority that is not valid yet", .refused(.notYetValid)) { $0.notBefore = 3600 },
  ]

  static let names: [Server] = [
    Server(leaf: "another host", .refused(.hostMismatch)) { $0.names = ["other.example"] },
    Server(leaf: "no name at all", .refused(.hostMismatch)) {
      $0.names = []
      $0.addresses = []
    },
    Server(leaf: "the name as common name alone", .refused(.hostMismatch)) {
      $0.commonName = "localhost"
      $0.names = ["other.example"]
    },
    Server(leaf: "the name as common name, no alternative names", .refused(.hostMismatch)) {
      $0.commonName = "localhost"
      $0.names = []
      $0.addresses = []
    },
    Server(leaf: "upper case", .accepted) { $0.names = ["LOCALHOST"] },
    Server(leaf: "no subject", .accepted) { $0.commonName = nil },
    Server(leaf: "an address", host: "127.0.0.1", .accepted) { $0.names = [] },
    Server(leaf: "another address", host: "127.0.0.1", .refused(.hostMismatch)) { $0.addresses = [[127, 0, 0, 2]] },
    Server(leaf: "an address as a DNS name", host: "127.0.0.1", .refused(.hostMismatch)) {
      $0.names = ["127.0.0.1"]
      $0.addresses = []
    },
    Server(leaf: "an address as common name", host: "127.0.0.1", .refused(.hostMismatch)) {
      $0.commonName = "127.0.0.1"
      $0.names = []
      $0.addresses = []
    },
    Server(leaf: "an address of five bytes", host: "127.0.0.1", .refused(.hostMismatch)) {
      $0.addresses = [[127, 0, 0, 1, 0]]
    },
    Server(leaf: "a wildcard", host: "a.b.localhost", .accepted) { $0.names = ["*.b.localhost"] },
    Server(leaf: "a wildcard for two labels", host: "x.a.b.localhost", .refused(.hostMismatch)) {
      $0.names = ["*.b.localhost"]
    },
    Server(leaf: "a wildcard for no label", host: "b.localhost", .refused(.hostMismatch)) {
      $0.names = ["*.b.localhost"]
    },
    Server(leaf: "a wildcard of a top-level name", host: "b.localhost", .refused(.hostMismatch)) {
      $0.names = ["*.localhost"]
    },
    Server(leaf: "a bare wildcard", .refused(.hostMismatch)) { $0.names = ["*"] },
    Server(leaf: "a wildcard in part of a label", host: "abc.b.localhost", .refused(.hostMismatch)) {
      $0.names = ["a*.b.localhost"]
    },
    Server(leaf: "a wildcard in a later label", host: "a.b.c.localhost", .refused(.hostMismatch)) {
      $0.names = ["a.*.c.localhost"]
    },
    Server(leaf: "two wildcards", host: "a.b.c.localhost", .refused(.hostMismatch)) { $0.names = ["*.*.c.localhost"] },
    Server(leaf: "a zero in the name", .refused(.hostMismatch)) { $0.names = ["localhost\0.evil.example"] },
    Server(leaf: "a zero in the common name", .refused(.hostMismatch)) {
      $0.commonName = "localhost\0.evil.example"
      $0.names = []
      $0.addresses = []
    },
    Server(leaf: "a dot before the name", .refused(.hostMismatch)) { $0.names = [".localhost"] },
  ]

  static let chains: [Server] = [
    Server("self-signed", .refused(.untrusted)) { _ in try .selfSigned() },
    Server("a root nobody trusts", .refused(.untrusted)) { _ in try TestIdentity.authority().issue() },
    Server("a root nobody trusts of the same name, shown", .refused(.untrusted)) { _ in
      var identity = try TestIdentity.authority().issue()
      identity.intermediates = [identity.root]
      return identity
    },
    Server("an authority between", .accepted) { try $0.issue(.authority("Middle", pathLength: 0)).issue() },
    Server("a missing authority", .refused(.untrusted)) {
      var identity = try $0.issue(.authority("Middle", pathLength: 0)).issue()
      identity.intermediates = []
      return identity
    },
    Server("the wrong order", .accepted) {
      var identity = try $0.issue(.authority("First")).issue(.authority("Second")).issue()
      identity.intermediates.reverse()
      return identity
    },
    Server("foreign certificates beside the chain", .accepted) {
      var identity = try $0.issue(.authority("Middle")).issue()
      identity.intermediates.insert(try TestIdentity.selfSigned().certificate, at: 0)
      return identity
    },
    Server("the root shown as well", .accepted) {
      var identity = try $0.issue(.authority("Middle")).issue()
      identity.intermediates.append($0.certificate)
      return identity
    },
    Server("ten authorities deep", .accepted) {
      var issuer = $0
      for number in 1...10 { issuer = try issuer.issue(.authority("Level \(number)")) }
      return try issuer.issue()
    },
    Server(leaf: "a broken signature", .refused(.untrusted)) { $0.breaksSignature = true },
    Server(authority: "a broken signature of an authority", .refused(.untrusted)) { $0.breaksSignature = true },
    Server("an authority longer than its root's path length allows", .refused(.constraint)) {
      try $0.issue(.authority("First", pathLength: 0)).issue(.authority("Second")).issue()
    },
  ]

  static let uses: [Server] = [
    Server(leaf: "for clients only", .refused(.constraint)) { $0.extendedKeyUsage = "clientAuth" },
    Server(leaf: "for code signing only", .refused(.constraint)) { $0.extendedKeyUsage = "codeSigning" },
    Server(leaf: "for anything", .accepted) { $0.extendedKeyUsage = nil },
    Server(leaf: "a key for lists of revoked certificates only", .refused(.constraint)) {
      $0.keyUsage = "critical,cRLSign"
    },
    Server(authority: "issued by what is no authority", .refused(.constraint)) {
      $0.basicConstraints = "critical,CA:FALSE"
    },
    Server(authority: "issued by what does not say what it is", .refused(.constraint)) {
      $0.basicConstraints = nil
      $0.keyUsage = nil
    },
    Server(authority: "an authority whose key may sign no certificate", .refused(.constraint)) {
      $0.keyUsage = "critical,digitalSignature"
    },
    Server(authority: "an authority for clients only", .refused(.constraint)) { $0.extendedKeyUsage = "clientAuth" },
    Server("issued by another server's leaf", .refused(.constraint)) { try $0.issue().issue() },
    Server(authority: "a name outside what the authority may name", .refused(.constraint)) {
      $0.nameConstraints = "critical,permitted;DNS:example.com"
    },
    Server(authority: "a name the authority must not name", .refused(.constraint)) {
      $0.nameConstraints = "critical,excluded;DNS:localhost"
    },
    Server(authority: "an address outside what the authority may name", .refused(.constraint)) {
      $0.nameConstraints = "critical,permitted;IP:10.0.0.0/255.0.0.0"
    },
    Server(
      authority: "a name the authority may name", .accepted,
      leaf: CertificateProfile(names: ["localhost"]).with { $0.addresses = [] }
    ) { $0.nameConstraints = "critical,permitted;DNS:localhost" },
    Server(leaf: "a critical extension nobody knows", .refused(.constraint)) {
      $0.extensions = [("1.3.6.1.4.1.55555.1", true, [0x05, 0x00])]
    },
    Server(leaf: "an extension nobody knows", .accepted) {
      $0.extensions = [("1.3.6.1.4.1.55555.1", false, [0x05, 0x00])]
    },
  ]

  static let strengths: [Server] = [
    Server(leaf: "RSA of 2048 bits", .accepted) { $0.key = .rsa(bits: 2048) },
    Server(leaf: "P-384", .accepted) { $0.key = .p384 },
    Server(authority: "SHA-1 by an authority", .refused(.weak)) { $0.usesSHA1 = true },
    Server(leaf: "SHA-1", .refused(.weak)) { $0.usesSHA1 = true },
    Server(leaf: "RSA of 1024 bits", .refused(.weak)) { $0.key = .rsa(bits: 1024) },
    Server(authority: "an authority with RSA of 1024 bits", .refused(.weak)) { $0.key = .rsa(bits: 1024) },
  ]

  /// What the handshake itself refuses is no matter of certificates.
  static let versions: [Server] = [
    Server(.tls10, .other("handshake-failed")), Server(.tls11, .other("handshake-failed")),
    Server(.tls12, .accepted), Server(.tls13, .accepted),
  ]

  static let revocations: [Server] = [
    Server("not on the root's list", revoked: [], .accepted) { try $0.issue() },
    Server("revoked by the root", revoked: [0], .refused(.revoked)) { try $0.issue() },
    Server("an authority revoked by the root", revoked: [1], .refused(.revoked)) {
      try $0.issue(.authority("Middle")).issue()
    },
  ]

  @Test(arguments: servers)
  func `each server is accepted or refused for its own reason, and a refused one sees no request`(
    _ server: Server
  ) async throws {
    let root = try Self.root.get()
    let identity = try server.make(root)
    let list = try RevocationList(
      der: Data(try root.revocationList(server.revoked.compactMap { identity.chain[safe: $0] })))
    let policy = try SecurityPolicy(
      .with {
        $0.anchors = .only([try root.certificate.certificate])
        $0.revocationLists = [list]
      })
    let tls = OriginTLS(identity).with { tls in
      if let version = server.version { tls.versions = version...version }
    }
    let handshake = try await Handshaking.with(tls, host: server.host, under: policy)
    #expect(handshake.outcome == server.expected, "\(handshake.error?.message ?? "")")
    #expect(handshake.requests == (server.expected == .accepted ? 1 : 0))
    // Without a complete handshake the server can read no byte of a request.
    if server.expected != .accepted { #expect(handshake.handshakes == 0) }
    // Beside other tests the time says nothing; `Scripts/soak` runs these one by one.
    if Self.isTimed { #expect(handshake.duration <= .milliseconds(50)) }
  }

  private static let isTimed = getenv("CURLEW_TIMED") != nil
}

extension Array {
  /// The element at a place; nil where there is none.
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
