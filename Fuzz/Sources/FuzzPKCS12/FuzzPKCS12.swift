import CurlewCore
import CurlewSecurity
import FoundationEssentials
import FuzzKit

/// Fuzzes PKCS#12 files, with a password and without.
@main enum FuzzPKCS12: FuzzTarget {
  static func read(_ bytes: Data) {
    for password in ["secret", ""] {
      guard let identity = try? ClientIdentity(pkcs12: bytes, password: password) else { continue }
      let again = try? ClientIdentity(pem: identity.certificateChain, key: identity.privateKey)
      demand(again == identity, "an identity does not read back")
    }
  }
}
