import CurlewCore
import FoundationEssentials
import Glibc

/// Finds or creates the file of a journal, locks it and reads it.
struct JournalOpening {
  let path: String
  let limits: Journal.Limits
  let files: any FileSystem
  var refusesDamage = false
  /// How often the file may be replaced before it counts as in use.
  ///
  /// It can be replaced between opening and locking it.
  private static let mostReplacements = 16

  func open(_ replay: (Data) -> Void) throws(JournalError) -> Journal.Contents {
    for _ in 0..<Self.mostReplacements {
      if let contents = try existing(replay) { return contents }
      if let contents = try created() { return contents }
    }
    throw JournalError(.inUse, path: path)
  }

  /// Opens, locks and reads the file at the path.
  ///
  /// Nil when it does not exist, or when it lost its name before it was locked.
  private func existing(_ replay: (Data) -> Void) throws(JournalError) -> Journal.Contents? {
    guard let status = try call({ () throws(FileSystemError) in try files.linkStatus(path) }) else { return nil }
    // A symbolic link would lock another file than the path names; a pipe or a device has no offsets.
    guard status.kind == .regular else { throw JournalError(.notAJournal, path: path) }
    let file: any OpenFile
    do throws(FileSystemError) {
      file = try files.open(path, [.read, .write, .noFollow])
    } catch {
      if error.code == ENOENT { return nil }
      throw JournalError(.file, path: path, underlying: error)
    }
    guard try call({ () throws(FileSystemError) in try file.tryLock() }) else {
      throw JournalError(.inUse, path: path)
    }
    // A compaction or removal in the meantime leaves this file without its name.
    let isStillThere = try call { () throws(FileSystemError) in
      try files.linkStatus(path)?.identity == file.status().identity
    }
    return isStillThere ? try read(file, replay) : nil
  }

  private func read(_ file: any OpenFile, _ replay: (Data) -> Void) throws(JournalError) -> Journal.Contents {
    let (length, start) = try call { () throws(FileSystemError) in
      (try file.length(), try file.data(in: 0..<Int64(JournalFormat.headerLength)))
    }
    // The file may have been created empty in advance, to set its permissions.
    guard length > 0 else { return try replace(with: EmptyCollection()) }
    guard length <= limits.file else { throw JournalError(.full, path: path) }
    switch start.withUnsafeBytes({ JournalFormat.header($0) }) {
    case .foreign: throw JournalError(.notAJournal, path: path)
    case .laterVersion: throw JournalError(.unsupportedVersion, path: path)
    case .journal(let format):
      var reader = JournalReader(file, format, recordLimit: limits.record)
      var isDamaged = false
      try call { () throws(FileSystemError) in
        // The process that created the file may have ended before its name was durable.
        try files.synchronizeDirectory(TemporaryName.directory(of: path))
        while let record = try reader.next() { replay(record) }
      }
      // What follows is durable, and only this process is not allowed to read it.
      guard !reader.isStoppedByLimit else { throw JournalError(.recordTooLong, path: path) }
      try call { () throws(FileSystemError) in
        guard reader.end < length else { return }
        isDamaged = refusesDamage ? try reader.hasRecordBehindDamage(upTo: length) : false
        guard !isDamaged else { return }
        try file.truncate(to: reader.end)
        // Otherwise a crash could bring old bytes back after a record that is appended now.
        try file.synchronize()
      }
      guard !isDamaged else { throw JournalError(.damaged, path: path) }
      return Journal.Contents(file: file, format: reader.format, end: reader.end)
    }
  }

  /// Creates an empty journal; nil when another process created one first.
  private func created() throws(JournalError) -> Journal.Contents? {
    do throws(JournalError) {
      return try written(EmptyCollection(), replacing: false)
    } catch {
      // Another process creates the journal, has created it, or has removed what an earlier one left behind.
      let isOvertaken = error.underlying.map { error in
        [EEXIST, EWOULDBLOCK].contains(error.code) || error.code == ENOENT && error.operation == "rename"
      }
      guard isOvertaken == true else { throw error }
      return nil
    }
  }

  /// Writes a journal of the given records in place of the old one.
  func replace(with records: some Sequence<Data>) throws(JournalError) -> Journal.Contents {
    try written(records, replacing: true)
  }

  /// Writes a locked, durable file beside the path and gives it its name.
  private func written(
    _ records: some Sequence<Data>, replacing: Bool
  ) throws(JournalError) -> Journal.Contents {
    var format = JournalFormat(salt: .random(in: .min ... .max))
    var end = Int64(JournalFormat.headerLength)
    let header = format.header
    let writer = try call { () throws(FileSystemError) in
      let writer = try AtomicFileWriter(AtomicFile(path, in: files), at: TemporaryName.besideJournal(path))
      try writer.append(Data(header))
      return writer
    }
    for record in records {
      guard record.count <= limits.record else { throw JournalError(.recordTooLong, path: path) }
      let bytes = record.withUnsafeBytes { format.record($0) }
      guard Int64(bytes.count) <= max(limits.file, 0) - end else { throw JournalError(.full, path: path) }
      end += Int64(bytes.count)
      try call { () throws(FileSystemError) in try writer.append(bytes) }
    }
    let file = try call { () throws(FileSystemError) in try writer.publish(replacing: replacing) }
    // The writer's lock is optional; a journal requires it.
    guard try call({ () throws(FileSystemError) in try file.tryLock() }) else {
      throw JournalError(.inUse, path: path)
    }
    return Journal.Contents(file: file, format: format, end: end)
  }

  private func call<Result>(_ body: () throws(FileSystemError) -> Result) throws(JournalError) -> Result {
    do throws(FileSystemError) { return try body() } catch {
      throw JournalError(.file, path: path, underlying: error)
    }
  }
}
