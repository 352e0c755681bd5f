import CurlewCore
import CurlewSecurity
import FoundationEssentials
import FuzzKit

/// Fuzzes PEM texts as certificates, revocation lists and client identities.
@main enum FuzzPEM: FuzzTarget {
  static func read(_ bytes: Data) {
    if let certificates = try? Certificate.all(in: bytes) {
      demand(!certificates.isEmpty, "no certificate at all is no error")
      demand(certificates.allSatisfy { (try? Certificate(der: $0.der)) == $0 }, "a certificate does not read back")
    }
    _ = try? RevocationList.all(pem: bytes)
    if let identity = try? ClientIdentity(pem: bytes, key: bytes, password: "secret") {
      let again = try? ClientIdentity(pem: identity.certificateChain, key: identity.privateKey)
      demand(again == identity, "an identity does not read back")
    }
  }
}
