import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite struct AtomicFileTests {
  private let memory = MemoryFileSystem()
  private let old = Data("old".utf8)
  private let new = Data("new and longer".utf8)

  /// A file with old content, behind a file system that can fail.
  private func prepared(_ durability: AtomicFile.Durability = .powerFailure) throws -> (AtomicFile, FailingFileSystem) {
    try memory.createDirectory("/d")
    let failing = FailingFileSystem(over: memory)
    let file = AtomicFile("/d/file", durability: durability, in: failing)
    try file.write(old)
    return (file, failing)
  }

  @Test func `what is written is read back, and nothing else is left`() throws {
    let (file, _) = try prepared()
    #expect(try file.read(upTo: 100) == old)
    try file.write(new)
    #expect(try file.read(upTo: 100) == new)
    try file.write(Data())
    #expect(try file.read(upTo: 0) == Data())
    #expect(try memory.list("/d") == ["file"])
    #expect(memory.openFiles == 0)
  }

  @Test func `a pipe or a device keeps its place`() throws {
    let directory = "/tmp/curlew-pipe-\(UInt64.random(in: .min ... .max))"
    let (files, path) = (LocalFileSystem(), directory + "/pipe")
    try files.createDirectory(directory)
    try #require(mkfifo(path, 0o600) == 0)
    defer {
      unlink(path)
      rmdir(directory)
    }
    let error = #expect(throws: FileSystemError.self) { try AtomicFile(path).write(new) }
    #expect(error?.code == EINVAL)
    #expect(try files.status(path)?.kind == .other)
    #expect(try files.list(directory) == ["pipe"])
  }

  @Test func `no file is nil, and one beyond the limit is an error`() throws {
    let (file, _) = try prepared()
    #expect(try AtomicFile("/d/none", in: memory).read(upTo: 1) == nil)
    let error = #expect(throws: FileSystemError.self) { try file.read(upTo: 2) }
    #expect(error?.code == EFBIG)
  }

  @Test func `pieces make one file, which appears when it is complete`() throws {
    let (file, _) = try prepared()
    let writer = try file.begin()
    for piece in ["a", "", "bc"] { try Array(piece.utf8).withUnsafeBytes { try writer.append($0) } }
    #expect(writer.length == 3)
    #expect(try file.read(upTo: 10) == old)
    try writer.commit()
    #expect(try file.read(upTo: 10) == Data("abc".utf8))
  }

  @Test func `a discarded or dropped writer leaves nothing`() throws {
    let (file, _) = try prepared()
    let writer = try file.begin()
    try Array("x".utf8).withUnsafeBytes { try writer.append($0) }
    writer.discard()
    #expect(throws: FileSystemError.self) { try writer.commit() }
    #expect(throws: FileSystemError.self) { try Array("x".utf8).withUnsafeBytes { try writer.append($0) } }
    _ = try file.begin()
    #expect(try memory.list("/d") == ["file"])
    #expect(try file.read(upTo: 10) == old)
  }

  @Test func `a full disk leaves the old file whole and no other`() throws {
    let (file, failing) = try prepared()
    failing.fill(after: 4)
    let error = #expect(throws: FileSystemError.self) { try file.write(new) }
    #expect(error?.isDiskFull == true)
    failing.heal()
    #expect(try file.read(upTo: 100) == old)
    #expect(try memory.list("/d") == ["file"])
  }

  @Test(arguments: [FileFault.Operation.open, .write, .synchronize, .rename])
  func `a failing call leaves the old file whole and no other`(_ operation: FileFault.Operation) throws {
    let (file, failing) = try prepared()
    failing.fail(FileFault(operation, code: EIO))
    let error = #expect(throws: FileSystemError.self) { try file.write(new) }
    #expect(error?.code == EIO)
    failing.heal()
    #expect(try file.read(upTo: 100) == old)
    #expect(try memory.list("/d") == ["file"])
  }

  @Test func `a directory that cannot be synchronized is reported with the new file whole`() throws {
    let (file, failing) = try prepared()
    failing.fail(FileFault(.synchronizeDirectory, code: EIO))
    #expect(throws: FileSystemError.self) { try file.write(new) }
    #expect(try file.read(upTo: 100) == new)
  }

  @Test func `whatever call fails, the file is the old one or the new one`() throws {
    for durability in [AtomicFile.Durability.powerFailure, .processEnd] {
      for call in 1...12 {
        let (file, failing) = try prepared(durability)
        failing.fail(FileFault(nil, call: call, lasts: true))
        let failed = (try? file.write(new)) == nil
        failing.heal()
        let content = try file.read(upTo: 100)
        #expect(content == new || (failed && content == old))
        try AtomicFile.removeLeftovers(in: "/d", of: memory)
        #expect(try memory.list("/d") == ["file"])
      }
    }
  }

  @Test func `a crash at any call leaves the old file or the new one`() throws {
    for seed in 0..<40 as Range<UInt64> {
      for call in 1...10 {
        let (file, failing) = try prepared()
        failing.fail(FileFault(nil, call: call, lasts: true))
        let failed = (try? file.write(new)) == nil
        memory.crash(.tears(seed: seed))
        let content = try AtomicFile("/d/file", in: memory).read(upTo: 100)
        #expect(content == new || (failed && content == old))
      }
    }
  }

  @Test func `what a killed writer left is removed, and what is being written is not`() throws {
    let (file, _) = try prepared()
    let writer = try file.begin()
    let dead = "/d/.curlew-0123.tmp"
    _ = try memory.open(dead, [.write, .create])
    try AtomicFile.removeLeftovers(in: "/d", of: memory)
    #expect(try memory.status(dead) == nil)
    try Array("x".utf8).withUnsafeBytes { try writer.append($0) }
    try writer.commit()
    #expect(try file.read(upTo: 10) == Data("x".utf8))
  }

  @Test func `on a disk a secret is for its owner alone and a link is replaced`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/secret"
    try AtomicFile(directory.path + "/target").write(old)
    symlink("target", path)
    try AtomicFile(path).write(new)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFREG)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(try AtomicFile(directory.path + "/target").read(upTo: 10) == old)
    // What only its owner could read stays so when it is replaced; a new file has the usual mode.
    try AtomicFile(path, access: .ordinary, durability: .processEnd).write(old)
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    try AtomicFile(directory.path + "/new", access: .ordinary, durability: .processEnd).write(old)
    #expect(lstat(directory.path + "/new", &status) == 0)
    let mask = umask(0)
    umask(mask)
    #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    #expect(try LocalFileSystem().list(directory.path).sorted() == ["new", "secret", "target"])
  }
}

/// A directory of a test's own, gone with it.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/curlew-storage-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in (try? LocalFileSystem().list(path)) ?? [] { remove(path + "/" + name) }
    _ = Glibc.remove(path)
  }
}
