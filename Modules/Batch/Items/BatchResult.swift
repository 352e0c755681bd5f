public import FoundationEssentials

/// How an item ended.
public enum BatchResult: Sendable, Hashable, Codable {
  /// The job returned.
  case succeeded(BatchProduct)
  /// The job failed and is not tried again.
  case failed(BatchFailure)
  /// The item was cancelled, alone or with the batch.
  case cancelled
  /// The item never ran because of another one, which is named: a dependency that did not succeed, or the first failure of a
  /// batch that stops on it.
  case skipped(because: String)

  /// Whether the job succeeded; dependents run only then.
  public var isSuccess: Bool {
    if case .succeeded = self { return true }
    return false
  }
}

/// What a job returned.
public struct BatchProduct: Sendable, Hashable, Codable {
  /// The job's own result, at most `BatchLimits.outputBytes` bytes; for a download an encoded `BatchFile`.
  public var output: Data
  /// How many bytes the work was about; nil when that is not known.
  public var bytes: Int64?

  /// Creates a product.
  public init(output: Data = Data(), bytes: Int64? = nil) {
    self.output = output
    self.bytes = bytes
  }
}

/// The result of one item, with its place in the order in which items ended.
public struct BatchOutcome: Sendable, Hashable, Codable {
  /// Grows with each item that ends; the first is 1 or more. Whoever has read one position never gets a smaller one later.
  public var position: Int64
  /// The name of the item.
  public var name: String
  /// How it ended.
  public var result: BatchResult

  /// Creates an outcome.
  public init(position: Int64, name: String, result: BatchResult) {
    self.position = position
    self.name = name
    self.result = result
  }
}
