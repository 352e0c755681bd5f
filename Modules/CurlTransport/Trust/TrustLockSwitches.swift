/// Switches for the locks of `TrustLocks`, to test each without the others.
///
/// They have package access, so no code outside this package can open a lock.
package struct TrustLockSwitches: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Lock 1: libcurl matches connections by trust policy and client identity.
  package static let connectionMatch = TrustLockSwitches(rawValue: 1)
  /// Lock 2: TLS sessions are not resumed.
  package static let noResumption = TrustLockSwitches(rawValue: 2)
  /// Lock 3: the connection's tag is compared right before a request is sent.
  package static let gate = TrustLockSwitches(rawValue: 4)
  /// All three locks, which are always on outside tests.
  package static let all: TrustLockSwitches = [.connectionMatch, .noResumption, .gate]
}
