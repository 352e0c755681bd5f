public import CurlewCore
public import FoundationEssentials
import Glibc

/// A directory of entries under keys, limited in bytes; entries are never partial.
///
/// An entry is a header and a content. It becomes visible when its writer commits. Checksums cover every byte, so an
/// entry that is torn, corrupt or stored under another key counts as missing. After the process or the machine has
/// stopped at any moment, each entry is therefore the old one, the new one or missing, and the directory still opens.
/// Several processes may use it at once.
///
/// Nothing is synchronized to the disk: the store is for data that can be fetched again. When the entries exceed the
/// capacity, the least recently used ones are removed; use is tracked within one process, and other processes' entries
/// are ordered by when they were written. Calls may block on the disk. Safe from any isolation.
public final class BoundedStore: Sendable {
  /// The limits of a store.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of all files together, 0 or more.
    ///
    /// Content that is not yet committed may exceed it.
    public var capacity: Int64
    /// The most bytes of one content, 0 or more.
    public var content: Int64
    /// The most entries, 1 or more.
    public var entries: Int

    /// Creates limits.
    ///
    /// - Parameter content: The most bytes of one content; nil means a tenth of the capacity.
    public init(capacity: Int64, content: Int64? = nil, entries: Int = 100_000) {
      self.capacity = max(0, capacity)
      self.content = max(0, content ?? capacity / 10)
      self.entries = max(1, entries)
    }
  }

  /// The directory.
  public let directory: String
  /// The limits of the store.
  public let limits: Limits
  let files: any FileSystem
  private let census = Guarded(StoreCensus())

  /// Opens a store and creates its directory if it does not exist.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be created.
  public init(
    _ directory: String, limits: Limits, in files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    try files.createDirectory(directory)
    self.directory = directory
    self.limits = limits
    self.files = files
  }

  /// Returns the entry under a key; nil when it is missing or damaged.
  ///
  /// The whole content is checked first.
  public func entry(for key: String) -> StoredEntry? {
    let name = EntryName(key)
    // A damaged entry is not removed here: another process may replace it with a good one before the removal.
    guard let file = try? files.open(path(name.entry), [.read, .noFollow]),
      let entry = try? StoredEntry(key, file, self)
    else { return nil }
    census.withLock { $0.use(name) }
    return entry
  }

  /// Begins a new entry.
  ///
  /// - Parameter length: The most bytes its content will have; nil when unknown. If the content is or may be long, its
  ///   file is created here, so that `EntryWriter.append` only writes.
  public func begin(expecting length: Int64? = nil) -> EntryWriter { EntryWriter(self, expecting: length) }

  /// Replaces the header of an entry and keeps its content.
  ///
  /// An entry that was stored under the key after this one was read is replaced as well.
  ///
  /// - Throws: `FileSystemError`.
  public func replace(_ entry: StoredEntry, under key: String, header: Data) throws(FileSystemError) {
    guard key.utf8.count + header.count <= EntryFile.headLimit else {
      throw FileSystemError(code: EFBIG, operation: "store", path: "")
    }
    try write(
      EntryFile(key: key, header: header, body: entry.body), under: EntryName(key), superseding: entry.body.blob)
  }

  /// Removes the entry under a key, if it exists.
  public func remove(_ key: String) {
    let name = EntryName(key)
    removeEntry(name)
    census.withLock { $0.remove(name) }
  }

  /// Removes all entries.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be listed.
  public func removeAll() throws(FileSystemError) {
    // Remove the entries first: a content file without an entry is unreachable.
    let names = try files.list(directory)
    for name in names where EntryName.isEntry(name) { try? files.remove(path(name)) }
    for name in names where EntryName.isBlob(name) { try? files.remove(path(name)) }
    census.withLock { $0 = StoreCensus() }
  }

  func path(_ name: String) -> String { directory + "/" + name }

  /// Writes a complete entry in place of the old one.
  ///
  /// - Parameter superseding: A content file to keep although its old entry is replaced.
  func write(
    _ file: EntryFile, under name: EntryName, superseding kept: UInt64? = nil
  ) throws(FileSystemError) {
    let old = blob(of: name)
    let bytes = file.encoded
    try AtomicFile(path(name.entry), durability: .processEnd, in: files).write(bytes)
    if let old, old != kept, old != file.body.blob { try? files.remove(path(name.blob(old))) }
    let size = Int64(bytes.count) + (file.body.blob == nil ? 0 : file.body.length)
    let needsTidying = census.withLock { $0.add(name, size, limits) }
    if needsTidying { tidy() }
  }

  /// Returns the number of an entry's separate content file; nil without one.
  private func blob(of name: EntryName) -> UInt64? {
    guard let file = try? files.open(path(name.entry), [.read, .noFollow]) else { return nil }
    return EntryFile.blob(of: file)
  }

  private func removeEntry(_ name: EntryName) {
    let old = blob(of: name)
    try? files.remove(path(name.entry))
    if let old { try? files.remove(path(name.blob(old))) }
  }

  /// Removes orphaned files, then the least recently used entries.
  ///
  /// One process does this at a time; another process that finds the lock taken skips it.
  private func tidy() {
    guard let lock = try? LockFile.tryAcquire(path("lock"), in: files) else { return }
    defer { lock.release() }
    guard let names = try? files.list(directory) else { return }
    try? AtomicFile.removeLeftovers(in: directory, of: files)
    var found: [EntryName: StoreCensus.Found] = [:]
    var contents: [(name: EntryName, number: UInt64, file: String)] = []
    for file in names {
      if let name = EntryName(entry: file), let status = try? files.status(path(file)) {
        found[name, default: .init()].size += status.length
        found[name, default: .init()].modified = status.modified
      } else if let (name, number) = EntryName.blob(file) {
        contents.append((name, number, file))
      }
    }
    for content in contents {
      guard let status = try? files.status(path(content.file)) else { continue }
      if found[content.name] != nil, blob(of: content.name) == content.number {
        found[content.name]?.size += status.length
      } else {
        // The file belongs to a replaced entry, or to one that another process is about to commit; that commit then
        // stores nothing.
        try? files.remove(path(content.file))
      }
    }
    for name in census.withLock({ $0.recount(found, limits) }) { removeEntry(name) }
  }
}

