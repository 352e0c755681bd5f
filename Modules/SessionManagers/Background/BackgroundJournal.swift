public import CurlewCore
import CurlewStorage
import FoundationEssentials

/// The journal of a background session, on a thread of its own.
final class BackgroundJournal: Sendable {
  private let journal: Journal
  private let work: DiskWork
  private let ledger: Guarded<BackgroundLedger>

  /// The most bytes of one record, which holds a request and perhaps the body of a response.
  private static let limits = Journal.Limits(record: 4 << 20, file: 64 << 20)

  private init(_ journal: Journal, _ work: DiskWork, _ ledger: BackgroundLedger) {
    self.journal = journal
    self.work = work
    self.ledger = Guarded(ledger)
  }

  /// Opens or creates a journal, and removes the records of transfers that have ended.
  ///
  /// - Returns: The journal, and the transfers that an earlier process has left, in the order of their creation.
  /// - Throws: `NetworkError` of kind `sessionInUse` or `fileError`.
  static func open(
    _ path: String, in files: any FileSystem = LocalFileSystem()
  ) async throws -> (BackgroundJournal, [BackgroundTransfer]) {
    let work = DiskWork()
    let opened = try await work.run { () throws(any Error) -> (Journal, BackgroundLedger) in
      var ledger = BackgroundLedger()
      var damage: (any Error)?
      do {
        let journal = try Journal(path, limits: limits, refusesDamage: true, in: files) { data in
          do { ledger.apply(try BackgroundRecord(data)) } catch { damage = damage ?? error }
        }
        // A transfer must not be lost silently, so what a later version has written is left as it is, and so is a file in
        // which bytes have changed.
        if let damage { throw damage }
        try journal.compact(to: ledger.records.map { try $0.encoded() })
        return (journal, ledger)
      } catch {
        throw NetworkError.backgroundJournal(path, error)
      }
    }
    let transfers = opened.1.transfers.values.sorted { $0.number < $1.number }
    return (BackgroundJournal(opened.0, work, opened.1), transfers)
  }

  /// Returns a transfer that has not been delivered.
  func transfer(_ number: Int) -> BackgroundTransfer? { ledger.withLock { $0.transfers[number] } }

  /// Adds a transfer under the next number.
  func add(_ make: @escaping @Sendable (Int) -> BackgroundTransfer) async throws -> BackgroundTransfer {
    try await work.run { [self] () throws(any Error) -> BackgroundTransfer in
      let transfer = make(ledger.withLock { $0.last } + 1)
      try append(.transfer(transfer))
      return transfer
    }
  }

  /// Writes a record durably.
  func write(_ record: BackgroundRecord) async throws {
    try await work.run { [self] () throws(any Error) in try append(record) }
  }

  /// Writes a record after those so far, without waiting for it.
  ///
  /// An error is ignored: the record only describes a wish of the app that the next process can do without.
  func enqueue(_ record: BackgroundRecord) {
    work.enqueue { [self] in try? append(record) }
  }

  /// Returns the status of a file, read on the thread of the journal; nil if it is missing.
  func status(of path: String) async -> FileStatus? { await work.run { try? LocalFileSystem().status(path) } }

  /// Closes the journal, so that another process can open it; later records fail.
  func close() async { await work.run { [journal] in journal.close() } }

  private func append(_ record: BackgroundRecord) throws {
    do {
      if try !hasTaken(try record.encoded()) {
        // What has ended makes room.
        var next = ledger.withLock { $0 }
        next.apply(record)
        try journal.compact(to: next.records.map { try $0.encoded() })
      }
      try journal.synchronize()
      ledger.withLock { $0.apply(record) }
    } catch {
      throw NetworkError.backgroundJournal(journal.path, error)
    }
  }

  /// Appends a record; returns false if the file has no room for it.
  private func hasTaken(_ data: Data) throws(JournalError) -> Bool {
    do throws(JournalError) {
      try journal.append(data)
      return true
    } catch {
      guard error.kind == .full else { throw error }
      return false
    }
  }
}

extension NetworkError.Kind {
  /// The background session is in use, in this process or another.
  public static let sessionInUse = NetworkError.Kind(rawValue: "session-in-use")
}

extension NetworkError {
  /// Describes why the journal of a background session cannot be used.
  static func backgroundJournal(_ path: String, _ error: any Error) -> NetworkError {
    switch error {
    case let error as NetworkError: error
    case let error as JournalError where error.kind == .inUse:
      NetworkError(
        .sessionInUse, stage: .preparing,
        message: "The background session in \(path) is in use.", advice: "Close it, or end the process that uses it.",
        underlying: error)
    default:
      NetworkError(
        .fileError, stage: .preparing, message: "The journal of the background session cannot be used: \(error)",
        underlying: error)
    }
  }
}
