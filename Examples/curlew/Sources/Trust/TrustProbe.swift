import CurlewCore
import CurlewSecurity

/// Looks at what a server shows, lets another evaluator judge it, and refuses in any case: nothing is ever sent.
final class TrustProbe: ServerTrustEvaluating {
  /// What was seen.
  struct Finding: Sendable {
    var trust: ServerTrust
    /// Why it is trusted; nil for an evaluator that does not say.
    var verdict: TrustVerdict?
    /// Why it is not.
    var refusal: ServerTrustError?
  }

  let connectionKey = ConnectionKey("probe")
  private let evaluator: any ServerTrustEvaluating
  private let found = Guarded<Finding?>(nil)

  init(_ evaluator: any ServerTrustEvaluating) { self.evaluator = evaluator }

  /// Nil when no handshake came that far.
  var finding: Finding? { found.withLock { $0 } }

  var requirements: HandshakeRequirements { evaluator.requirements }

  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    var finding = Finding(trust: trust)
    do throws(ServerTrustError) {
      if let policy = evaluator as? SecurityPolicy {
        finding.verdict = try policy.verdict(on: trust)
      } else {
        try evaluator.evaluate(trust)
      }
    } catch {
      finding.refusal = error
    }
    found.withLock { $0 = finding }
    throw ServerTrustError(.policy, message: "The certificates were looked at only.")
  }
}
