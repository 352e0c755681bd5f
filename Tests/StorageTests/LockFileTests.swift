import CurlewCore
import CurlewStorage
import CurlewTestSupport
import Glibc
import Testing

@Suite struct LockFileTests {
  @Test func `one holder at a time has it, on a disk and in memory`() throws {
    let directory = TemporaryDirectory()
    let places: [(String, any FileSystem)] = [
      (directory.path + "/lock", LocalFileSystem()), ("/lock", MemoryFileSystem()),
    ]
    for (path, files) in places {
      let first = try #require(try LockFile.tryAcquire(path, in: files))
      #expect(try LockFile.tryAcquire(path, in: files) == nil)
      first.release()
      first.release()
      let second = try #require(try LockFile.tryAcquire(path, in: files))
      #expect(try LockFile.tryAcquire(path, in: files) == nil)
      #expect(second.path == path)
    }
  }

  @Test func `it goes with its last reference`() throws {
    let files = MemoryFileSystem()
    var lock = try LockFile.tryAcquire("/lock", in: files)
    #expect(lock != nil)
    lock = nil
    #expect(try LockFile.tryAcquire("/lock", in: files) != nil)
  }

  @Test func `a link in the lock's place is refused, and what it points to is left alone`() throws {
    let directory = TemporaryDirectory()
    let (path, victim) = (directory.path + "/lock", directory.path + "/victim")
    #expect(symlink(victim, path) == 0)
    let error = #expect(throws: FileSystemError.self) { try LockFile.tryAcquire(path) }
    #expect(error?.code == ELOOP)
    #expect(try LocalFileSystem().status(victim) == nil)
  }

  @Test func `a lock that cannot be asked for is an error`() {
    let files = FailingFileSystem(over: MemoryFileSystem())
    files.fail(FileFault(.lock))
    #expect(throws: FileSystemError.self) { try LockFile.tryAcquire("/lock", in: files) }
  }
}
