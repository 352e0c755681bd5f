import CurlewCore
import CurlewDigests
import FoundationEssentials

extension SecurityPolicy.Settings {
  /// Refuses combinations of settings that check less than they seem to.
  ///
  /// - Throws: `SecurityError` of kind `unsafeCombination`.
  func check() throws(SecurityError) {
    let hasPins = !pinnedCertificates.isEmpty || !publicKeyPins.isEmpty || !backupPublicKeyPins.isEmpty
    let combinations: [(Bool, String)] = [
      (
        pinningMode == .none && allowInvalidCertificates && validatesDomainName,
        "Invalid certificates with a validated name need a pinning mode: anyone can issue a certificate for the name."
      ),
      (pinningMode == .none && hasPins, "Pins are set but would not be checked; set the pinning mode."),
      (
        pinningMode == .none && (reportsPinsOnly || pinExpiry != nil),
        "Reporting and expiry of pins need a pinning mode."
      ),
      (
        pinningMode == .publicKey && allowInvalidCertificates && pinScope != .leaf,
        "With invalid certificates only the leaf's public key can be pinned; set the pin scope to leaf."
      ),
      (
        pinningMode == .certificate && !(publicKeyPins.isEmpty && backupPublicKeyPins.isEmpty),
        "Public key pins are set but not checked in mode certificate; use mode publicKey."
      ),
      (
        allowInvalidCertificates && (reportsPinsOnly || pinExpiry != nil),
        "With invalid certificates allowed, pins are the only check; they can neither expire nor be reported only."
      ),
      (
        allowInvalidCertificates && pinningMode != .certificate && !revocationLists.isEmpty,
        "Revocation lists are set but not checked without a chain; do not allow invalid certificates."
      ),
      (
        allowInvalidCertificates && pinningMode != .certificate && requiresStapledOCSP,
        "A stapled response is required but not checked without a chain; do not allow invalid certificates."
      ),
    ]
    for (isUnsafe, message) in combinations where isUnsafe { throw SecurityError(.unsafeCombination, message) }
  }

  /// Returns a digest of every setting.
  ///
  /// Neither the order nor the repetition of pins, anchors and lists makes a difference.
  func connectionKey() throws(SecurityError) -> ConnectionKey {
    var bytes = Data()
    func add(_ part: Data) {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(part)
    }
    func add(_ text: String) { add(Data(text.utf8)) }
    func add(_ parts: [Data]) {
      let parts = Set(parts).sorted { $0.lexicographicallyPrecedes($1) }
      add("\(parts.count)")
      for part in parts { add(part) }
    }
    add("SecurityPolicy 2")
    add(pinningMode.rawValue)
    add("\(allowInvalidCertificates) \(validatesDomainName) \(reportsPinsOnly) \(isStrict) \(requiresStapledOCSP)")
    add(pinScope.rawValue)
    add(pinExpiry.map { "\($0.timeIntervalSinceReferenceDate.bitPattern)" } ?? "never")
    add(leastTLSVersion.map { "\($0.rawValue)" } ?? "default")
    add(pinnedCertificates.map(\.der))
    add(publicKeyPins.map(\.hash))
    add(backupPublicKeyPins.map(\.hash))
    add(revocationLists.map(\.der))
    switch anchors {
    case .system: add("system")
    case .systemAnd(let certificates):
      add("system and")
      add(certificates.map(\.der))
    case .only(let certificates):
      add("only")
      add(certificates.map(\.der))
    }
    guard let digest = try? Digest.of(bytes, .sha256), digest.count == 32 else {
      throw SecurityError(.unavailable, "This system's OpenSSL offers no SHA-256.")
    }
    return ConnectionKey("policy-" + digest.hexadecimal)
  }
}
