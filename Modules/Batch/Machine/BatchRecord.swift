import CurlewCore
import CurlewRequests
import FoundationEssentials

/// A machine's record of one item.
///
/// It refers to other items by number, so that a record stays small.
struct BatchRecord: Sendable {
  enum State: UInt8, Sendable {
    /// The item waits for its dependencies.
    case blocked
    case ready
    /// The item waits before a retry.
    case delayed
    case leased
    case paused
    case ended
  }

  let name: String
  let job: ComponentName<BatchJob>
  let input: Data
  let expectedBytes: Int64?
  /// The number of the host; 0 stands for no host.
  let host: Int32
  let dependencies: [Int32]
  var dependents: [Int32] = []
  /// The number of dependencies that have not succeeded, whatever the state of the item.
  var missing: Int32 = 0
  var priority: Int8
  var state = State.blocked
  /// Whether the item itself was paused.
  var isHeld = false
  /// Whether its worker was told to cancel.
  var isCancelling = false
  /// When it became ready.
  var since: ContinuousClock.Instant
  var token: Int64 = 0
  var retries: Int32 = 0
  /// How many leases in a row have expired.
  var losses: Int32 = 0
  var note: Data?
  /// The size in bytes; nil if it is unknown.
  var size: Int64?
  /// The number of bytes that are done.
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

  /// The bytes that count as done before the end; 0 if the size is unknown.
  var partialBytes: Int64 { size.map { min(max(completed, 0), $0) } ?? 0 }
}
