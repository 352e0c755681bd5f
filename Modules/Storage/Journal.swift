public import CurlewCore
public import FoundationEssentials
import Glibc

/// A file of records that only grows; a crash can cut off its end, not change it.
///
/// A record is found again after any crash once `synchronize` has returned. Of the records appended later, a prefix is
/// found: opening the journal cuts off the torn tail. An open journal holds the lock of its file, so one process at a
/// time writes.
///
/// ```swift
/// let journal = try Journal("/var/lib/app/state.journal") { record in state.apply(record) }
/// try journal.append(Data("step 2 done".utf8))
/// try journal.synchronize()
/// ```
///
/// Every call may block on the disk; run it on a `DiskWork`. Calls must not overlap: a call during another one fails
/// with `JournalError.Kind.unavailable`.
public final class Journal: Sendable {
  /// The limits of a journal.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of one record, 0…2^32 − 1.
    public var record: Int
    /// The most bytes of the whole file.
    public var file: Int64

    /// Creates limits; by default 1 MiB for a record and 64 MiB for the file.
    public init(record: Int = 1 << 20, file: Int64 = 64 << 20) {
      self.record = min(max(0, record), Int(UInt32.max))
      self.file = file
    }
  }

  struct Contents {
    var file: any OpenFile
    var format: JournalFormat
    /// The offset after the last record.
    var end: Int64
    /// Whether a failed append may have left bytes after `end`.
    var hasTail = false
    /// Whether a synchronization failed.
    ///
    /// The system may then have dropped bytes for good.
    var isSuspect = false
  }

  /// The path of the file.
  public let path: String
  /// The limits of the journal.
  public let limits: Limits
  private let files: any FileSystem
  /// Nil during a call and after `close`.
  private let contents: Guarded<Contents?>

  /// Opens a journal, or creates it with mode 0600 if no file exists.
  ///
  /// - Parameters:
  ///   - path: The file. A symbolic link is refused, because the lock would be on another file than the path names.
  ///   - limits: How large the journal may become.
  ///   - refusesDamage: Whether a file in which bytes have changed is an error. A crash damages only the end of a journal, so
  ///     a damaged record with an intact one behind it was changed by something else. By default reading ends there, as it
  ///     does at a torn end, and the records behind it are lost.
  ///   - files: The file system.
  ///   - replay: Called with each existing record, in the order of appending, before the call returns.
  /// - Throws: `JournalError`: `inUse`, `notAJournal`, `unsupportedVersion`, `damaged`, `full` for a file beyond the limit,
  ///   `recordTooLong` for a record beyond it, or `file`. The file is then unchanged. Some records may already have been replayed.
  public init(
    _ path: String, limits: Limits = Limits(), refusesDamage: Bool = false,
    in files: any FileSystem = LocalFileSystem(),
    replay: (Data) -> Void
  ) throws(JournalError) {
    self.path = path
    self.limits = limits
    self.files = files
    let opened = try JournalOpening(path: path, limits: limits, files: files, refusesDamage: refusesDamage).open(replay)
    contents = Guarded(opened)
  }

  deinit { close() }

  /// The length of the file in bytes; 0 after `close`.
  public var length: Int64 { contents.withLock { $0?.end ?? 0 } }

  /// Appends a record.
  ///
  /// It survives the end of the process at once, and a power failure after `synchronize`.
  ///
  /// - Throws: `JournalError`: `recordTooLong`, `full`, `unavailable` or `file`. The journal stays usable, and the next
  ///   record overwrites the failed one. A crash before that may bring the failed record back if all its bytes were
  ///   written before the file system reported the failure.
  public func append(_ record: Data) throws(JournalError) {
    try using { contents throws(JournalError) in
      guard record.count <= limits.record else { throw JournalError(.recordTooLong, path: path) }
      guard Int64(record.count + JournalFormat.recordOverhead) <= max(limits.file, 0) - contents.end else {
        throw JournalError(.full, path: path)
      }
      try attempt { () throws(FileSystemError) in
        if contents.hasTail { try contents.file.truncate(to: contents.end) }
        contents.hasTail = true
        var format = contents.format
        let bytes = record.withUnsafeBytes { format.record($0) }
        try contents.file.write(bytes, at: contents.end)
        contents.format = format
        contents.end += Int64(bytes.count)
        contents.hasTail = false
      }
    }
  }

  /// Makes all records so far durable.
  ///
  /// After a failure the system may have dropped bytes for good, and would report success for the next synchronization.
  /// Every later call therefore fails too, until `compact` has rewritten the records.
  ///
  /// - Throws: `JournalError`: `unavailable` or `file`. It is then unknown which records are durable.
  public func synchronize() throws(JournalError) {
    try using { contents throws(JournalError) in
      try attempt { () throws(FileSystemError) in
        guard !contents.isSuspect else { throw FileSystemError(code: EIO, operation: "fdatasync", path: path) }
        contents.isSuspect = true
        try contents.file.synchronize()
        contents.isSuspect = false
      }
    }
  }

  /// Replaces all records durably; a crash leaves the old ones or the new ones.
  ///
  /// - Throws: `JournalError`: `recordTooLong`, `full`, `unavailable` or `file`. The old records then stay. If only the
  ///   synchronization of the directory failed, the new records are in place, and a power failure may bring the old
  ///   ones back.
  public func compact(to records: some Sequence<Data>) throws(JournalError) {
    try using { contents throws(JournalError) in
      // The assignment releases the last reference to the old file, which closes it and releases its lock.
      contents = try JournalOpening(path: path, limits: limits, files: files).replace(with: records)
      contents.isSuspect = true
      try attempt { () throws(FileSystemError) in
        try files.synchronizeDirectory(TemporaryName.directory(of: path))
      }
      contents.isSuspect = false
    }
  }

  /// Returns whether a path has a journal, or leftovers of one.
  ///
  /// A process that was killed may have left an unfinished replacement beside the path.
  ///
  /// - Throws: `FileSystemError`.
  package static func isLeft(at path: String, in files: any FileSystem) throws(FileSystemError) -> Bool {
    for path in [path, TemporaryName.besideJournal(path)] where try files.linkStatus(path) != nil { return true }
    return false
  }

  /// Removes the file and any unfinished replacement, and closes the journal.
  ///
  /// A process that was killed may have left the replacement beside the file.
  ///
  /// - Throws: `JournalError`: `unavailable` or `file`; the journal then stays open.
  public func remove() throws(JournalError) {
    try using { _ throws(JournalError) in
      try attempt { () throws(FileSystemError) in try files.remove(path) }
      // Usually there is no such file, so the error is ignored.
      try? files.remove(TemporaryName.besideJournal(path))
    }
    close()
  }

  /// Closes the journal and releases its lock; later calls fail with `unavailable`.
  public func close() {
    let closed = contents.withLock { contents in
      defer { contents = nil }
      return contents
    }
    // A failed append has already reported its error, and closing loses no synchronized bytes.
    try? closed?.file.close()
  }

  /// Takes the contents for one call, so that no lock is held during disk work.
  private func using(_ body: (inout Contents) throws(JournalError) -> Void) throws(JournalError) {
    let taken = contents.withLock { contents in
      defer { contents = nil }
      return contents
    }
    guard var taken else { throw JournalError(.unavailable, path: path) }
    defer { contents.withLock { $0 = taken } }
    try body(&taken)
  }

  private func attempt(_ body: () throws(FileSystemError) -> Void) throws(JournalError) {
    do throws(FileSystemError) { try body() } catch { throw JournalError(.file, path: path, underlying: error) }
  }
}

