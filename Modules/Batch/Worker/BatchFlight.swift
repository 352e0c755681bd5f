import CurlewCore
import FoundationEssentials

/// An item that a worker works on.
struct BatchFlight: Sendable {
  let lease: BatchLease
  let task: Task<Void, Never>
  /// The strongest order so far; nil while the job may proceed.
  var order: BatchOrder?
  /// The time at which the lease expires unless it is renewed.
  var validUntil: ContinuousClock.Instant
  var completed: Int64 = 0
  var total: Int64?

  var progress: BatchItemProgress { BatchItemProgress(name: lease.item.name, completed: completed, total: total) }

  func renewal(note: Data? = nil) -> BatchRenewal {
    BatchRenewal(lease.id, completed: completed, total: total, note: note)
  }

  /// Records an order if it is stronger than the order so far.
  ///
  /// - Returns: True if the order was stronger, so that the job must stop.
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
