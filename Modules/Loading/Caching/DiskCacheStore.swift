public import CurlewCore
public import CurlewStorage
import FoundationEssentials

/// Keeps responses in a directory, within a number of bytes.
///
/// It is a `BoundedStore` and makes its promises: a process that ends at any instant leaves no wrong or mixed content,
/// every byte is checked before it is given, and several processes may have one directory. Files are readable by their
/// owner alone; keys hold no credentials, contents are as they came. What may wait for the disk runs on Swift's own threads,
/// also for tasks that prefer a transport's; only reading and writing an open file does not.
///
/// ```swift
/// let caching = Caching(try DiskCacheStore("/var/cache/app", capacity: 256 << 20))
/// ```
public struct DiskCacheStore: CacheStore {
  private let store: BoundedStore

  /// Opens a cache; the directory is made where it is not there.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes of all files together, 0….
  ///   - entryLimit: The most bytes of one content, 0…; nil is a tenth of the capacity.
  /// - Throws: `FileSystemError` when the directory cannot be made.
  public init(
    _ directory: String, capacity: Int64 = 256 << 20, entryLimit: Int64? = nil
  ) throws(FileSystemError) {
    self.init(try BoundedStore(directory, limits: .init(capacity: capacity, content: entryLimit)))
  }

  /// Keeps responses in a store that is open.
  public init(_ store: BoundedStore) { self.store = store }

  /// What stands under a key; nil when there is nothing, or nothing whole.
  public func entry(for key: CacheKey) async -> CacheEntry? {
    await Self.offTransport {
      guard let entry = store.entry(for: key.text), let record = CacheRecord(encoded: entry.header) else { return nil }
      return CacheEntry(record: record, content: DiskContent(entry: entry))
    }
  }

  /// Starts an entry, unless it is announced to be too large.
  public func begin(expecting length: Int64?) async -> (any CacheWriter)? {
    if let length, length > store.limits.content { return nil }
    return await Self.offTransport { DiskCacheWriter(store.begin(expecting: length)) }
  }

  /// Puts another record in the place of an entry's.
  public func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) async {
    guard let content = entry.content as? DiskContent else { return }
    await Self.offTransport {
      // What cannot be updated is asked about again.
      try? store.replace(content.entry, under: key.text, header: record.encoded)
    }
  }

  /// Forgets what stands under a key.
  public func remove(_ key: CacheKey) async { await Self.offTransport { store.remove(key.text) } }

  /// Forgets everything.
  public func removeAll() async { await Self.offTransport { try? store.removeAll() } }

  /// Runs what may wait for the disk where no transport waits with it.
  fileprivate static func offTransport<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async rethrows -> Result {
    try await withTaskExecutorPreference(globalConcurrentExecutor) { try body() }
  }
}

/// Content in an entry of the disk.
private struct DiskContent: CacheContent {
  let entry: StoredEntry

  var length: Int64 { entry.length }

  func read(at offset: Int64, upTo count: Int) throws -> Data { try entry.read(at: offset, upTo: count) }
}

/// Collects the content of an entry on the disk.
private final class DiskCacheWriter: CacheWriter {
  private let writer: EntryWriter

  init(_ writer: EntryWriter) { self.writer = writer }

  func append(_ bytes: UnsafeRawBufferPointer) throws { try writer.append(bytes) }

  func commit(_ record: CacheRecord, under key: CacheKey) async throws {
    try await DiskCacheStore.offTransport { try writer.commit(key.text, header: record.encoded) }
  }

  func discard() { writer.discard() }
}
