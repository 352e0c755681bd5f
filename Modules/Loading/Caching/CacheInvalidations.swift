/// Remembers invalidated keys, for requests that were sent before.
///
/// It performs no I/O. Beyond a limit the oldest keys are forgotten. A request that was sent before a forgotten
/// invalidation counts as overtaken, because not storing a response is always safe.
struct CacheInvalidations {
  /// A moment between two invalidations.
  struct Moment: Hashable, Sendable {
    fileprivate let count: UInt64
  }

  /// The most keys that are remembered.
  static let limit = 1_024

  private var count: UInt64 = 0
  private var latest: [CacheKey: UInt64] = [:]
  /// All invalidations up to this one are forgotten.
  private var forgotten: UInt64 = 0

  /// The current moment.
  var now: Moment { Moment(count: count) }

  /// Records the invalidation of a key.
  mutating func note(_ key: CacheKey) {
    if latest.count >= Self.limit, latest[key] == nil {
      latest.removeAll(keepingCapacity: true)
      forgotten = count
    }
    count += 1
    latest[key] = count
  }

  /// Returns whether a key was, or may have been, invalidated since a moment.
  func concern(_ key: CacheKey, since moment: Moment) -> Bool {
    guard moment.count != count else { return false }
    return moment.count < forgotten || latest[key].map { $0 > moment.count } ?? false
  }
}
