public import CurlewCore
public import CurlewRequests
public import FoundationEssentials

/// One piece of work of a batch, as a value that any store can keep.
///
/// Code cannot be stored, so an item names it: `job` is the name of a `BatchJob` in a worker's `ComponentNames`, and `input`
/// is the data for that job. Downloads and requests are jobs too; `download` and `request` create their inputs.
public struct BatchItem: Sendable, Hashable, Codable {
  /// The unique name of the item in its store.
  ///
  /// It has 1 to `BatchLimits.nameBytes` bytes of UTF-8 without NUL.
  public var name: String
  /// The name of the job that does the work.
  public var job: ComponentName<BatchJob>
  /// The data for the job, at most `BatchLimits.inputBytes` bytes.
  ///
  /// Stores do not interpret it.
  public var input: Data
  /// The names of items that must succeed first, at most `BatchLimits.dependencies`.
  ///
  /// The item is skipped when one of them ends without success.
  public var dependencies: [String]
  /// The host, in lower case, whose limit applies (`BatchRules.perHost`), if any.
  public var host: String?
  /// The priority among the ready items.
  public var priority: RequestPriority
  /// The expected number of bytes to transfer; nil if it is unknown.
  ///
  /// It determines the weight of the item in `BatchProgress`.
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

// What `dump` and a debugger show: the input of an item may contain a request with its credentials, a note and an output whatever
// the job keeps there.

extension BatchItem: CustomReflectable {
  /// The item with the length of its input instead of the bytes.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "job": job, "inputLength": input.count, "dependencies": dependencies, "host": host as Any,
        "priority": priority, "expectedBytes": expectedBytes as Any,
      ])
  }
}

extension BatchLease: CustomReflectable {
  /// The lease with the length of its note instead of the bytes.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "item": item, "retries": retries, "noteLength": note?.count as Any])
  }
}

extension BatchRenewal: CustomReflectable {
  /// The renewal with the length of its note instead of the bytes.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["id": id, "completed": completed, "total": total as Any, "noteLength": note?.count as Any])
  }
}

extension BatchProduct: CustomReflectable {
  /// The product with the length of its output instead of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["outputLength": output.count, "bytes": bytes as Any]) }
}

/// The limits of every batch store.
public enum BatchLimits {
  /// The most bytes of UTF-8 in the name of an item, a job or a host.
  public static let nameBytes = 1_024
  /// The most bytes of an item's input, and of a note.
  public static let inputBytes = 1 << 20
  /// The most bytes of the output of a job.
  public static let outputBytes = 64 << 10
  /// The most dependencies of one item.
  public static let dependencies = 10_000
  /// The most items in one call of `BatchStore.add`.
  public static let itemsPerCall = 1_000_000
}

extension BatchItem {
  /// Checks the item against `BatchLimits`; stores call it before they add an item.
  ///
  /// - Throws: `BatchError` of kind `invalidItem`, which names the item and what is wrong with it.
  public func check() throws(BatchError) {
    try Self.check(name, "name", of: name)
    try Self.check(job.rawValue, "job", of: name)
    if let host { try Self.check(host, "host", of: name) }
    if input.count > BatchLimits.inputBytes {
      throw BatchError(
        .invalidItem, item: name, "its input has \(input.count) bytes; at most \(BatchLimits.inputBytes) are allowed")
    }
    if dependencies.count > BatchLimits.dependencies {
      throw BatchError(
        .invalidItem, item: name,
        "it has \(dependencies.count) dependencies; at most \(BatchLimits.dependencies) are allowed")
    }
    if let expectedBytes, expectedBytes < 0 {
      throw BatchError(.invalidItem, item: name, "its expected bytes are \(expectedBytes); a length is 0 or more")
    }
  }

  private static func check(_ text: String, _ what: String, of item: String) throws(BatchError) {
    let length = text.utf8.count
    guard length >= 1, length <= BatchLimits.nameBytes else {
      throw BatchError(
        .invalidItem, item: item, "its \(what) has \(length) bytes; 1 to \(BatchLimits.nameBytes) are allowed")
    }
    guard !text.utf8.contains(0) else { throw BatchError(.invalidItem, item: item, "its \(what) contains a NUL byte") }
  }
}
