import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

@Suite struct ClientIdentityReadingTests {
  @Test func `an encrypted key is opened with its password, and with no other`() throws {
    let identity = try TestIdentity.authority().issue(.authority("Middle")).issue(.client())
    let pem = Data(identity.chainPEM.utf8)
    let key = Data(try identity.key.pem(password: "open sesame").utf8)
    let read = try ClientIdentity(pem: pem, key: key, password: "open sesame")
    #expect(read == (try ClientIdentity(pem: pem, key: Data(identity.key.pem.utf8))))
    #expect(try Certificate.all(pem: read.certificateChain).map(\.der) == identity.chain.map { Data($0.der) })
    for password in [nil, "", "closed"] {
      let error = #expect(throws: SecurityError.self) { try ClientIdentity(pem: pem, key: key, password: password) }
      #expect(error?.kind == .unreadableKey)
    }
    let foreign = Data(try TestKey().pem.utf8)
    let error = #expect(throws: SecurityError.self) { try ClientIdentity(pem: pem, key: foreign) }
    #expect(error?.kind == .keyMismatch)
  }

  @Test(arguments: ["open sesame\0more", "\0open sesame", "open sesame" + String(repeating: "x", count: 2000)])
  func `a password is taken whole, or not at all`(password: String) throws {
    let identity = try TestIdentity.authority().issue(.client())
    let pem = Data(identity.chainPEM.utf8)
    let key = Data(try identity.key.pem(password: "open sesame").utf8)
    let file = Data(try identity.pkcs12(password: "open sesame"))
    for read in [
      { try ClientIdentity(pem: pem, key: key, password: password) },
      { try ClientIdentity(pkcs12: file, password: password) },
    ] {
      let error = #expect(throws: SecurityError.self) { try read() }
      #expect(error?.kind == .unreadableKey)
    }
  }

  @Test func `a PKCS#12 file gives certificate, intermediates and key, and only to its password`() throws {
    let identity = try TestIdentity.authority().issue(.authority("Middle")).issue(.client())
    let file = Data(try identity.pkcs12(password: "open sesame"))
    let read = try ClientIdentity(pkcs12: file, password: "open sesame")
    #expect(try Certificate.all(pem: read.certificateChain).map(\.der) == identity.chain.map { Data($0.der) })
    for (bytes, password) in [(file, "closed"), (file, ""), (Data(), ""), (file.prefix(100), "open sesame")] {
      let error = #expect(throws: SecurityError.self) { try ClientIdentity(pkcs12: Data(bytes), password: password) }
      #expect(error?.kind == .unreadableKey)
    }
  }
}
