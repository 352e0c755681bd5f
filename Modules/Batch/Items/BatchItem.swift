public import CurlewCore
public import CurlewRequests
public import FoundationEssentials

/// One piece of work of a batch, as a value that any store can keep.
///
/// The work itself is code, so an item names it: `job` is the name under which a worker's `ComponentNames` have a `BatchJob`, and
/// `input` is what that job gets. Downloads and requests are jobs too; their inputs are made by `download` and `request`.
public struct BatchItem: Sendable, Hashable, Codable {
  /// Identifies the item in its store: 1 to `BatchLimits.nameBytes` bytes of UTF-8 without NUL.
  public var name: String
  /// The name of the job that does the work.
  public var job: ComponentName<BatchJob>
  /// What the job gets, at most `BatchLimits.inputBytes` bytes; a store does not look into it.
  public var input: Data
  /// The names of the items that must succeed first, at most `BatchLimits.dependencies`. The item is skipped when one of them
  /// ends in another way.
  public var dependencies: [String]
  /// The host that the item counts against (`BatchRules.perHost`), in lower case; nil counts against none.
  public var host: String?
  /// Which of the ready items begin first.
  public var priority: RequestPriority
  /// How many bytes the work is expected to move, for the weight of the item in `BatchProgress`; nil when it is not known.
  public var expectedBytes: Int64?

  /// Creates an item.
  public init(
    _ name: String, job: ComponentName<BatchJob>, input: Data = Data(), dependencies: [String] = [],
    host: String? = nil,
    priority: RequestPriority = .normal, expectedBytes: Int64? = nil
  ) {
    self.name = name
    self.job = job
    self.input = input
    self.dependencies = dependencies
    self.host = host
    self.priority = priority
    self.expectedBytes = expectedBytes
  }
}
