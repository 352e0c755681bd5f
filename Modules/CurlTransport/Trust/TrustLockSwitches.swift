/// Switches for the locks of `TrustLocks`, to test each without the others.
///
/// They have package access, so no code outside this package can open a lock.
package struct TrustLockSwitches: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Lock 1: libcurl matches connections by trust policy and client identity.
  package static let connectionMatch = TrustLockSwitches(rawValue: 1)
  /// Lock 2: libcurl resumes no TLS session; Curlew does, see `TLSSessions`.
  package static let ownSessions = TrustLockSwitches(rawValue: 2)
  /// Lock 3: the connection's tag is compared right before a request is sent.
  package static let gate = TrustLockSwitches(rawValue: 4)
  /// Lock 2: a TLS session is resumed only under the terms that verified it, and if the evaluator still accepts it.
  package static let sessionMatch = TrustLockSwitches(rawValue: 8)
  /// All three locks, which are always on outside tests.
  package static let all: TrustLockSwitches = [.connectionMatch, .ownSessions, .sessionMatch, .gate]
}
