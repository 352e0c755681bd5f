import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// The bytes of an unfinished download, and the journal that describes them.
///
/// The file always contains the beginning of one version of the entity: bytes are appended, and it is truncated before other
/// bytes are written. The journal is opened first and closed last, and its lock excludes other downloads.
// Safe because only the disk's thread calls it, one piece of work after another.
final class PartialFile: @unchecked Sendable {
  /// How often received bytes are made durable.
  struct SyncInterval: Sendable, Hashable {
    var bytes: Int64
    var interval: Duration
    /// The number of bytes at the beginning of a file that stay in the system's cache.
    ///
    /// The rest leaves it as soon as it is durable, so that a large download does not displace what other programs use.
    var cachedBytes: Int64 = 256 << 20
    /// Whether no byte is made durable, and no record vouches for one after a power failure.
    var isOff = false
  }

  /// The size at which the journal is rewritten with only its last record.
  private static let longestJournal: Int64 = 262_144

  let place: PartialPlace
  let files: any FileSystem
  let journal: Journal
  private let disk: DownloadDisk
  private let clock: any NetworkClock
  private let boot: String?
  let syncInterval: SyncInterval
  private(set) var file: (any OpenFile)?
  /// The last record; nil until any process has accepted an entity.
  private(set) var record: PartialRecord?
  /// The number of bytes that are valid while the machine runs.
  private(set) var length: Int64 = 0
  /// The digest of the bytes; nil until a response or the app requires one.
  var digest: RunningDigest?
  /// Whether the file already has its name.
  var isPublished = false
  /// The most bytes for which a journal record may vouch after a power failure.
  ///
  /// The failure can restore a record even if its file is gone.
  private var vouched: Int64 = 0
  private var lastDurable: ContinuousClock.Instant
  private var lastJournal: ContinuousClock.Instant?
  /// The end of the bytes that stay in the system's cache or were removed from it.
  private var released: Int64

  /// Takes the lock and reads the existing file and journal.
  ///
  /// - Throws: `JournalError`, of kind `inUse` if another download has the lock; `FileSystemError`.
  init(_ place: PartialPlace, on disk: DownloadDisk, syncInterval: SyncInterval) throws {
    self.place = place
    self.syncInterval = syncInterval
    released = syncInterval.cachedBytes
    self.disk = disk
    files = disk.files
    clock = disk.clock
    boot = disk.bootIdentifier
    lastDurable = disk.clock.now
    var last: PartialRecord?
    let wholeJournal = try files.linkStatus(place.journal)?.length ?? 0
    journal = try Journal(
      place.journal, limits: Journal.Limits(record: PartialRecord.limit, file: 4 << 20), in: files
    ) { last = PartialRecord($0) ?? last }
    do {
      try read(last, isDamaged: journal.length < wholeJournal)
    } catch {
      journal.close()
      throw error
    }
  }

  /// Opens the bytes that a record describes.
  ///
  /// - Parameter isDamaged: Whether the end of the journal was cut off because it could not be read.
  private func read(_ last: PartialRecord?, isDamaged: Bool) throws {
    vouched = last?.durable ?? 0
    let status = try files.linkStatus(place.data)
    guard status?.kind ?? .regular == .regular else {
      throw FileSystemError(code: EINVAL, operation: "open", path: place.data)
    }
    guard let status else { return }
    let file: any OpenFile
    do {
      file = try opened([.read, .write, .noFollow])
    } catch let error as FileSystemError where error.code == EACCES && status.permissions & 0o200 == 0 {
      // The process was killed after it had set a mode without write permission and before it renamed the file.
      try files.remove(place.data)
      return
    }
    self.file = file
    // This fails for a file of another user, who could change its bytes at any time.
    try file.setPermissions(status.permissions)
    guard let last else { return }
    // After a restart, the record before a lost one is right, since it was durable before bytes were overwritten. Otherwise nothing
    // was lost, so the record was damaged, and it may have described another version of the file.
    if isDamaged, boot != nil, last.boot == boot { return }
    record = last
    length = last.trusted(length: status.length, boot: boot)
    // Cut off untrusted bytes before a record of this boot vouches for the length.
    if length < status.length { try file.truncate(to: length) }
    if last.boot != boot || last.durable > length {
      record?.boot = boot
      record?.durable = min(last.durable, length)
      try append()
      if last.durable > length { try journal.synchronize() }
    }
  }

  /// Opens and locks the partial file.
  ///
  /// Its lock excludes other downloads even if someone removes the journal, whose lock would then be lost.
  private func opened(_ options: FileOpenOptions) throws -> any OpenFile {
    let file = try files.open(place.data, options)
    guard try file.tryLock() else { throw JournalError(.inUse, path: place.journal) }
    return file
  }

  /// Forgets the bytes and begins with another version of the entity.
  ///
  /// - Parameter isPrivate: Whether only the owner may read the file until it is published. If false, it has the default mode
  ///   of new files.
  func begin(_ new: PartialRecord, isPrivate: Bool = false) throws {
    vouched = max(vouched, record?.durable ?? 0)
    let options: FileOpenOptions = [.read, .write, .create, .noFollow]
    let file = try file ?? opened(isPrivate ? options : options.union(.ordinaryMode))
    self.file = file
    if isPrivate { try restrict() }
    length = 0
    released = syncInterval.cachedBytes
    digest?.cut(to: 0)
    try file.truncate(to: 0)
    record = new
    record?.durable = 0
    record?.boot = boot
    try append()
    // A power failure must not restore a record that vouches for bytes that are about to be overwritten.
    if vouched > 0 { try journal.synchronize() }
    vouched = 0
    lastDurable = clock.now
  }

