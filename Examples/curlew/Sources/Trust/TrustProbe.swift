import CurlewCore
import CurlewSecurity

/// An evaluator that records a server's certificates and another evaluator's verdict, and refuses every server.
///
/// No request is ever sent through it.
final class TrustProbe: ServerTrustEvaluating {
  /// The certificates and the verdict.
  struct Finding: Sendable {
    var trust: ServerTrust
    /// The reasons why the server is trusted; nil for evaluators that do not tell.
    var verdict: TrustVerdict?
    /// The reason why the server is not trusted; nil when it is.
    var refusal: ServerTrustError?
  }

  let connectionKey = ConnectionKey("probe")
  let requirements: HandshakeRequirements
  private let evaluator: any ServerTrustEvaluating
  private let found = Guarded<Finding?>(nil)

  /// - Parameter isLate: Whether certificates are evaluated as late as a handshake allows, behind the key exchange. There is
  ///   no finding when the handshake fails before.
  init(_ evaluator: any ServerTrustEvaluating, isLate: Bool) {
    self.evaluator = evaluator
    var requirements = evaluator.requirements
    // A stapled response may follow the certificates, so an evaluator that requires one is called last.
    if isLate { requirements.requiresStapledOCSP = true }
    self.requirements = requirements
  }

  /// The finding; nil when no handshake came to the evaluation.
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
