import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Keeps the most recently used responses in memory, limited in bytes.
public final class MemoryCacheStore: CacheStore {
  fileprivate struct Node {
    var entry: CacheEntry
    var cost: Int
    var newer: CacheKey?
    var older: CacheKey?
  }

  /// The entries as a list from the newest use to the oldest, linked by keys.
  fileprivate struct State {
    var nodes: [CacheKey: Node] = [:]
    var newest: CacheKey?
    var oldest: CacheKey?
    var cost = 0
  }

  private let state = Guarded(State())
  /// The key of fingerprints, which is random.
  public let secret = CacheSecret()
  /// The most bytes, including fields and an allowance for each entry.
  public let capacity: Int
  /// The most bytes of one content.
  public let entryLimit: Int

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes, 0 or more.
  ///   - entryLimit: The most bytes of one content, 0 or more; nil means a tenth of the capacity.
  public init(capacity: Int = 16 << 20, entryLimit: Int? = nil) {
    self.capacity = max(0, capacity)
    self.entryLimit = max(0, entryLimit ?? capacity / 10)
  }

  /// The number of bytes in use.
  public var usedBytes: Int { state.withLock { $0.cost } }

  /// Returns the entry under a key and marks it as the most recently used.
  public func entry(for key: CacheKey) -> CacheEntry? { state.withLock { $0.use(key) } }

  /// Starts an entry, unless the announced length is too large.
  public func begin(expecting length: Int64?) -> (any CacheWriter)? {
    if let length, length > Int64(entryLimit) { return nil }
    return MemoryCacheWriter(self, reserving: Int(length ?? 0))
  }

  /// Replaces the record of an entry.
  public func replace(_ entry: CacheEntry, under key: CacheKey, with record: CacheRecord) {
    put(CacheEntry(record: record, content: entry.content), under: key)
  }

  /// Removes the entry under a key.
  public func remove(_ key: CacheKey) { state.withLock { $0.remove(key) } }

  /// Removes all entries.
  public func removeAll() { state.withLock { $0 = State() } }

  func put(_ entry: CacheEntry, under key: CacheKey) {
    let cost = Self.cost(of: entry, under: key)
    state.withLock { state in
      state.remove(key)
      guard cost <= capacity else { return }
      state.add(key, Node(entry: entry, cost: cost))
      while state.cost > capacity, let oldest = state.oldest { state.remove(oldest) }
    }
  }

  /// Returns the bytes of an entry, with an allowance for Swift's own memory.
  private static func cost(of entry: CacheEntry, under key: CacheKey) -> Int {
    var cost = 512 + 2 * key.text.utf8.count + Int(clamping: entry.content.length)
    if case .response(let response) = entry.record {
      cost += 2 * response.head.url.absoluteString.utf8.count + response.selecting.count * 64
      for field in response.head.headerFields { cost += 96 + field.name.rawName.utf8.count + field.value.utf8.count }
    }
    return cost
  }
}

extension MemoryCacheStore.State {
  mutating func use(_ key: CacheKey) -> CacheEntry? {
    guard let node = nodes[key] else { return nil }
    if newest != key {
      unlink(key, node)
      link(key)
    }
    return node.entry
  }

  mutating func add(_ key: CacheKey, _ node: MemoryCacheStore.Node) {
    nodes[key] = node
    cost += node.cost
    link(key)
  }

  mutating func remove(_ key: CacheKey) {
    guard let node = nodes[key] else { return }
    unlink(key, node)
    nodes[key] = nil
    cost -= node.cost
  }

  private mutating func link(_ key: CacheKey) {
    nodes[key]?.newer = nil
    nodes[key]?.older = newest
    if let newest { nodes[newest]?.newer = key }
    newest = key
    oldest = oldest ?? key
  }

  private mutating func unlink(_ key: CacheKey, _ node: MemoryCacheStore.Node) {
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}

/// Collects the content of an entry in memory.
private final class MemoryCacheWriter: CacheWriter {
  private let store: MemoryCacheStore
  private let data: Guarded<Data?>

  init(_ store: MemoryCacheStore, reserving length: Int) {
    self.store = store
    data = Guarded(Data(capacity: length))
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let limit = store.entryLimit
    try data.withLock { data in
      guard let count = data?.count else { throw CacheStoreError(.ended) }
      guard bytes.count <= limit - count else {
        data = nil
        throw CacheStoreError(.tooLarge)
      }
      data?.append(contentsOf: bytes)
    }
  }

  func commit(_ record: CacheRecord, under key: CacheKey) throws {
    let content = data.withLock { data in
      defer { data = nil }
      return data
    }
    guard let content else { throw CacheStoreError(.ended) }
    store.put(CacheEntry(record: record, content: BytesContent(bytes: content)), under: key)
  }

  func discard() { data.withLock { $0 = nil } }
}

/// Content in memory.
struct BytesContent: CacheContent {
  let bytes: Data

  var length: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, upTo count: Int) -> Data {
    guard offset > 0 || count < bytes.count else { return bytes }
    return Data(bytes.dropFirst(Int(clamping: offset)).prefix(count))
  }
}
