/// Switches for the locks of `TrustLocks`, to test each without the others.
///
/// They have package access, so no code outside this package can open a lock.
package struct TrustLockSwitches: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Lock 1.
  package static let connectionMatch = TrustLockSwitches(rawValue: 1)
  /// Lock 2.
  package static let noResumption = TrustLockSwitches(rawValue: 2)
  /// Lock 3.
  package static let gate = TrustLockSwitches(rawValue: 4)
  /// All three, as shipped.
  package static let all: TrustLockSwitches = [.connectionMatch, .noResumption, .gate]
}
