import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// The bytes of an unfinished download and the journal that says what they are worth.
///
/// The file always holds the beginning of one version of the entity: what is written goes to its end, and it is cut before
/// anything else is written. The journal is opened first and closed last, and its lock keeps others away.
// Safe because only the disk's thread calls it, one piece of work after another.
final class PartialFile: @unchecked Sendable {
  /// When bytes are made durable while they come.
  struct Rhythm: Sendable, Hashable {
    var bytes: Int64
    var interval: Duration
  }

  /// The journal is rewritten with its last record alone when it has grown to this.
  private static let longestJournal: Int64 = 262_144

  let place: PartialPlace
  let files: any FileSystem
  let journal: Journal
  private let disk: DownloadDisk
  private let clock: any NetworkClock
  private let boot: String?
  private let rhythm: Rhythm
  private(set) var file: (any OpenFile)?
  /// Nil until an entity was accepted, in this process or an earlier one.
  private(set) var record: PartialRecord?
  /// How many bytes can be relied on while the machine runs.
  private(set) var length: Int64 = 0
  /// The digest of the bytes, once it is known that one is needed.
  var digest: RunningDigest?
  /// Whether the file has its name already.
  var isPublished = false
  /// How many bytes a record vouches for that a power failure may bring back, also where their file is gone.
  private var vouched: Int64 = 0
  private var lastDurable: ContinuousClock.Instant
  private var lastJournal: ContinuousClock.Instant?

  /// Takes the lock and reads what there is.
  ///
  /// - Throws: `JournalError`, of kind `inUse` where another download has the lock; `FileSystemError`.
  init(_ place: PartialPlace, on disk: DownloadDisk, rhythm: Rhythm) throws {
    self.place = place
    self.rhythm = rhythm
    self.disk = disk
    files = disk.files
    clock = disk.clock
    boot = disk.bootIdentifier
    lastDurable = disk.clock.now
    var last: PartialRecord?
    journal = try Journal(
      place.journal, limits: Journal.Limits(record: PartialRecord.limit, file: 4 << 20), in: files
    ) { last = PartialRecord($0) ?? last }
    do {
      try read(last)
    } catch {
      journal.close()
      throw error
    }
  }

  private func read(_ last: PartialRecord?) throws {
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
      // The process was killed after the file had got a mode by which nobody may write, and before it got its name.
      try files.remove(place.data)
      return
    }
    self.file = file
    // Fails for a file of another user, who could change its bytes at any time.
    try file.setPermissions(status.permissions)
    guard let last else { return }
    record = last
    length = last.trusted(length: status.length, boot: boot)
    // Bytes that cannot be relied on are cut off before a record of this start of the machine vouches for the length.
    if length < status.length { try file.truncate(to: length) }
    if last.boot != boot || last.durable > length {
      record?.boot = boot
      record?.durable = min(last.durable, length)
      try append()
      if last.durable > length { try journal.synchronize() }
    }
  }

  /// Opens the partial file and locks it too, so that it stays with one download even where somebody removes the journal.
  private func opened(_ options: FileOpenOptions) throws -> any OpenFile {
    let file = try files.open(place.data, options)
    guard try file.tryLock() else { throw JournalError(.inUse, path: place.journal) }
    return file
  }

  /// Forgets the bytes and begins with another version of the entity.
  ///
  /// - Parameter isPrivate: Whether only the owner may read the file until it is published; otherwise it has the mode of
  ///   files that other programs make.
  func begin(_ new: PartialRecord, isPrivate: Bool = false) throws {
    vouched = max(vouched, record?.durable ?? 0)
    let options: FileOpenOptions = [.read, .write, .create, .noFollow]
    let file = try file ?? opened(isPrivate ? options : options.union(.ordinaryMode))
    self.file = file
    if isPrivate { try restrict() }
    length = 0
    digest?.cut(to: 0)
    try file.truncate(to: 0)
    record = new
    record?.durable = 0
    record?.boot = boot
    try append()
    // A power failure must not bring back a record that vouches for bytes that are about to be overwritten.
    if vouched > 0 { try journal.synchronize() }
    vouched = 0
    lastDurable = clock.now
  }

  /// Cuts the bytes to a length that they have.
  func cut(to newLength: Int64) throws {
    guard newLength < length, let file else { return }
    length = newLength
    digest?.cut(to: newLength)
    try file.truncate(to: newLength)
    guard let durable = record?.durable, durable > newLength else { return }
    record?.durable = newLength
    try append()
    try journal.synchronize()
  }

  /// Notes what a response says of the entity whose bytes are kept.
  func note(_ change: (inout PartialRecord) -> Void) throws {
    guard var new = record else { return }
    change(&new)
    guard new != record else { return }
    record = new
    try append()
  }

  /// Lets only the owner read the file, also where an earlier download has left it readable.
  func restrict() throws { try file?.setPermissions(0o600) }

  /// Reserves space for the whole.
  func reserve(_ total: Int64) throws { try file?.preallocate(total) }

  /// Adds bytes at the end.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { throw FileSystemError(code: EBADF, operation: "pwrite", path: place.data) }
    try file.write(bytes, at: length)
    digest?.absorb(bytes, at: length)
    length += Int64(bytes.count)
  }

  /// Makes the bytes durable when enough of them came, or enough time passed.
  func makeDurableIfDue() throws {
    let waiting = length - (record?.durable ?? 0)
    guard waiting > 0 else { return }
    if waiting < rhythm.bytes {
      let now = clock.now
      guard lastDurable.duration(to: now) >= rhythm.interval, disk.maySynchronize(at: now) else { return }
    }
    try disk.synchronizing(restingUpTo: rhythm.interval) { try makeDurable() }
  }

  /// Makes the bytes durable, then the record that says so.
  ///
  /// The record itself is made durable at most once in each interval, so that a fast download costs one synchronization for
  /// each portion and not two; a power failure then costs what came since.
  func makeDurable(withRecord isLast: Bool = false) throws {
    guard let file, let durable = record?.durable else { return }
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
      try append()
    }
    let now = clock.now
    lastDurable = now
    let isDue = lastJournal.map { $0.duration(to: now) >= rhythm.interval } ?? true
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

  /// Ends the work and gives the lock up.
  ///
  /// - Parameter keeps: Whether the bytes stay, for another download to go on with.
  func close(keeping keeps: Bool) {
    // Nothing that is kept depends on what fails here.
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
    // Once the file has its name, what is at the old one belongs to another download. Otherwise it is ours, also where a
    // crash has left it without a record.
    if !isPublished { try? files.remove(place.data) }
    do { try journal.remove() } catch { journal.close() }
  }

  /// Whether another download can go on with the bytes.
  var isResumable: Bool { !isPublished && length > 0 && record?.validator != nil }
}