/// The sizes of a store's entries and the order in which they were used.
struct StoreCensus {
  /// The result of a scan of the directory for one entry.
  struct Found {
    var size: Int64 = 0
    var modified: Int64 = 0
  }

  /// When this process last used each entry, as an increasing number.
  private var uses: [EntryName: UInt64] = [:]
  private var sizes: [EntryName: Int64] = [:]
  private var total: Int64 = 0
  private var last: UInt64 = 0
  /// The bytes that may be written before the directory is scanned again.
  ///
  /// A scan is necessary because other processes write too.
  private var left: Int64 = 0

  mutating func use(_ name: EntryName) {
    last += 1
    uses[name] = last
  }

  /// Records a written entry; returns true when the directory is to be scanned.
  mutating func add(_ name: EntryName, _ size: Int64, _ limits: BoundedStore.Limits) -> Bool {
    total += size - (sizes[name] ?? 0)
    sizes[name] = size
    last += 1
    uses[name] = last
    left -= size
    return left < 0 || total > limits.capacity || sizes.count > limits.entries
  }

  mutating func remove(_ name: EntryName) {
    total -= sizes.removeValue(forKey: name) ?? 0
    uses[name] = nil
  }

  /// Replaces the recorded sizes with the findings of a scan.
  ///
  /// - Returns: The entries to remove, least recently used first.
  mutating func recount(_ found: [EntryName: Found], _ limits: BoundedStore.Limits) -> [EntryName] {
    sizes = found.mapValues(\.size)
    uses = uses.filter { found[$0.key] != nil }
    total = sizes.values.reduce(0, +)
    left = limits.capacity / 16
    guard total > limits.capacity || sizes.count > limits.entries else { return [] }
    // Make room for more than the next entry, so that not every entry costs a scan.
    let goal = limits.capacity - limits.capacity / 10
    let most = limits.entries - limits.entries / 10
    let order = found.sorted { left, right in
      (uses[left.key] ?? 0, left.value.modified) < (uses[right.key] ?? 0, right.value.modified)
    }
    var gone: [EntryName] = []
    for (name, _) in order {
      guard total > goal || sizes.count > most else { break }
      gone.append(name)
      remove(name)
    }
    return gone
  }
}

/// The names of an entry's files.
struct EntryName: Sendable, Hashable {
  private let hash: UInt64
  private static let entrySuffix = ".entry"
  private static let blobSuffix = ".content"

  init(_ key: String) {
    var key = key
    hash = key.withUTF8 { Checksum(of: UnsafeRawBufferPointer($0)).value }
  }

  /// Reads the name of an entry's file.
  init?(entry file: String) {
    guard Self.isEntry(file), let hash = UInt64(file.dropLast(Self.entrySuffix.count), radix: 16) else { return nil }
    self.hash = hash
  }

  private init(hash: UInt64) { self.hash = hash }

  var entry: String { String(hash, radix: 16) + Self.entrySuffix }
  func blob(_ number: UInt64) -> String {
    String(hash, radix: 16) + "-" + String(number, radix: 16) + Self.blobSuffix
  }

  static func isEntry(_ file: String) -> Bool { file.hasSuffix(entrySuffix) }
  static func isBlob(_ file: String) -> Bool { file.hasSuffix(blobSuffix) }

  /// Reads the name of a content's file.
  static func blob(_ file: String) -> (EntryName, UInt64)? {
    guard isBlob(file) else { return nil }
    let parts = file.dropLast(blobSuffix.count).split(separator: "-")
    guard parts.count == 2, let hash = UInt64(parts[0], radix: 16), let number = UInt64(parts[1], radix: 16) else {
      return nil
    }
    return (EntryName(hash: hash), number)
  }
}
