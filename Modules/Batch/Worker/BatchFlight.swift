import CurlewCore
import FoundationEssentials

/// An item that a worker works on.
struct BatchFlight: Sendable {
  let lease: BatchLease
  var task: Task<Void, Never>?
  /// What the worker was told to do, other than to go on.
  var order: BatchOrder?
  /// When the lease runs out unless it is renewed.
  var validUntil: ContinuousClock.Instant
  var completed: Int64 = 0
  var total: Int64?

  var progress: BatchItemProgress { BatchItemProgress(name: lease.item.name, completed: completed, total: total) }

  func renewal(note: Data? = nil) -> BatchRenewal {
    BatchRenewal(lease.id, completed: completed, total: total, note: note)
  }

  /// Takes an order; a later one counts where it is stronger.
  ///
  /// - Returns: Whether the job is to stop.
  mutating func take(_ order: BatchOrder) -> Bool {
    guard order.strength > (self.order ?? .proceed).strength else { return false }
    self.order = order
    return true
  }
}

extension BatchOrder {
  fileprivate var strength: Int {
    switch self {
    case .proceed: 0
    case .pause: 1
    case .cancel: 2
    case .abandon: 3
    }
  }
}
