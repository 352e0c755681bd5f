public import FoundationEssentials

/// The right of one worker to work on an item for a limited time.
public struct BatchLease: Sendable, Hashable, Identifiable {
  /// Identifies a lease.
  public struct ID: Sendable, Hashable, Codable {
    /// The name of the item.
    public var name: String
    /// A number that grows with every lease that the store grants.
    ///
    /// A resource that remembers the largest number can reject a worker that has lost its lease (a fencing token).
    public var token: Int64

    /// Creates an identifier.
    public init(name: String, token: Int64) {
      self.name = name
      self.token = token
    }
  }

  /// Identifies the lease.
  public var id: ID
  /// The item, with its current priority.
  public var item: BatchItem
  /// The number of retries of the item (`BatchRelease.retry`).
  public var retries: Int
  /// The note of an earlier worker (`BatchRenewal.note`); nil without one.
  public var note: Data?

  /// Creates a lease.
  public init(id: ID, item: BatchItem, retries: Int = 0, note: Data? = nil) {
    self.id = id
    self.item = item
    self.retries = retries
    self.note = note
  }
}

/// The answer to a worker that asks for items.
public struct BatchLeases: Sendable, Hashable {
  /// The leased items in the order to begin them.
  ///
  /// It is empty if no item is ready or the limits are reached.
  public var leases: [BatchLease]
  /// Whether every item in the store has its result.
  public var isComplete: Bool
  /// The revision of the store for this answer; see `BatchStore.change(since:)`.
  public var revision: Int64

  /// Creates an answer.
  public init(leases: [BatchLease], isComplete: Bool, revision: Int64) {
    self.leases = leases
    self.isComplete = isComplete
    self.revision = revision
  }
}
