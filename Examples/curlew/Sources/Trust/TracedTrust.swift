import CurlewCore
import CurlewSecurity
import FoundationEssentials

/// Prints a server's own certificate, and lets another evaluator judge it.
struct TracedTrust: ServerTrustEvaluating {
  let evaluator: any ServerTrustEvaluating

  var connectionKey: ConnectionKey { evaluator.connectionKey }
  var requirements: HandshakeRequirements { evaluator.requirements }

  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    if let leaf = trust.certificates.first { StandardError.write(Self.text(of: leaf)) }
    try evaluator.evaluate(trust)
  }

  /// Returns the subject, the issuer and the validity of a certificate in DER.
  static func text(of der: Data) -> String {
    guard let details = (try? Certificate(der: der))?.details else { return "certificate that cannot be read" }
    let subject = details.subject.isEmpty ? details.names.first ?? "none" : details.subject
    let dates = [details.notBefore, details.notAfter].map { $0?.formatted(.iso8601) ?? "?" }
    return "certificate of \(subject), issued by \(details.issuer), valid from \(dates[0]) to \(dates[1])"
  }
}
