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

/// A worker's report that it still works on an item, with its progress.
public struct BatchRenewal: Sendable, Hashable {
  /// The identifier of the lease.
  public var id: BatchLease.ID
  /// The number of bytes that are done.
  public var completed: Int64
  /// The size of the work in bytes; nil keeps the known size.
  public var total: Int64?
  /// A note for the next worker of the item, which reads it in `BatchLease.note`.
  ///
  /// It has at most `BatchLimits.inputBytes` bytes; nil keeps the previous note.
  public var note: Data?

  /// Creates a renewal.
  public init(_ id: BatchLease.ID, completed: Int64 = 0, total: Int64? = nil, note: Data? = nil) {
    self.id = id
    self.completed = completed
    self.total = total
    self.note = note
  }
}

/// The instruction to a worker about an item that it works on.
public enum BatchOrder: String, Sendable, Hashable, CaseIterable {
  /// Continue; the lease was extended.
  case proceed
  /// Stop, keep the partial work, and release the item; the lease holds until then.
  case pause
  /// Stop and finish the item as cancelled; the lease holds until then.
  ///
  /// If the work is already done, finish it with its result instead.
  case cancel
  /// Stop without publishing or finishing anything, because the lease is lost.
  case abandon
}

/// The reason why a worker gives an item back without a result.
public enum BatchRelease: Sendable, Hashable {
  /// The worker stops, or was told to pause.
  ///
  /// The item is ready again at once, unless it is paused.
  case unfinished
  /// The work failed and is retried after this time; the item counts one more retry.
  case retry(after: Duration)
}
