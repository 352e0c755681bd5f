public import CurlewCore
public import CurlewStorage
import FoundationEssentials

/// Keeps responses in a directory, limited in bytes.
///
/// It is based on `BoundedStore` and has its guarantees: a process that stops at any moment leaves no wrong or mixed
/// content, every byte is checked before it is returned, and several processes may share a directory. Only the owner
/// can read the files; keys contain no credentials (`CacheSecret`), and contents are stored as received. Calls that may
/// block on the disk run on Swift's own threads, even for tasks that prefer a transport's thread; only reading and
/// writing an open file do not.
///
/// ```swift
/// let caching = Caching(try DiskCacheStore("/var/cache/app", capacity: 256 << 20))
/// ```
public struct DiskCacheStore: CacheStore {
  private let store: BoundedStore
  /// The key of fingerprints.
  public let secret: CacheSecret

  /// Opens a cache and creates its directory if it does not exist.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes of all files together, 0 or more.
  ///   - entryLimit: The most bytes of one content, 0 or more; nil means a tenth of the capacity.
  ///   - secret: With the same secret as before, entries that depend on credentials and cookies are found again.
  /// - Throws: `FileSystemError` when the directory cannot be created.
  public init(
    _ directory: String, capacity: Int64 = 256 << 20, entryLimit: Int64? = nil,
    secret: CacheSecret = CacheSecret()
  ) throws(FileSystemError) {
    self.init(try BoundedStore(directory, limits: .init(capacity: capacity, content: entryLimit)), secret: secret)
  }

  /// Creates a cache from an open store.
  public init(_ store: BoundedStore, secret: CacheSecret = CacheSecret()) {
    self.store = store
    self.secret = secret
  }

  /// Returns the entry under a key; nil when it is missing or damaged.
  public func entry(for key: CacheKey) async -> CacheEntry? {
    await Self.offTransport {
      guard let entry = store.entry(for: key.text), let record = CacheRecord(encoded: entry.header) else { return nil }
      return CacheEntry(record: record, content: DiskContent(entry: entry))
    }
  }

  /// Starts an entry, unless the announced length is too large.
  public func begin(expecting length: Int64?) async -> (any CacheWriter)? {
    if let length, length > store.limits.content { return nil }
    return await Self.offTransport { DiskCacheWriter(store.begin(expecting: length)) }
  }

  /// Replaces the record of an entry.
  public func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async {
    guard let content = entry.content as? DiskContent else { return }
    await Self.offTransport {
      // An entry that cannot be updated is validated again later.
      try? store.replace(content.entry, under: key.text, header: record.encoded)
    }
  }

  /// Removes the entry under a key.
  public func remove(_ key: CacheKey) async { await Self.offTransport { store.remove(key.text) } }

  /// Removes all entries.
  public func removeAll() async { await Self.offTransport { try? store.removeAll() } }

  /// Runs work that may block on the disk outside any transport's thread.
  fileprivate static func offTransport<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async rethrows -> Result {
    try await withTaskExecutorPreference(globalConcurrentExecutor) { try body() }
  }
}

/// The content of an entry on the disk.
private struct DiskContent: CacheContent {
  let entry: StoredEntry

  var length: Int64 { entry.length }

  func read(at offset: Int64, upTo count: Int) throws -> Data { try entry.read(at: offset, upTo: count) }
}

/// Writes the content of an entry to the disk.
private final class DiskCacheWriter: CacheWriter {
  private let writer: EntryWriter

  init(_ writer: EntryWriter) { self.writer = writer }

  func append(_ bytes: UnsafeRawBufferPointer) throws { try writer.append(bytes) }

  func commit(_ record: CacheRecord, under key: CacheKey) async throws {
    try await DiskCacheStore.offTransport { try writer.commit(key.text, header: record.encoded) }
  }

  func discard() { writer.discard() }
}
