public import FoundationEssentials

/// The right of one worker to work on an item for a time.
public struct BatchLease: Sendable, Hashable, Identifiable {
  /// Identifies a lease.
  public struct ID: Sendable, Hashable, Codable {
    /// The name of the item.
    public var name: String
    /// A number that grows with every lease that the store gives, so that of two leases of an item the later one has the larger
    /// number. A resource that remembers the largest number can refuse a worker that lost its lease (a fencing token).
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
  /// How often the item was given back for another try (`BatchRelease.retry`).
  public var retries: Int
  /// What an earlier worker has left with `BatchRenewal.note`; nil when nothing.
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
  /// The leased items, the first to begin first; empty when none is ready or none fits the limits.
  public var leases: [BatchLease]
  /// Whether every item in the store has its result.
  public var isComplete: Bool
  /// The state of the store that the answer is about; see `BatchStore.change(since:)`.
  public var revision: Int64

  /// Creates an answer.
  public init(leases: [BatchLease], isComplete: Bool, revision: Int64) {
    self.leases = leases
    self.isComplete = isComplete
    self.revision = revision
  }
}
