/// The rules for starting items, which a store applies to all its workers together.
public struct BatchRules: Sendable, Hashable, Codable {
  /// The most items that run at the same time, over all workers; 1 or more.
  public var limit: Int
  /// The most running items with the same `BatchItem.host`; nil sets no limit.
  public var perHost: Int?
  /// The longest time for which items of higher priority may hold an item back.
  ///
  /// From then on, every second lease goes to the item that has waited the longest among those beyond the limit. With `nil`,
  /// higher priorities always come first.
  public var ageLimit: Duration?
  /// Whether the first failure stops the batch.
  ///
  /// Running items are then cancelled, and the others are skipped.
  public var stopsOnFailure: Bool
  /// The number of leases in a row that may expire before the item fails with the kind `workerLost`; nil sets no limit.
  ///
  /// A lease expires when its worker has died or hangs. The limit keeps an item that kills its workers from doing so for ever.
  /// A worker that gives the item back begins the count again.
  public var lossLimit: Int?

  /// Creates rules.
  public init(
    limit: Int = 8, perHost: Int? = 4, ageLimit: Duration? = .seconds(60), stopsOnFailure: Bool = false,
    lossLimit: Int? = 10
  ) {
    self.limit = max(1, limit)
    self.perHost = perHost.map { max(1, $0) }
    self.ageLimit = ageLimit
    self.stopsOnFailure = stopsOnFailure
    self.lossLimit = lossLimit.map { max(1, $0) }
  }
}
