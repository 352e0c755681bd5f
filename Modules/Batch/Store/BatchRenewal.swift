public import FoundationEssentials

/// Says that a worker still works on an item, and how far it is.
public struct BatchRenewal: Sendable, Hashable {
  /// The lease.
  public var id: BatchLease.ID
  /// How many bytes of the work are done.
  public var completed: Int64
  /// How many bytes it has; nil leaves what is known.
  public var total: Int64?
  /// What the next worker of the item gets in `BatchLease.note`, at most `BatchLimits.inputBytes` bytes; nil leaves the note as it
  /// is.
  public var note: Data?

  /// Creates a renewal.
  public init(_ id: BatchLease.ID, completed: Int64 = 0, total: Int64? = nil, note: Data? = nil) {
    self.id = id
    self.completed = completed
    self.total = total
    self.note = note
  }
}

/// What a worker is to do with an item that it works on.
public enum BatchOrder: String, Sendable, Hashable, CaseIterable {
  /// Go on; the lease was lengthened.
  case proceed
  /// Stop, keep what is there, and release the item. The lease holds until then.
  case pause
  /// Stop and finish the item as cancelled; a result that is there already counts instead. The lease holds until then.
  case cancel
  /// Stop, and publish and finish nothing: the lease is over.
  case abandon
}

/// Why a worker gives an item back without a result.
public enum BatchRelease: Sendable, Hashable {
  /// The worker stops, or was told to pause. The item is ready again at once, unless it is paused.
  case unfinished
  /// The work failed and is to be tried again after a time. The item counts one retry more.
  case retry(after: Duration)
}
