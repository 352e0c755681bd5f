import CurlewCore
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

  /// The file of a download that succeeded; nil for every other item.
  public var file: BatchFile? {
    guard case .succeeded(let product) = result else { return nil }
    return try? BatchFile(output: product.output)
  }

  /// Creates an outcome.
  public init(position: Int64, name: String, result: BatchResult) {
    self.position = position
    self.name = name
    self.result = result
  }
}

/// The reason why an item failed, in a form that can be stored.
public struct BatchFailure: Sendable, Hashable, Codable {
  /// The kind of a `NetworkError` or a `BatchError`, or the name of another error's type.
  public var kind: String
  /// What happened, without secrets, at most 2,000 bytes.
  public var message: String

  /// Creates a failure, and truncates a message that is too long.
  public init(kind: String, message: String) {
    self.kind = kind
    self.message =
      message.utf8.count <= 2_000 ? message : String(decoding: message.utf8.prefix(1_990), as: UTF8.self) + "…"
  }

  /// Creates the failure of an error.
  public init(_ error: any Error) {
    switch error {
    case let error as NetworkError: self.init(kind: error.kind.rawValue, message: error.description)
    case let error as BatchError: self.init(kind: error.kind.rawValue, message: error.description)
    default: self.init(kind: String(describing: type(of: error)), message: String(describing: error))
    }
  }

  /// Creates the failure of an item whose leases have expired as often as `BatchRules.lossLimit` allows.
  ///
  /// - Parameter losses: The number of leases that have expired in a row.
  public static func workerLost(_ losses: Int) -> BatchFailure {
    BatchFailure(
      kind: BatchError.Kind.workerLost.rawValue,
      message: "Its workers died or hung: \(losses) leases in a row have expired.")
  }
}
