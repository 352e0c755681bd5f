import CurlewCore
import CurlewRequests
import FoundationEssentials

/// What a machine knows of one item. Other items are numbers, so that a record stays small.
struct BatchRecord: Sendable {
  enum State: UInt8, Sendable {
    /// Waits for its dependencies.
    case blocked
    case ready
    /// Waits before another try.
    case delayed
    case leased
    case paused
    case ended
  }

  let name: String
  let job: ComponentName<BatchJob>
  let input: Data
  let expectedBytes: Int64?
  /// The number of the host; 0 is none.
  let host: Int32
  let dependencies: [Int32]
  var dependents: [Int32] = []
  /// How many dependencies have not succeeded.
  var missing: Int32 = 0
  var priority: Int8
  var state = State.blocked
  /// Whether it was paused alone.
  var isHeld = false
  /// Whether its worker was told to cancel.
  var isCancelling = false
  /// When it became ready.
  var since: ContinuousClock.Instant
  var token: Int64 = 0
  var retries: Int32 = 0
  var note: Data?
  /// How many bytes it has; nil when that is not known.
  var size: Int64?
  /// How many of them are done.
  var completed: Int64 = 0
  /// The position of its outcome, once it has ended.
  var position: Int32 = 0

  init(_ item: BatchItem, host: Int32, dependencies: [Int32], at now: ContinuousClock.Instant) {
    name = item.name
    job = item.job
    input = item.input
    expectedBytes = item.expectedBytes
    self.host = host
    self.dependencies = dependencies
    priority = item.priority.rawValue
    since = now
    size = item.expectedBytes
  }

  var lane: ReadyQueue.Lane { ReadyQueue.Lane(host: Int(host), priority: priority) }

  /// How many bytes count as done while it has not ended; 0 where its size is not known.
  var partialBytes: Int64 { size.map { min(max(completed, 0), $0) } ?? 0 }
}
