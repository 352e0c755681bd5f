/// The rules for which item begins when. A store keeps them, so they hold over all workers together.
public struct BatchRules: Sendable, Hashable, Codable {
  /// How many items are worked on at once, by all workers together; 1 or more.
  public var limit: Int
  /// How many of them have the same `BatchItem.host`; nil sets no limit.
  public var perHost: Int?
  /// How long an item waits until items of a higher priority no longer keep it from beginning; nil lets them for ever.
  ///
  /// While an item waits longer, every second lease goes to the one among these that has waited the longest.
  public var ageLimit: Duration?
  /// Whether the first failure ends the batch: what runs is cancelled, and what has not begun is skipped.
  public var stopsOnFailure: Bool

  /// Creates rules.
  public init(
    limit: Int = 8, perHost: Int? = 4, ageLimit: Duration? = .seconds(60), stopsOnFailure: Bool = false
  ) {
    self.limit = max(1, limit)
    self.perHost = perHost.map { max(1, $0) }
    self.ageLimit = ageLimit
    self.stopsOnFailure = stopsOnFailure
  }
}
