import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct JournalTests {
  private let files = MemoryFileSystem()

  private func open(
    _ path: String = "/j", limits: Journal.Limits = .init(), in files: (any FileSystem)? = nil
  ) throws(JournalError) -> (journal: Journal, records: [String]) {
    var records: [String] = []
    let journal = try Journal(path, limits: limits, in: files ?? self.files) {
      records.append(String(decoding: $0, as: UTF8.self))
    }
    return (journal, records)
  }

  private func kind(_ body: () throws -> Void) -> JournalError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? JournalError)?.kind
    }
  }

  @Test func `records are read again in the order in which they were appended`() throws {
    let (journal, none) = try open()
    #expect(none.isEmpty)
    for text in ["one", "", "three"] { try journal.append(Data(text.utf8)) }
    let length = journal.length
    journal.close()
    let (again, records) = try open()
    #expect(records == ["one", "", "three"])
    #expect(again.length == length)
    try again.append(Data("four".utf8))
    again.close()
    #expect(try open().records == ["one", "", "three", "four"])
  }

  @Test func `what was synchronized survives a power failure, and a new journal does at once`() throws {
    let (journal, _) = try open()
    try journal.append(Data("kept".utf8))
    try journal.synchronize()
    try journal.append(Data("lost".utf8))
    files.crash()
    #expect(kind { try journal.append(Data()) } == .file)
    #expect(try open().records == ["kept"])
    files.crash()
    #expect(try open().records == ["kept"])
  }

  @Test func `a journal with a record beyond the limit is refused and left as it is`() throws {
    let (journal, _) = try open()
    let texts = (0..<10).map { $0 == 3 ? String(repeating: "x", count: 200_000) : "record \($0)" }
    for text in texts { try journal.append(Data(text.utf8)) }
    try journal.synchronize()
    journal.close()
    let length = try files.status("/j")?.length
    for limit in [0, 100, 199_999] {
      #expect(kind { _ = try open(limits: Journal.Limits(record: limit)) } == .recordTooLong)
      #expect(try files.status("/j")?.length == length)
    }
    let (again, records) = try open(limits: Journal.Limits(record: 200_000))
    #expect(records == texts)
    again.close()
  }

  @Test func `a torn end that announces a record beyond the limit is cut off`() throws {
    let (journal, _) = try open()
    try journal.append(Data("kept".utf8))
    let end = journal.length
    try journal.append(Data(repeating: 7, count: 200_000))
    let whole = journal.length
    journal.close()
    for (cut, damage) in [(whole - 1, nil), (whole, whole - 100), (whole, end + 6), (end + 12, nil)]
      as [(Int64, Int64?)]
    {
      let place = MemoryFileSystem()
      let copy = try place.open("/j", [.write, .create])
      try #require(files.contents(of: "/j")).withUnsafeBytes { try copy.write($0, at: 0) }
      try copy.truncate(to: cut)
      if let damage { try [UInt8(1)].withUnsafeBytes { try copy.write($0, at: damage) } }
      try copy.close()
      let (cutOff, records) = try open(limits: Journal.Limits(record: 100), in: place)
      #expect(records == ["kept"] && cutOff.length == end)
      cutOff.close()
    }
  }

  @Test func `a journal is locked until it is closed`() throws {
    let (journal, _) = try open()
    #expect(kind { _ = try open() } == .inUse)
    try journal.append(Data("a".utf8))
    journal.close()
    #expect(kind { try journal.append(Data()) } == .unavailable)
    #expect(journal.length == 0)
    #expect(try open().records == ["a"])
  }

  @Test func `compaction replaces the records, keeps the lock and goes on`() throws {
    let (journal, _) = try open()
    for number in 0..<100 { try journal.append(Data("\(number)".utf8)) }
    let long = journal.length
    try journal.compact(to: [Data("sum".utf8)])
    #expect(journal.length < long)
    #expect(kind { _ = try open() } == .inUse)
    try journal.append(Data("next".utf8))
    try journal.synchronize()
    files.crash()
    #expect(try open().records == ["sum", "next"])
    #expect(try files.list("/") == ["j"])
  }

  @Test func `a file that was replaced between opening and locking is opened anew`() throws {
    let replaced = ReplacedWhileOpening(files)
    let (old, _) = try open()
    try old.append(Data("old".utf8))
    old.close()
    replaced.meanwhile.withLock { meanwhile in
      meanwhile = { [files] in
        guard let journal = try? Journal("/j", in: files, replay: { _ in }) else { return }
        try? journal.compact(to: [Data("new".utf8)])
      }
    }
    #expect(try open(in: replaced).records == ["new"])
  }

  @Test func `a tail that is torn anywhere is cut off, and the records before it stay`() throws {
    let (journal, _) = try open()
    var ends: [Int64] = []
    for text in ["first", "second", "third"] {
      try journal.append(Data(text.utf8))
      ends.append(journal.length)
    }
    journal.close()
    let whole = try #require(files.contents(of: "/j"))
    for length in 24...whole.count {
      let copy = MemoryFileSystem()
      try put(whole.prefix(length), in: copy)
      let expected = ends.filter { $0 <= length }.count
      let (cut, records) = try open(in: copy)
      #expect(records == Array(["first", "second", "third"].prefix(expected)))
      #expect(copy.contents(of: "/j")?.count == Int(cut.length), "nothing is left behind the records")
      try cut.append(Data("after".utf8))
      cut.close()
      #expect(try open(in: copy).records.last == "after")
    }
  }

  @Test func `a changed byte ends the reading at its record and never changes a record`() throws {
    let (journal, _) = try open()
    let texts = ["first", "second", "third"]
    for text in texts { try journal.append(Data(text.utf8)) }
    journal.close()
    let whole = try #require(files.contents(of: "/j"))
    for offset in whole.indices {
      for bit in [UInt8(1), 0x80] {
        var bytes = whole
        bytes[offset] ^= bit
        let copy = MemoryFileSystem()
        try put(bytes[...], in: copy)
        do {
          let records = try open(in: copy).records
          #expect(offset >= 24)
          #expect(records.count < 3)
          #expect(records == Array(texts.prefix(records.count)))
        } catch {
          #expect(offset < 24)
          #expect([.notAJournal, .unsupportedVersion].contains(error.kind))
          #expect(copy.contents(of: "/j") == bytes)
        }
      }
    }
  }

  @Test func `another file, a link, a directory and a later version are refused and left alone`() throws {
    for text in ["hello", "{\"a\":1}", "CURLEW", String(repeating: "\0", count: 100)] {
      let copy = MemoryFileSystem()
      try put(Array(text.utf8)[...], in: copy)
      #expect(kind { _ = try open(in: copy) } == .notAJournal)
      #expect(copy.contents(of: "/j") == Array(text.utf8))
    }
    var later = try #require(try journalBytes())
    later[7] = UInt8(ascii: "2")
    let copy = MemoryFileSystem()
    try put(later[...], in: copy)
    #expect(kind { _ = try open(in: copy) } == .unsupportedVersion)
    try files.createDirectory("/d")
    #expect(kind { _ = try open("/d") } == .notAJournal)
    #expect(kind { _ = try open("/nowhere/j") } == .file)
  }

  @Test func `an empty file becomes a journal`() throws {
    try put([], in: files)
    let (journal, _) = try open()
    try journal.append(Data("a".utf8))
    journal.close()
    #expect(try open().records == ["a"])
  }

  @Test func `the limits of a record and of the file are kept, and compaction makes room`() throws {
    let limits = Journal.Limits(record: 100, file: 300)
    let (journal, _) = try open(limits: limits)
    #expect(kind { try journal.append(Data(count: 101)) } == .recordTooLong)
    try journal.append(Data(count: 100))
    try journal.append(Data(count: 100))
    #expect(kind { try journal.append(Data(count: 100)) } == .full)
    #expect(kind { try journal.compact(to: [Data(count: 101)]) } == .recordTooLong)
    #expect(kind { try journal.compact(to: [Data](repeating: Data(count: 100), count: 3)) } == .full)
    #expect(try files.list("/") == ["j"])
    try journal.compact(to: [])
    try journal.append(Data(count: 100))
    journal.close()
    #expect(try open(limits: limits).records.count == 1)
    #expect(kind { _ = try open(limits: Journal.Limits(file: 30)) } == .full)
  }

  @Test func `an append that fails leaves the journal as it was and usable`() throws {
    let failing = FailingFileSystem(over: files)
    let (journal, _) = try open(in: failing)
    try journal.append(Data("a".utf8))
    failing.fail(FileFault(.write, code: ENOSPC, bytesWritten: 30))
    #expect(kind { try journal.append(Data("never, as the disk is full".utf8)) } == .file)
    try journal.append(Data("b".utf8))
    #expect(files.contents(of: "/j")?.count == Int(journal.length), "nothing is left behind the next record")
    journal.close()
    #expect(try open().records == ["a", "b"])
  }

  @Test func `after a failed synchronization only compaction makes records durable again`() throws {
    let failing = FailingFileSystem(over: files)
    let (journal, _) = try open(in: failing)
    try journal.append(Data("a".utf8))
    failing.fail(FileFault(.synchronize))
    #expect(kind { try journal.synchronize() } == .file)
    #expect(kind { try journal.synchronize() } == .file)
    try journal.compact(to: [Data("a".utf8)])
    try journal.synchronize()
    files.crash()
    #expect(try open().records == ["a"])
  }

  @Test func `bytes of a payload that look like records are never read as records`() throws {
    let forged = try #require(try journalBytes())
    let (journal, _) = try open()
    try journal.append(Data("a".utf8))
    // A torn record whose payload holds whole records of another journal.
    try journal.append(Data(forged))
    journal.close()
    let whole = try #require(files.contents(of: "/j"))
    for length in 24..<whole.count {
      let copy = MemoryFileSystem()
      try put(whole.prefix(length), in: copy)
      #expect(try open(in: copy).records.allSatisfy { $0 == "a" })
    }
  }

  @Test func `what a process that was killed has left of a journal is taken over, and removed with it`() throws {
    let left = "/j-new"
    try [UInt8]("half a hea".utf8).withUnsafeBytes { try files.open(left, [.write, .create]).write($0, at: 0) }
    #expect(try Journal.isLeft(at: "/j", in: files))
    let (journal, _) = try open()
    #expect(try files.list("/") == ["j"])
    try journal.append(Data("a".utf8))
    // As a compaction leaves it.
    _ = try files.open(left, [.write, .create])
    try journal.remove()
    #expect(try files.list("/") == [])
    #expect(try !Journal.isLeft(at: "/j", in: files))
  }

  @Test func `a journal that another process is making is in use`() throws {
    let other = try files.open("/j-new", [.write, .create])
    #expect(try other.tryLock())
    #expect(kind { _ = try open() } == .inUse)
    try other.close()
    #expect(try open().records.isEmpty)
    let missing = kind { _ = try open("/none/j") }
    #expect(missing == .file)
  }

  @Test func `removing takes the file away`() throws {
    let (journal, _) = try open()
    try journal.append(Data("a".utf8))
    try journal.remove()
    #expect(try files.list("/").isEmpty)
    #expect(try open().records.isEmpty)
  }

  private func journalBytes() throws -> [UInt8]? {
    let copy = MemoryFileSystem()
    let (journal, _) = try open(in: copy)
    for text in ["x", "y", "z"] { try journal.append(Data(text.utf8)) }
    return copy.contents(of: "/j")
  }

  private func put(_ bytes: ArraySlice<UInt8>, in files: MemoryFileSystem) throws {
    let file = try files.open("/j", [.write, .create, .truncate])
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    try file.synchronize()
    try files.synchronizeDirectory("/")
  }
}

/// A file system where something happens once between opening a file and locking it.
private final class ReplacedWhileOpening: FileSystem {
  private let files: any FileSystem
  let meanwhile = Guarded<(@Sendable () -> Void)?>(nil)

  init(_ files: any FileSystem) { self.files = files }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    let file = try files.open(path, options)
    let action = meanwhile.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
    return file
  }
  func status(_ path: String) throws(FileSystemError) -> FileStatus? { try files.status(path) }
  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? { try files.linkStatus(path) }
  func resolved(_ path: String) throws(FileSystemError) -> String { try files.resolved(path) }
  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    try files.rename(path, to: newPath, replacing: replacing)
  }
  func remove(_ path: String) throws(FileSystemError) { try files.remove(path) }
  func createDirectory(_ path: String) throws(FileSystemError) { try files.createDirectory(path) }
  func list(_ path: String) throws(FileSystemError) -> [String] { try files.list(path) }
  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try files.synchronizeDirectory(path) }
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 { try files.availableBytes(path) }
}
