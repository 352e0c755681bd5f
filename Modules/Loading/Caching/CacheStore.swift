import CurlewCore
public import FoundationEssentials

/// Keeps responses for `Caching`; knows nothing of HTTP.
///
/// A store is bounded and forgets what it must. What it cannot read whole it does not have: a failure is a miss, and
/// no content is ever given that is not, byte for byte, what was written under the record it comes with. Called from any
/// isolation, by many tasks at once.
public protocol CacheStore: Sendable {
  /// What stands under a key; nil when there is nothing, or nothing whole.
  nonisolated(nonsending) func entry(for key: CacheKey) async -> CacheEntry?
  /// Starts a new entry; nil when the store does not want one of that length.
  ///
  /// - Parameter length: How many bytes its content will have; nil when not known.
  func begin(expecting length: Int64?) async -> (any CacheWriter)?
  /// Puts another record in the place of an entry's, whose content stays.
  func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async
  /// Forgets what stands under a key.
  func remove(_ key: CacheKey) async
  /// Forgets everything.
  func removeAll() async
}

/// What a store has under a key.
public struct CacheEntry: Sendable {
  /// The response without its content, or what chooses one.
  public var record: CacheRecord
  /// The content.
  public var content: any CacheContent

  /// Puts an entry together.
  public init(record: CacheRecord, content: any CacheContent) {
    self.record = record
    self.content = content
  }
}

/// The content of an entry, which stays readable when the entry is replaced or forgotten.
public protocol CacheContent: Sendable {
  /// How many bytes it has.
  var length: Int64 { get }
  /// Bytes at an offset: as many as asked for, fewer only at the end.
  ///
  /// - Throws: When they cannot be read.
  func read(at offset: Int64, upTo count: Int) throws -> Data
}

/// Takes the content of one new entry.
///
/// `append` may be called on a transport's thread: it may write, it must not wait for the disk. One task at a time.
public protocol CacheWriter: AnyObject, Sendable {
  /// Adds bytes.
  ///
  /// - Throws: When the entry cannot be kept, because it is too large or cannot be written. It is discarded then.
  func append(_ bytes: UnsafeRawBufferPointer) throws
  /// Puts the entry under a key, in place of what stood there.
  ///
  /// - Throws: When it could not be written; what stood there stays, or is gone.
  func commit(_ record: CacheRecord, under key: CacheKey) async throws
  /// Gives the entry up; does nothing after `commit`.
  func discard()
}

/// Why an entry was not kept.
public struct CacheStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons.
  public enum Reason: String, Sendable, Hashable {
    /// The content is larger than an entry may be.
    case tooLarge
    /// The writer was committed or discarded before.
    case ended
  }
  /// The reason.
  public var reason: Reason

  /// Makes an error.
  public init(_ reason: Reason) { self.reason = reason }

  /// What it is, in words.
  public var description: String {
    switch reason {
    case .tooLarge: "The content is larger than an entry of the cache may be."
    case .ended: "The entry was committed or discarded before."
    }
  }
}
