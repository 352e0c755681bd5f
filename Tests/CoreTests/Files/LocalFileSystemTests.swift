import Glibc
import Testing

@testable import CurlewCore

@Suite struct LocalFileSystemTests {
  private let files = LocalFileSystem()
  private let directory = TemporaryDirectory()

  private func path(_ name: String) -> String { directory.path + "/" + name }

  private func read(_ file: any OpenFile, _ count: Int, at offset: Int64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xee, count: count)
    let got = try bytes.withUnsafeMutableBytes { buffer in try file.read(into: buffer, at: offset) }
    return Array(bytes.prefix(got))
  }

  private func write(_ file: any OpenFile, _ bytes: [UInt8], at offset: Int64 = 0) throws {
    try bytes.withUnsafeBytes { buffer in try file.write(buffer, at: offset) }
  }

  @Test func `what is written at offsets is read back, and less only at the end`() throws {
    let file = try files.open(path("a"), [.read, .write, .create])
    try write(file, [1, 2, 3], at: 0)
    try write(file, [9], at: 5)
    #expect(try read(file, 10) == [1, 2, 3, 0, 0, 9])
    #expect(try read(file, 2, at: 1) == [2, 3])
    #expect(try read(file, 2, at: 6) == [])
    #expect(try file.length() == 6)
  }

  @Test func `offsets beyond 4 GiB are kept whole`() throws {
    let file = try files.open(path("sparse"), [.read, .write, .create])
    let offset: Int64 = 5 << 30
    try write(file, [7, 8], at: offset)
    #expect(try file.length() == offset + 2)
    #expect(try read(file, 4, at: offset - 1) == [0, 7, 8])
    #expect(try files.status(path("sparse"))?.length == offset + 2)
  }

  @Test func `a file is made private unless an ordinary one is asked for`() throws {
    _ = try files.open(path("private"), [.write, .create])
    _ = try files.open(path("ordinary"), [.write, .create, .ordinaryMode])
    var status = stat()
    #expect(stat(path("private"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(stat(path("ordinary"), &status) == 0)
    let mask = umask(0)
    umask(mask)
    #expect(status.st_mode & 0o777 == 0o666 & ~mask)
  }

  @Test func `no descriptor is left to child processes`() throws {
    let file = try files.open(path("a"), [.write, .create])
    let new = try openDescriptors().filter { descriptorPath($0) == path("a") }
    #expect(!new.isEmpty)
    for descriptor in new { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
    try file.close()
  }

  @Test func `a NUL in a path is refused by every call`() {
    let bad = path("a\0b")
    #expect(code { _ = try files.open(bad, .read) } == EINVAL)
    #expect(code { _ = try files.status(bad) } == EINVAL)
    #expect(code { _ = try files.linkStatus(bad) } == EINVAL)
    #expect(code { _ = try files.resolved(bad) } == EINVAL)
    #expect(code { try files.rename(path("c"), to: bad, replacing: false) } == EINVAL)
    #expect(code { try files.rename(bad, to: path("c")) } == EINVAL)
    #expect(code { try files.rename(path("c"), to: bad) } == EINVAL)
    #expect(code { try files.remove(bad) } == EINVAL)
    #expect(code { try files.createDirectory(bad) } == EINVAL)
    #expect(code { _ = try files.list(bad) } == EINVAL)
    #expect(code { try files.synchronizeDirectory(bad) } == EINVAL)
    #expect(code { _ = try files.availableBytes(bad) } == EINVAL)
  }

  @Test func `exclusive refuses what is there, and noFollow a link`() throws {
    _ = try files.open(path("a"), [.write, .create, .exclusive])
    #expect(code { _ = try files.open(path("a"), [.write, .create, .exclusive]) } == EEXIST)
    #expect(symlink("a", path("link")) == 0)
    _ = try files.open(path("link"), .read)
    #expect(code { _ = try files.open(path("link"), [.read, .noFollow]) } == ELOOP)
    #expect(code { _ = try files.open(path("nothing"), .read) } == ENOENT)
  }

  @Test func `a FIFO without a peer does not hold the caller`() throws {
    #expect(mkfifo(path("fifo"), 0o600) == 0)
    let reading = try files.open(path("fifo"), .read)
    #expect(code { _ = try read(reading, 1) } == ESPIPE)
    try reading.close()
    #expect(code { _ = try files.open(path("fifo"), .write) } == ENXIO)
  }

  @Test func `the status of nothing, of a dangling link and below a file is nil`() throws {
    _ = try files.open(path("a"), [.write, .create])
    #expect(symlink("missing", path("dangling")) == 0)
    #expect(try files.status(path("missing")) == nil)
    #expect(try files.status(path("dangling")) == nil)
    #expect(try files.status(path("a/b")) == nil)
    #expect(try files.status(directory.path)?.kind == .directory)
    #expect(try files.status("/dev/null")?.kind == .other)
  }

  @Test func `a rename replaces, and a second remove fails`() throws {
    try write(files.open(path("old"), [.write, .create]), [1])
    try write(files.open(path("new"), [.write, .create]), [2, 2])
    try files.rename(path("old"), to: path("new"))
    #expect(try files.status(path("new"))?.length == 1)
    #expect(try files.status(path("old")) == nil)
    try files.remove(path("new"))
    #expect(code { try files.remove(path("new")) } == ENOENT)
    try files.synchronizeDirectory(directory.path)
    #expect(code { try files.synchronizeDirectory(path("none")) } == ENOENT)
  }

  @Test func `directories above are made, and one that is there is left`() throws {
    try files.createDirectory(path("a/b//c/"))
    try files.createDirectory(path("a/b/c"))
    #expect(try files.status(path("a/b/c"))?.kind == .directory)
    _ = try files.open(path("file"), [.write, .create])
    #expect(code { try files.createDirectory(path("file")) } == EEXIST)
    #expect(code { try files.createDirectory(path("file/x")) } == ENOTDIR)
    #expect(code { try files.createDirectory("") } == ENOENT)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a directory where there can be none is an error, whatever stands above`() {
    #expect(code { try files.createDirectory("/proc/curlew/none") } == ENOENT)
  }

  @Test func `many at once make the same directories`() async throws {
    let deep = path((0..<40).map { "d\($0)" }.joined(separator: "/"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { try LocalFileSystem().createDirectory(deep) } }
      try await group.waitForAll()
    }
    #expect(try files.status(deep)?.kind == .directory)
  }

  @Test func `a list has every name but the two dots, and leaves out what is not UTF-8`() throws {
    for name in ["a", "…", ".hidden"] { _ = try files.open(path(name), [.write, .create]) }
    let bytes = (directory.path + "/").utf8CString.dropLast() + [CChar(bitPattern: 0xff), 0]
    let descriptor = bytes.withUnsafeBufferPointer { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(Set(try files.list(directory.path)) == ["a", "…", ".hidden"])
    #expect(code { _ = try files.list(path("a")) } == ENOTDIR)
  }

  @Test func `a lock keeps others out until its file is closed`() throws {
    let first = try files.open(path("lock"), [.write, .create])
    let second = try files.open(path("lock"), [.write])
    #expect(try first.tryLock())
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
    try first.close()
    #expect(try second.tryLock())
  }

  @Test func `closing releases the lock even while a child process has a copy of the descriptor`() throws {
    let file = try files.open(path("a"), [.write, .create])
    #expect(try file.tryLock())
    let descriptor = try #require(try openDescriptors().first { descriptorPath($0) == path("a") })
    // A child has such a copy between fork and exec.
    let copy = dup(descriptor)
    defer { close(copy) }
    try file.close()
    #expect(try files.open(path("a"), .write).tryLock())
  }

  @Test func `space is claimed without changing the length`() throws {
    let file = try files.open(path("a"), [.write, .create])
    try file.preallocate(1 << 20)
    #expect(try file.length() == 0)
    var status = stat()
    #expect(stat(path("a"), &status) == 0)
    // Not every file system can; where the system's own call can, the blocks are there.
    let control = open(path("b"), O_WRONLY | O_CREAT, 0o600)
    defer { close(control) }
    let isAble = HiddenCalls.reserve(control, 1 << 20) == 0
    #expect((status.st_blocks >= 2048) == isAble)
    try file.preallocate(0)
    try file.truncate(to: 10)
    #expect(try file.length() == 10)
  }

  /// How many of a file's bytes are in the system's cache (`mincore(2)`).
  private func cachedBytes(_ name: String, _ length: Int) throws -> Int {
    let descriptor = open(path(name), O_RDONLY)
    defer { close(descriptor) }
    let map = try #require(mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0))
    defer { munmap(map, length) }
    let page = sysconf(Int32(_SC_PAGESIZE))
    var pages = [UInt8](repeating: 0, count: length / page)
    #expect(mincore(map, length, &pages) == 0)
    return pages.count { $0 & 1 == 1 } * page
  }

  @Test func `durable bytes leave the cache where they are released, and can be read again`() throws {
    let (length, kept) = (8 << 20, 2 << 20)
    let file = try files.open(path("a"), [.read, .write, .create])
    try write(file, [UInt8](repeating: 7, count: length))
    try file.synchronize()
    #expect(try cachedBytes("a", length) == length)
    file.releaseCache(from: Int64(kept), to: Int64(length))
    let left = try cachedBytes("a", length)
    // A file system in memory has no other place for them; the system's own call shows it on another file.
    let control = try files.open(path("b"), [.write, .create])
    try write(control, [UInt8](repeating: 7, count: length))
    try control.synchronize()
    let descriptor = open(path("b"), O_RDONLY)
    defer { close(descriptor) }
    #expect(posix_fadvise(descriptor, off_t(kept), off_t(length - kept), POSIX_FADV_DONTNEED) == 0)
    let isAble = try cachedBytes("b", length) < length
    #expect(isAble ? (kept...kept + 1 << 20).contains(left) : left == length)
    #expect(try read(file, 3, at: Int64(length) - 3) == [7, 7, 7])
    try file.close()
    file.releaseCache(from: 0, to: 1)
  }

  @Test func `a closed file answers EBADF and its number is free`() throws {
    let file = try files.open(path("a"), [.read, .write, .create])
    try file.close()
    #expect(code { try file.close() } == EBADF)
    #expect(code { _ = try read(file, 1) } == EBADF)
    #expect(code { try write(file, [1]) } == EBADF)
    #expect(code { try file.synchronize() } == EBADF)
    #expect(code { _ = try file.length() } == EBADF)
  }

  @Test func `dropping the last reference closes the file`() throws {
    var file: (any OpenFile)? = try files.open(path("a"), [.write, .create])
    try file?.synchronize()
    #expect(try openDescriptors().contains { descriptorPath($0) == path("a") })
    file = nil
    #expect(try !openDescriptors().contains { descriptorPath($0) == path("a") })
  }

  @Test func `a full disk says so`() throws {
    let full = try files.open("/dev/full", .write)
    let error = #expect(throws: FileSystemError.self) { try write(full, [1]) }
    #expect(error?.code == ENOSPC)
    #expect(error?.isDiskFull == true)
    #expect(error?.path == "/dev/full")
  }

  @Test func `free space is that of the nearest directory above`() throws {
    let here = try files.availableBytes(directory.path)
    #expect(here > 0)
    #expect(try files.availableBytes(path("not/there/yet")) > 0)
    #expect(try files.availableBytes("relative-and-missing") > 0)
    #expect(try files.availableBytes("/") > 0)
  }
}
