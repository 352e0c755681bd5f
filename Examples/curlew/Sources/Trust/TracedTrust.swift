import CurlewCore
import CurlewSecurity
import FoundationEssentials

/// Prints a server's own certificate, and lets another evaluator judge it.
struct TracedTrust: ServerTrustEvaluating {
  let evaluator: any ServerTrustEvaluating
  let trace: TraceObserver

  var connectionKey: ConnectionKey { evaluator.connectionKey }
  var requirements: HandshakeRequirements { evaluator.requirements }

  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    if let leaf = trust.certificates.first {
      trace.show(["certificate of \(trust.host):\(trust.port)"] + TrustText.rows(of: leaf))
    }
    try evaluator.evaluate(trust)
  }
}
