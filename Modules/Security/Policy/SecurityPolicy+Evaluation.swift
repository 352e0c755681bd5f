public import CurlewCore
import FoundationEssentials

extension SecurityPolicy {
  /// The most certificates that a server may show.
  private static let mostCertificates = 100

  /// Returns the reasons to trust a server.
  ///
  /// - Throws: `ServerTrustError` with the rule that failed and the certificate at fault.
  public func verdict(on trust: ServerTrust) throws(ServerTrustError) -> TrustVerdict {
    let presented = try Self.parsed(trust.certificates)
    defer { extendLifetime(presented) }
    guard let leaf = presented.first else { throw ChainVerification.noCertificate }
    let host = settings.validatesDomainName ? trust.host : nil
    let chain: [OpaqueCertificate]
    switch (settings.pinningMode, settings.allowInvalidCertificates) {
    case (.none, true):
      return TrustVerdict(verifiedChain: [], pin: nil)
    case (.publicKey, true):
      if let host { try HostMatching.check(leaf, host) }
      chain = OpaqueCertificate(leaf.pointer).map { [$0] } ?? []
    case (.certificate, true):
      guard !settings.pinnedCertificates.isEmpty else { return try refuse(trust, leaf) }
      chain = try verified(presented, host: host, at: trust.date, by: pinnedAnchors)
    case (_, false):
      guard let anchors else {
        throw ServerTrustError(
          .untrusted, message: "This system has no trust anchors; install the package ca-certificates.")
      }
      chain = try verified(presented, host: host, at: trust.date, by: anchors)
    }
    if settings.requiresStapledOCSP { try StapledResponse.require(trust.ocspResponse, for: chain, at: trust.date) }
    let verifiedChain = settings.pinningMode == .publicKey && settings.allowInvalidCertificates ? [] : chain.map(\.der)
    if settings.pinningMode == .none { return TrustVerdict(verifiedChain: verifiedChain, pin: nil) }
    if let expiry = settings.pinExpiry, trust.date >= expiry {
      return TrustVerdict(verifiedChain: verifiedChain, pin: nil)
    }
    if let pin = match(in: chain) { return TrustVerdict(verifiedChain: verifiedChain, pin: pin) }
    guard settings.reportsPinsOnly else { return try refuse(trust, leaf) }
    report?(TrustReport(trust: trust, error: mismatch(leaf), wasEnforced: false))
    return TrustVerdict(verifiedChain: verifiedChain, pin: nil)
  }

  private func verified(
    _ presented: [ParsedCertificate], host: String?, at date: Date, by anchors: AnchorStore
  ) throws(ServerTrustError) -> [OpaqueCertificate] {
    do throws(ServerTrustError) {
      return try ChainVerification(anchors: anchors, revocationLists: revocationLists, isStrict: settings.isStrict)
        .verify(presented, host: host, at: date)
    } catch {
      guard error.reason == .untrusted, let pin = presented.first?.publicKeyPin, settings.allKeyPins.contains(pin)
      else {
        throw error
      }
      var explained = error
      explained.message +=
        " Its key is pinned, but a pin makes no trust; the policy's anchors do."
      throw explained
    }
  }

  private func match(in chain: [OpaqueCertificate]) -> PinMatch? {
    let candidates = settings.pinScope == .leaf ? chain.prefix(1) : chain.prefix(chain.count)
    for (index, certificate) in candidates.enumerated() {
      switch settings.pinningMode {
      case .none: return nil
      case .certificate:
        if settings.pinnedCertificates.contains(where: { $0.der == certificate.der }) {
          return PinMatch(certificate: index, pin: certificate.pin, isBackup: false)
        }
      case .publicKey:
        let isPinned =
          settings.publicKeyPins.contains(certificate.pin)
          || settings.pinnedCertificates.contains { $0.publicKeyPin == certificate.pin }
        if isPinned || settings.backupPublicKeyPins.contains(certificate.pin) {
          return PinMatch(certificate: index, pin: certificate.pin, isBackup: !isPinned)
        }
      }
    }
    return nil
  }

  private func refuse(_ trust: ServerTrust, _ leaf: ParsedCertificate) throws(ServerTrustError) -> TrustVerdict {
    let error = mismatch(leaf)
    report?(TrustReport(trust: trust, error: error, wasEnforced: true))
    throw error
  }

  private func mismatch(_ leaf: ParsedCertificate) -> ServerTrustError {
    let hasPins = !settings.allKeyPins.isEmpty
    let shown = leaf.publicKeyPin.map { "; the server's key has the pin \($0)" } ?? ""
    return ServerTrustError(
      .pinMismatch, certificate: settings.pinScope == .leaf ? 0 : nil,
      message: hasPins
        ? "The server has none of the pinned keys or certificates\(shown)."
        : "The policy has a pinning mode but no pin\(shown).")
  }

  private static func parsed(_ certificates: [Data]) throws(ServerTrustError) -> [ParsedCertificate] {
    guard certificates.count <= mostCertificates else {
      throw ServerTrustError(.malformed, message: "The server showed more than \(mostCertificates) certificates.")
    }
    var parsed: [ParsedCertificate] = []
    for (index, der) in certificates.enumerated() {
      guard let certificate = ShownCertificates.parsed(der) else {
        throw ServerTrustError(
          .malformed, certificate: index, message: "Certificate \(index) of those that the server showed is malformed.")
      }
      parsed.append(certificate)
    }
    return parsed
  }
}
