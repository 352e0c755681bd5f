import CurlewCore
import CurlewSecurity
import Synchronization

/// Records a server's certificates and the verdict of another evaluator.
///
/// It refuses every server, so no request is ever sent through it.
final class TrustProbe: ServerTrustEvaluating {
  /// The certificates and the verdict.
  struct Finding: Sendable {
    var trust: ServerTrust
    /// The reasons why the server is trusted; nil if the evaluator does not give any.
    var verdict: TrustVerdict?
    /// The reason why the server is not trusted; nil when it is.
    var refusal: ServerTrustError?
  }

  let connectionKey = ConnectionKey("probe")
  let requirements: HandshakeRequirements
  private let evaluator: any ServerTrustEvaluating
  private let found = Mutex<Finding?>(nil)

  /// - Parameter isLate: Whether certificates are evaluated as late as possible, after the key exchange. There is no finding
  ///   if the handshake fails before that.
  init(_ evaluator: any ServerTrustEvaluating, isLate: Bool) {
    self.evaluator = evaluator
    var requirements = evaluator.requirements
    // A stapled response may follow the certificates, so an evaluator that requires one is called last.
    if isLate { requirements.requiresStapledOCSP = true }
    self.requirements = requirements
  }

  /// The finding; nil if the handshake did not reach the evaluation.
  var finding: Finding? { found.withLock { $0 } }

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
    throw ServerTrustError(.policy, message: "The certificates were only inspected.")
  }
}
