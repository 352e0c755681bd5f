public import FoundationEssentials

/// The result of an item.
public enum BatchResult: Sendable, Hashable, Codable {
  /// The job returned.
  case succeeded(BatchProduct)
  /// The job failed and is not retried.
  case failed(BatchFailure)
  /// The item was cancelled, alone or with the batch.
  case cancelled
  /// The item never ran because of another one, which is named here.
  ///
  /// That is a dependency that did not succeed, or the first failure of a batch that stops on failures.
  case skipped(because: String)

  /// Whether the job succeeded, which lets its dependents run.
  public var isSuccess: Bool {
    if case .succeeded = self { return true }
    return false
  }
}

/// The product of a job that succeeded.
public struct BatchProduct: Sendable, Hashable, Codable {
  /// The job's own output, at most `BatchLimits.outputBytes` bytes.
  ///
  /// For a download it is an encoded `BatchFile`.
  public var output: Data
  /// The number of bytes that were transferred; nil if it is unknown.
  public var bytes: Int64?

  /// Creates a product.
  public init(output: Data = Data(), bytes: Int64? = nil) {
    self.output = output
    self.bytes = bytes
  }
}

/// The result of one item, with its position in the order of results.
public struct BatchOutcome: Sendable, Hashable, Codable {
  /// A number that grows with each item that ends, from 1.
  ///
  /// A reader that has seen a position never gets a smaller one later.
  public var position: Int64
  /// The name of the item.
  public var name: String
  /// The result of the item.
  public var result: BatchResult

  /// Creates an outcome.
  public init(position: Int64, name: String, result: BatchResult) {
    self.position = position
    self.name = name
    self.result = result
  }
}
