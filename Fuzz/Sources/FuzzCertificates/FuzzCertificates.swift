import CurlewCore
import CurlewSecurity
import FoundationEssentials
import FuzzKit

/// Fuzzes a chain of DER certificates, and a certificate revocation list.
@main enum FuzzCertificates: FuzzTarget {
  /// Policies that must reject every certificate without a valid chain.
  private static let strict = policies { _ in }
  /// Policies that check only the leaf, which may be valid for the host.
  private static let loose = policies {
    $0.pinningMode = .publicKey
    $0.pinScope = .leaf
    $0.allowInvalidCertificates = true
  }

  static func read(_ bytes: Data) {
    if let certificate = try? Certificate(der: bytes) {
      demand((try? Certificate(der: certificate.der)) == certificate, "a certificate does not read back")
      if let details = certificate.details {
        let texts = [details.subject, details.issuer, details.key, details.serialNumber] + details.names
        demand(
          texts.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }, "unprintable text is let through")
      }
    }
    _ = try? RevocationList(der: bytes)
    let trust = ServerTrust(
      host: "localhost", port: 443, certificates: chain(bytes), date: Date(timeIntervalSince1970: 1_800_000_000))
    for policy in strict + loose {
      demand((try? policy.evaluate(trust)) == nil, "a stranger is trusted")
    }
  }

  private static func policies(_ change: (inout SecurityPolicy.Settings) -> Void) -> [SecurityPolicy] {
    [false, true].compactMap { isStrict in
      var settings = SecurityPolicy.Settings()
      settings.anchors = .only([])
      settings.isStrict = isStrict
      change(&settings)
      return try? SecurityPolicy(settings)
    }
  }

  /// Splits the bytes where each structure says that it ends.
  private static func chain(_ bytes: Data) -> [Data] {
    var chain: [Data] = []
    var rest = bytes[...]
    while rest.count > 4 {
      let start = rest.startIndex
      let length = 4 + Int(rest[start + 2]) << 8 + Int(rest[start + 3])
      chain.append(Data(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return chain
  }
}
