import CurlewCore
import CurlewSecurity
import FoundationEssentials

/// Describes a server's certificates and the verdict on them as text.
struct TrustText {
  let origin: Origin
  let finding: TrustProbe.Finding
  /// The failure of the handshake for a reason other than trust; nil if none.
  let handshake: FetchFailure?

  var text: String {
    let shown = finding.trust.certificates.map { try? Certificate(der: $0) }
    var lines = [
      "\(origin.urlHost):\(origin.port) shows \(shown.count == 1 ? "1 certificate" : "\(shown.count) certificates")"
    ]
    for (index, certificate) in shown.enumerated() { lines += Self.lines(index, certificate) }
    lines += ["", verdict]
    let complete = "HANDSHAKE: the key exchange works."
    lines.append(handshake.map { "HANDSHAKE FAILED: \($0.message)" } ?? complete)
    let pins = shown.enumerated().compactMap { index, certificate in
      certificate.map { "  --pin \($0.publicKeyPin)\(index == 0 ? "" : "  # certificate \(index)")" }
    }
    if !pins.isEmpty, let caption = pinCaption { lines += ["", caption] + pins }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The line above the pins; nil when the server should not be pinned.
  private var pinCaption: String? {
    switch finding.refusal?.reason {
    case nil: "To pin"
    case .untrusted: "To pin, beside --cacert or -k, once the server's operator has confirmed the key over another way"
    default: nil
    }
  }

  private var verdict: String {
    if let refusal = finding.refusal {
      let place = refusal.certificate.map { ", certificate \($0)" } ?? ""
      return "NOT TRUSTED (\(refusal.reason.rawValue)\(place)): \(refusal.message)"
    }
    guard let verdict = finding.verdict else { return "TRUSTED: the server's certificate is pinned." }
    var text = "TRUSTED: no chain was asked for."
    if let anchor = verdict.verifiedChain.last, let details = (try? Certificate(der: anchor))?.details {
      text = "TRUSTED: a chain of \(verdict.verifiedChain.count) ends in \(details.subject)."
    }
    if let pin = verdict.pin { text += " The pin \(pin.pin) matches certificate \(pin.certificate) of it." }
    return text
  }

  /// Returns the lines about a certificate in DER: its subject, issuer, names and validity.
  static func rows(of der: Data) -> [String] {
    guard let details = (try? Certificate(der: der))?.details else { return ["cannot be read"] }
    return written(rows(of: details))
  }

  private static func lines(_ index: Int, _ certificate: Certificate?) -> [String] {
    guard let certificate, let details = certificate.details else { return ["", "\(index)  cannot be read"] }
    let rows =
      rows(of: details) + [
        ("key", "\(details.key), signed with \(details.signature)"), ("serial", details.serialNumber),
        ("pin", "\(certificate.publicKeyPin)"),
      ]
    return ["", "\(index)  \(details.isAuthority ? "authority" : "server or client")"]
      + written(rows).map { "   " + $0 }
  }

  private static func rows(of details: Certificate.Details) -> [(String, String)] {
    let names = details.names.prefix(20).joined(separator: ", ") + (details.names.count > 20 ? ", …" : "")
    return [
      ("subject", details.subject.isEmpty ? "none" : details.subject), ("issuer", details.issuer), ("names", names),
      ("valid", "\(date(details.notBefore)) to \(date(details.notAfter))"),
    ]
  }

  private static func written(_ rows: [(String, String)]) -> [String] {
    rows.filter { !$0.1.isEmpty }.map { name, value in
      "\(name)\(String(repeating: " ", count: 9 - name.count))\(value)"
    }
  }

  private static func date(_ date: Date?) -> String { date?.formatted(.iso8601) ?? "?" }
}
