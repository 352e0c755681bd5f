public import CurlewCore
public import FoundationEssentials
import Glibc

/// Entries under keys in a directory, within a number of bytes, whole or not at all.
///
/// An entry is a header and a content. It appears as a whole when its writer commits, and what is read was written
/// together: every byte is under a checksum, and an entry that is torn, rotten or of another key is not there. So after
/// the process, or the machine, ended at any instant each entry is the old one, the new one or none, and the directory
/// opens. Several processes may use it at once.
///
/// Nothing is synchronized to the disk: it is for what can be got again. The entries used longest ago go when the bytes
/// exceed the capacity; how recently counts within one process, else since the entry was written. Calls may block on the
/// disk; safe from any isolation.
public final class BoundedStore: Sendable {
  /// How much it keeps.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of all files together, 0…; passed by what is being written until it is committed.
    public var capacity: Int64
    /// The most bytes of one content, 0….
    public var content: Int64
    /// The most entries, 1….
    public var entries: Int

    /// Makes limits.
    ///
    /// - Parameter content: nil is a tenth of the capacity.
    public init(capacity: Int64, content: Int64? = nil, entries: Int = 100_000) {
      self.capacity = max(0, capacity)
      self.content = max(0, content ?? capacity / 10)
      self.entries = max(1, entries)
    }
  }

  /// The directory.
  public let directory: String
  /// How much it keeps.
  public let limits: Limits
  let files: any FileSystem
  private let census = Guarded(StoreCensus())

  /// Opens a store; the directory is made where it is not there.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be made.
  public init(
    _ directory: String, limits: Limits, in files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    try files.createDirectory(directory)
    self.directory = directory
    self.limits = limits
    self.files = files
  }

  /// The entry under a key; nil when there is none, or none that is whole.
  ///
  /// All of the content is checked first.
  public func entry(for key: String) -> StoredEntry? {
    let name = EntryName(key)
    // What is not whole is left to be replaced: it could be whole again by the time it is removed.
    guard let file = try? files.open(path(name.entry), [.read, .noFollow]),
      let entry = try? StoredEntry(key, file, self)
    else { return nil }
    census.withLock { $0.use(name) }
    return entry
  }

  /// Starts an entry.
  ///
  /// - Parameter length: How many bytes its content will have at most; nil when not known. The file of a content that is
  ///   long, or could be, is made here, so that `EntryWriter.append` only writes.
  public func begin(expecting length: Int64? = nil) -> EntryWriter { EntryWriter(self, expecting: length) }

  /// Gives an entry another header; the content stays.
  ///
  /// What was put under the key since the entry was read is replaced as well.
  ///
  /// - Throws: `FileSystemError`.
  public func replace(_ entry: StoredEntry, under key: String, header: Data) throws(FileSystemError) {
    guard key.utf8.count + header.count <= EntryFile.headLimit else {
      throw FileSystemError(code: EFBIG, operation: "store", path: "")
    }
    try write(
      EntryFile(key: key, header: header, body: entry.body), under: EntryName(key), superseding: entry.body.blob)
  }

  /// Removes the entry under a key; one that is not there is no error.
  public func remove(_ key: String) {
    let name = EntryName(key)
    removeEntry(name)
    census.withLock { $0.remove(name) }
  }

  /// Removes all entries.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be listed.
  public func removeAll() throws(FileSystemError) {
    // Entries first: contents without one are nobody's.
    let names = try files.list(directory)
    for name in names where EntryName.isEntry(name) { try? files.remove(path(name)) }
    for name in names where EntryName.isBlob(name) { try? files.remove(path(name)) }
    census.withLock { $0 = StoreCensus() }
  }

  func path(_ name: String) -> String { directory + "/" + name }

  /// Puts a complete entry in the place of what stood under its name.
  ///
  /// - Parameter superseding: A content that stays although the entry that had it goes.
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

  /// The number of the content that an entry has outside itself.
  private func blob(of name: EntryName) -> UInt64? {
    guard let file = try? files.open(path(name.entry), [.read, .noFollow]) else { return nil }
    return EntryFile.blob(of: file)
  }

  private func removeEntry(_ name: EntryName) {
    let old = blob(of: name)
    try? files.remove(path(name.entry))
    if let old { try? files.remove(path(name.blob(old))) }
  }

  /// Counts what is there, removes what nobody has, and the least recently used above the capacity.
  ///
  /// One process does it at a time; another one that finds it being done leaves it.
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
        // Of an entry that was replaced, or that another process is about to write; then it is not stored.
        try? files.remove(path(content.file))
      }
    }
    for name in census.withLock({ $0.recount(found, limits) }) { removeEntry(name) }
  }
}
