public import CurlewCore
public import FoundationEssentials

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

  /// A sentence that names the file and what is wrong with it.
  public var description: String {
    switch kind {
    case .inUse: "The journal \(path) is in use by another process, or by another instance in this one."
    case .notAJournal: "The file \(path) is not a journal; it was neither read nor changed."
    case .damaged:
      "Bytes in the middle of the journal \(path) have changed, and intact records follow them. It was left as it is; restore it"
        + " from a copy, or move it away to begin without what it says."
    case .unsupportedVersion: "The journal \(path) was written by a later version of Curlew."
    case .recordTooLong: "A record is longer than the limit for one record of the journal \(path); allow longer ones."
    case .full: "The journal \(path) has reached its limit; compact it first."
    case .file: underlying?.description ?? "A file operation on the journal \(path) failed."
    default: "The journal \(path) is closed, or another call on it is still running."
    }
  }
}

extension JournalError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
