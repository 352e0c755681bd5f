import CurlewCore
import CurlewDownload
import CurlewRequests
import FoundationEssentials

/// One transfer of a background session, as the journal stores it.
struct BackgroundTransfer: Sendable, Codable {
  /// What a transfer does.
  enum Work: Sendable, Codable {
    case download(DownloadTarget, replaces: Bool)
    /// The file is the body of the request.
    case upload(repeatsUnsafe: Bool)
  }

  /// A complete file that was about to get its name.
  struct Publication: Sendable, Codable, Hashable {
    var path: String
    var identity: FileIdentity
    var length: Int64
  }

  /// The number, from 1.
  let number: Int
  /// Identifies the bytes of a download; nil in the journal of an earlier version.
  ///
  /// Unlike the number, it stays unique if somebody removes the journal, so the bytes of one request are never taken for those of
  /// another.
  var token: String? = UUID().uuidString
  let handler: ComponentName<BackgroundHandler>
  var request: RequestArchive
  let work: Work
  /// Whether the request is stored with its secrets.
  let includesSecrets: Bool

  /// Whether the task is suspended, as it is until the app resumes it.
  var isSuspended = true
  /// Whether an upload may have reached the server.
  var hasBegun = false
  /// The file, from just before it got its name.
  var publication: Publication?
  /// The result, until the handler has returned.
  var result: BackgroundEnd.Result?
}

/// A record of the journal of a background session.
enum BackgroundRecord: Sendable, Codable {
  /// A transfer was added, or this is its state after older records were removed.
  case transfer(BackgroundTransfer)
  /// The highest number so far, whose transfer may be over.
  case last(Int)
  case suspended(Int, Bool)
  case begun(Int)
  case publishing(Int, BackgroundTransfer.Publication)
  case ended(Int, BackgroundEnd.Result)
  /// The handler has returned.
  case delivered(Int)

  private static let version = 1

  /// A record with the version of its format.
  private struct Line: Codable {
    var version: Int
    var record: BackgroundRecord
  }

  /// Reads a record.
  ///
  /// - Throws: `DecodingError`, also for another version.
  init(_ data: Data) throws {
    let line = try JSONDecoder().decode(Line.self, from: data)
    guard line.version == Self.version else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "Version \(line.version) of the record is not supported."))
    }
    self = line.record
  }

  /// The bytes of the record.
  ///
  /// - Throws: The errors of encoding the request; see `RequestArchive`.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    if case .transfer(let transfer) = self { encoder.userInfo[.includesSecrets] = transfer.includesSecrets }
    return try encoder.encode(Line(version: Self.version, record: self))
  }
}

/// The transfers of a background session that its records describe, without I/O.
struct BackgroundLedger: Sendable {
  private(set) var transfers: [Int: BackgroundTransfer] = [:]
  /// The highest number so far.
  private(set) var last = 0

  /// Applies a record; one about an unknown transfer changes nothing.
  mutating func apply(_ record: BackgroundRecord) {
    switch record {
    case .transfer(let transfer):
      transfers[transfer.number] = transfer
      last = max(last, transfer.number)
    case .last(let number): last = max(last, number)
    case .suspended(let number, let isSuspended): transfers[number]?.isSuspended = isSuspended
    case .begun(let number):
      transfers[number]?.hasBegun = true
      // Only a task that was resumed begins.
      transfers[number]?.isSuspended = false
    case .publishing(let number, let publication):
      transfers[number]?.publication = publication
      transfers[number]?.isSuspended = false
    case .ended(let number, let result): transfers[number]?.result = result
    case .delivered(let number): transfers[number] = nil
    }
  }

  /// The records that describe the same transfers.
  var records: [BackgroundRecord] {
    let kept = transfers.values.sorted { $0.number < $1.number }.map { BackgroundRecord.transfer($0) }
    return last > 0 ? [.last(last)] + kept : kept
  }
}
