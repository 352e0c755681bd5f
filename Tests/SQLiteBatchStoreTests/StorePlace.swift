import CurlewBatch
import CurlewCore
import CurlewRequests
import CurlewTestSupport
import FoundationEssentials

@testable import CurlewSQLiteBatchStore

/// A directory for a store's file, removed at the end.
final class StorePlace: Sendable {
  let directory: String
  var path: String { directory + "/batch" }
  let clock = ManualClock()

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/curlew-store-\(UInt64.random(in: 0 ... .max))"
    try LocalFileSystem().createDirectory(directory)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func store(_ access: SQLiteBatchStore.Access = .writing) async throws -> SQLiteBatchStore {
    try await SQLiteBatchStore(path, access: access, clock: clock)
  }

  func ledger() throws -> Ledger { try Ledger.openForWriting(path, clock) }
}

extension ComponentName<BatchJob> {
  /// The job of items that nobody runs.
  static let sample = Self("sample")
}

extension BatchItem {
  /// An item of the job `sample`.
  static func sample(
    _ name: String, after dependencies: [String] = [], host: String? = nil, priority: RequestPriority = .normal,
    bytes: Int64? = nil
  ) -> BatchItem {
    BatchItem(
      name, job: .sample, input: Data(name.utf8), dependencies: dependencies, host: host, priority: priority,
      expectedBytes: bytes)
  }
}

extension BatchResult {
  static func success(_ bytes: Int64? = nil) -> BatchResult { .succeeded(BatchProduct(bytes: bytes)) }
  static var failure: BatchResult { .failed(BatchFailure(kind: "timed-out", message: "It took too long.")) }
}
