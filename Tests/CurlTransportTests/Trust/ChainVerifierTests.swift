import COpenSSL
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewCurlTransport

/// What the default evaluator does once it has its anchors.
@Suite struct ChainVerifierTests {
  @Test(arguments: [
    ("localhost", true), ("localhost.", true), ("::1", true), ("[::1]", true), ("127.0.0.1", true), ("", false),
    (".", false), ("other.example", false), ("127.0.0.2", false), ("localhost\0", false),
  ])
  func `a host is matched as certificates write it`(host: String, isMatch: Bool) throws {
    let error = try Self.refusal(of: try TestIdentity.authority().issue(), for: host)
    #expect(error?.reason == (isMatch ? nil : .hostMismatch))
  }

  @Test func `each rule has its reason, and the certificate at fault its place`() throws {
    let root = try TestIdentity.authority()
    let cases: [(TestIdentity, ServerTrustError.Reason?, Int?)] = [
      (try root.issue(.authority("Middle")).issue(), nil, nil),
      (try root.issue(.server.with { $0.notAfter = -60 }), .expired, 0),
      (try root.issue(.authority("Middle").with { $0.notBefore = 3600 }).issue(), .notYetValid, 1),
      (try root.issue(.server.with { $0.key = .rsa(bits: 1024) }), .weak, 0),
      (try root.issue(.server.with { $0.extendedKeyUsage = "clientAuth" }), .constraint, 0),
      (try root.issue(.server.with { $0.breaksSignature = true }), .untrusted, 0),
    ]
    for (identity, reason, place) in cases {
      let error = try Self.refusal(of: identity, for: "localhost")
      #expect(error?.reason == reason && error?.certificate == place)
    }
    let stranger = try Self.refusal(of: try TestIdentity.selfSigned(), for: "localhost", under: root)
    #expect(stranger?.reason == .untrusted)
  }

  private static func refusal(
    of identity: TestIdentity, for host: String, under root: TestIdentity? = nil
  ) throws -> ServerTrustError? {
    let store = try #require(X509_STORE_new())
    defer { X509_STORE_free(store) }
    let anchor = try #require(
      (root?.certificate ?? identity.root).der.withUnsafeBufferPointer { buffer in
        var cursor = buffer.baseAddress
        return d2i_X509(nil, &cursor, buffer.count)
      })
    defer { X509_free(anchor) }
    #expect(X509_STORE_add_cert(store, anchor) == 1)
    let trust = ServerTrust(
      host: host, port: 443, certificates: identity.chain.map { Data($0.der) }, date: Date())
    do throws(ServerTrustError) {
      try ChainVerifier(anchors: store).verify(trust)
      return nil
    } catch {
      return error
    }
  }
}