/// Why a journal could not be opened or written.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Kind: Sendable, Hashable {
    private let name: String
    /// Another open journal holds the lock of this file, in this process or another.
    public static let inUse = Kind(name: "inUse")
    /// The file has another format; it is left unchanged.
    public static let notAJournal = Kind(name: "notAJournal")
    /// Bytes in the middle of the file have changed; it is left unchanged.
    public static let damaged = Kind(name: "damaged")
    /// The file was written by a later version of Curlew; it is left unchanged.
    public static let unsupportedVersion = Kind(name: "unsupportedVersion")
    /// A record is longer than the limit for one record.
    public static let recordTooLong = Kind(name: "recordTooLong")
    /// The file would grow beyond its limit; `compact` makes room.
    public static let full = Kind(name: "full")
    /// A call of the file system failed; `underlying` describes it.
    public static let file = Kind(name: "file")
    /// The journal is closed, or another call on it is still running.
    public static let unavailable = Kind(name: "unavailable")
  }

  /// The kind of failure.
  public var kind: Kind
  /// The path of the journal.
  public var path: String
  /// The failed call, for the kind `file`.
  public var underlying: FileSystemError?

  /// Creates an error.
  public init(_ kind: Kind, path: String, underlying: FileSystemError? = nil) {
    self.kind = kind
    self.path = path
    self.underlying = underlying
  }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch kind {
    case .inUse: "Wait for it, or choose another path."
    case .notAJournal: "Choose another path, or move the file away."
    case .damaged: "Restore it from a copy, or move it away to begin without what it says."
    case .unsupportedVersion: "Go on with that version, or move the file away."
    case .recordTooLong: "Allow longer records."
    case .full: "Compact it."
    case .file: underlying?.advice
    default: nil
    }
  }

  /// The message and the advice.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }

  /// A sentence that names the file and what is wrong with it.
  public var message: String {
    switch kind {
    case .inUse: "The journal \(path) is in use by another process, or by another instance in this one."
    case .notAJournal: "The file \(path) is not a journal; it was neither read nor changed."
    case .damaged:
      "Bytes in the middle of the journal \(path) have changed, and intact records follow them. It was left as it is."
    case .unsupportedVersion: "The journal \(path) was written by a later version of Curlew."
    case .recordTooLong: "A record is longer than the limit for one record of the journal \(path)."
    case .full: "The journal \(path) has reached its limit."
    case .file: underlying.map { "\($0)." } ?? "A file operation on the journal \(path) failed."
    default: "The journal \(path) is closed, or another call on it is still running."
    }
  }
}

extension JournalError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}
