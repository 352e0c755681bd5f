import Curlew
import FoundationEssentials

/// Which keys an app accepts from its server, now and after the next change of keys.
struct PinPlan: Sendable {
  /// The pins of the keys in use.
  var current: Set<PublicKeyPin>
  /// The pins of keys that are kept offline, for the next change of keys or for an emergency; at least one.
  var backups: Set<PublicKeyPin>
  /// When the plan ends: an app that is no longer updated then trusts by the chain alone. Nil never.
  var end: Date?

  /// Returns the policy of the plan.
  ///
  /// - Parameters:
  ///   - anchors: The authorities; pins are checked in addition to the chain, never in its place.
  ///   - report: Called for each server without a pinned key.
  /// - Throws: `SecurityError`.
  func policy(
    anchors: SecurityPolicy.Anchors = .system, report: @escaping @Sendable (TrustReport) -> Void = { _ in }
  ) throws -> SecurityPolicy {
    var settings = SecurityPolicy.Settings()
    settings.pinningMode = .publicKey
    settings.publicKeyPins = current
    settings.backupPublicKeyPins = backups
    settings.pinExpiry = end
    settings.anchors = anchors
    return try SecurityPolicy(settings, report: report)
  }
}
