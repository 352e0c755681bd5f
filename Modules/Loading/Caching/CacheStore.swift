import CurlewCore
public import FoundationEssentials

/// Keeps responses for `Caching` and knows nothing of HTTP.
///
/// A store is bounded and may drop entries at any time. An entry that it cannot read completely counts as missing, and
/// the content it returns is always, byte for byte, what was written with the record. It is called from any isolation,
/// by many tasks at once.
public protocol CacheStore: Sendable {
  /// The key of fingerprints; constant for the life of the store.
  var secret: CacheSecret { get }
  /// Returns the entry under a key; nil when it is missing or damaged.
  nonisolated(nonsending) func entry(for key: CacheKey) async -> CacheEntry?
  /// Starts a new entry; nil when the store rejects an entry of that length.
  ///
  /// - Parameter length: The number of bytes of its content; nil when unknown.
  func begin(expecting length: Int64?) async -> (any CacheWriter)?
  /// Replaces the record of an entry and keeps its content.
  func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async
  /// Removes the entry under a key.
  func remove(_ key: CacheKey) async
  /// Removes all entries.
  func removeAll() async
}

/// An entry of a store.
public struct CacheEntry: Sendable {
  /// The response without its content, or the selector of a response.
  public var record: CacheRecord
  /// The content.
  public var content: any CacheContent

  /// Creates an entry.
  public init(record: CacheRecord, content: any CacheContent) {
    self.record = record
    self.content = content
  }
}

/// The content of an entry.
///
/// It stays readable when the entry is replaced or removed.
public protocol CacheContent: Sendable {
  /// The number of bytes.
  var length: Int64 { get }
  /// Returns bytes at an offset, fewer than asked for only at the end.
  ///
  /// - Throws: An error when they cannot be read.
  func read(at offset: Int64, upTo count: Int) throws -> Data
}

/// Writes the content of one new entry.
///
/// `append` may be called on a transport's thread: it may write, but must not wait for the disk. It is used by one task
/// at a time.
public protocol CacheWriter: AnyObject, Sendable {
  /// Appends bytes.
  ///
  /// - Throws: An error when the entry is too large or cannot be written; it is then discarded.
  func append(_ bytes: UnsafeRawBufferPointer) throws
  /// Stores the entry under a key, in place of the old one.
  ///
  /// - Throws: An error when it cannot be written; the old entry then stays or is lost.
  func commit(_ record: CacheRecord, under key: CacheKey) async throws
  /// Discards the entry; does nothing after `commit`.
  func discard()
}

/// The reason why an entry was not stored.
public struct CacheStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons.
  public enum Reason: String, Sendable, Hashable {
    /// The content is larger than the limit for one entry.
    case tooLarge
    /// The writer was already committed or discarded.
    case ended
  }
  /// The reason.
  public var reason: Reason

  /// Creates an error.
  public init(_ reason: Reason) { self.reason = reason }

  /// A sentence that describes the error.
  public var description: String {
    switch reason {
    case .tooLarge: "The content is larger than an entry of the cache may be."
    case .ended: "The entry was committed or discarded before."
    }
  }
}

extension CacheStoreError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