  /// Truncates the file to a smaller length.
  func cut(to newLength: Int64) throws {
    guard newLength < length, let file else { return }
    length = newLength
    released = min(released, max(newLength, syncInterval.cachedBytes))
    digest?.cut(to: newLength)
    try file.truncate(to: newLength)
    guard let durable = record?.durable, durable > newLength else { return }
    record?.durable = newLength
    try append()
    try journal.synchronize()
  }

  /// Records what a response says about the entity whose bytes are kept.
  func note(_ change: (inout PartialRecord) -> Void) throws {
    guard var new = record else { return }
    change(&new)
    guard new != record else { return }
    record = new
    try append()
  }

  /// Makes the file private, even if an earlier download left it readable.
  func restrict() throws { try file?.setPermissions(0o600) }

  /// Reserves space for the whole file.
  func reserve(_ total: Int64) throws { try file?.preallocate(total) }

  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { throw FileSystemError(code: EBADF, operation: "pwrite", path: place.data) }
    try checkLength(file.length())
    try file.write(bytes, at: length)
    digest?.absorb(bytes, at: length)
    length += Int64(bytes.count)
  }

  /// Throws if another program has shortened the file, which a later write would hide.
  func checkLength(_ found: Int64) throws {
    guard found < length else { return }
    length = found
    digest?.cut(to: found)
    throw DownloadError.shortened(place.data)
  }

  /// Makes the bytes durable if their number or the elapsed time requires it.
  func makeDurableIfDue() throws {
    let waiting = length - (record?.durable ?? 0)
    guard !syncInterval.isOff, waiting > 0 else { return }
    if waiting < syncInterval.bytes {
      let now = clock.now
      guard lastDurable.duration(to: now) >= syncInterval.interval, disk.maySynchronize(at: now) else { return }
    }
    try disk.synchronizing(restingUpTo: syncInterval.interval) { try makeDurable() }
  }

  /// Makes the bytes durable, and then the record that vouches for them.
  ///
  /// The record itself is made durable at most once in each interval. A fast download therefore costs one synchronization for
  /// each portion instead of two, and a power failure costs the bytes of one interval.
  func makeDurable(withRecord isLast: Bool = false) throws {
    guard !syncInterval.isOff, let file, let durable = record?.durable else { return }
    if length > durable {
      do {
        try file.synchronize()
      } catch {
        // The system may have dropped any byte since the last success.
        length = durable
        digest?.cut(to: length)
        try? file.truncate(to: length)
        throw error
      }
      record?.durable = length
      if length > released {
        file.releaseCache(from: released, to: length)
        released = length
      }
      try append()
    }
    let now = clock.now
    lastDurable = now
    let isDue = lastJournal.map { $0.duration(to: now) >= syncInterval.interval } ?? true
    guard isLast || isDue else { return }
    lastJournal = now
    try journal.synchronize()
  }

  private func append() throws {
    guard let record else { return }
    let bytes = try record.encoded()
    if journal.length > Self.longestJournal {
      try journal.compact(to: [bytes])
    } else {
      try journal.append(bytes)
    }
  }

  /// Closes the file and releases the lock.
  ///
  /// - Parameter keeps: Whether to keep the bytes so that another download can resume.
  func close(keeping keeps: Bool) {
    // Ignore errors: the kept bytes do not depend on them.
    if keeps {
      try? makeDurable(withRecord: true)
      journal.close()
    } else {
      remove()
    }
    try? file?.close()
    file = nil
  }

  private func remove() {
    // Once the file has its name, a file at the old name belongs to another download. Otherwise it is ours, even if a crash
    // left it without a record.
    if !isPublished { try? files.remove(place.data) }
    do { try journal.remove() } catch { journal.close() }
  }

  /// Whether another download can resume with the bytes.
  var isResumable: Bool { !isPublished && length > 0 && record?.validator != nil }
}

/// The paths of a partial file and its journal.
///
/// Both are hidden, in the directory of the final file.
struct PartialPlace: Sendable, Hashable {
  private static let mostBytes = 255
  /// The number of bytes that a `Journal` appends to name its replacement.
  private static let journalSuffix = 4

  /// The directory.
  let directory: String
  /// The path of the partial file.
  let data: String
  /// The path of the journal, which is also the lock.
  let journal: String

  /// Creates the paths beside a file.
  init(beside path: String) {
    let start = PathText.lastName(path)
    let above = path.utf8[..<start].dropLast()
    let directory = start == path.startIndex ? "." : above.isEmpty ? "/" : String(above) ?? "."
    self.init(in: directory, named: String(path[start...]))
  }

  /// Creates the paths in a directory, for a file whose name is not known yet.
  init(in directory: String, identifier: String) {
    self.init(in: directory, named: DownloadURL.fingerprint(identifier))
  }

  private init(in directory: String, named name: String) {
    let suffixes = (data: ".curlew-part", journal: ".curlew-state")
    // A name that is too long with the suffix is replaced by its fingerprint.
    let isTooLong = 1 + name.utf8.count + suffixes.journal.utf8.count + Self.journalSuffix > Self.mostBytes
    let start = (directory == "/" ? "/." : directory + "/.") + (isTooLong ? DownloadURL.fingerprint(name) : name)
    self.directory = directory
    data = start + suffixes.data
    journal = start + suffixes.journal
  }
}
