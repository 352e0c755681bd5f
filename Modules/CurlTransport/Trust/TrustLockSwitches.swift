import Synchronization

/// The locks of `TrustLocks`, one by one, so that each can be tested with the others taken out.
///
/// Package access: nothing outside this package can open a lock.
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

  private static let current = Atomic<UInt8>(all.rawValue)

  static func isOn(_ lock: TrustLockSwitches) -> Bool {
    current.load(ordering: .relaxed) & lock.rawValue == lock.rawValue
  }

  /// Takes locks out for the length of a test, which must run alone.
  package static func with<Result>(
    only locks: TrustLockSwitches, _ body: () async throws -> Result
  ) async rethrows -> Result {
    current.store(locks.rawValue, ordering: .relaxed)
    defer { current.store(all.rawValue, ordering: .relaxed) }
    return try await body()
  }
}
