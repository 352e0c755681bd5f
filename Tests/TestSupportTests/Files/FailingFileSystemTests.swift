import CurlewCore
import CurlewTestSupport
import Glibc
import Testing

@Suite struct FailingFileSystemTests {
  private let memory = MemoryFileSystem()
  private let files: FailingFileSystem

  init() { files = FailingFileSystem(over: memory) }

  @Test func `without faults everything goes through and is counted`() throws {
    try files.put([1, 2], in: "a", synchronizing: true)
    #expect(try files.take("a") == [1, 2])
    #expect(files.calls.map(\.operation) == [.open, .write, .synchronize, .close, .open, .openStatus, .read])
    #expect(files.calls.allSatisfy { $0.path == "a" && $0.code == nil })
  }

  @Test func `the call that was named fails and the others do not`() throws {
    files.fail(FileFault(.write, call: 3))
    let file = try files.open("a", [.write, .create])
    #expect((0..<5).map { number in code { try file.put([1], at: Int64(number)) } } == [0, 0, EIO, 0, 0])
  }

  @Test func `a fault that lasts fails every later call, and heal ends it`() throws {
    let file = try files.open("a", [.write, .create])
    files.fail(FileFault(nil, call: 2, code: EROFS, lasts: true))
    #expect(code { try file.put([1]) } == 0)
    #expect(code { try file.synchronize() } == EROFS)
    #expect(code { _ = try files.status("a") } == EROFS)
    files.heal()
    try file.synchronize()
  }

  @Test(arguments: FileFault.Operation.allCases)
  func `every operation can be made to fail`(operation: FileFault.Operation) throws {
    try files.put([1], in: "a")
    let file = try files.open("a", [.read, .write])
    files.fail(FileFault(operation, code: EDQUOT, pathSuffix: "a"))
    let calls: [FileFault.Operation: () throws -> Void] = [
      .open: { _ = try files.open("a", .read) }, .status: { _ = try files.status("a") },
      .rename: { try files.rename("a", to: "b") }, .remove: { try files.remove("a") },
      .createDirectory: { try files.createDirectory("a") }, .list: { _ = try files.list("a") },
      .synchronizeDirectory: { try files.synchronizeDirectory("a") },
      .availableBytes: { _ = try files.availableBytes("a") }, .read: { _ = try file.take(1) },
      .write: { try file.put([2]) }, .synchronize: { try file.synchronize() },
      .truncate: { try file.truncate(to: 0) }, .preallocate: { try file.preallocate(1) },
      .linkStatus: { _ = try files.linkStatus("a") }, .resolved: { _ = try files.resolved("a") },
      .setPermissions: { try file.setPermissions(0o644) }, .setModified: { try file.setModified(1) },
      .openStatus: { _ = try file.status() }, .lock: { _ = try file.tryLock() }, .close: { try file.close() },
    ]
    let call = try #require(calls[operation])
    #expect(code(call) == EDQUOT)
    #expect(memory.contents(of: "a") == [1])
  }

  @Test func `a short write leaves the bytes before the error`() throws {
    files.fail(FileFault(.write, code: EIO, bytesWritten: 2))
    #expect(code { try files.put([1, 2, 3, 4], in: "a") } == EIO)
    #expect(memory.contents(of: "a") == [1, 2])
  }

  @Test func `a disk that fills takes what fits`() throws {
    files.fill(after: 5)
    #expect(try files.availableBytes("/") == 5)
    try files.put([1, 2, 3], in: "a")
    #expect(code { try files.put([4, 5, 6], in: "a", at: 3) } == ENOSPC)
    #expect(memory.contents(of: "a") == [1, 2, 3, 4, 5])
    #expect(code { try files.put([7], in: "b") } == ENOSPC)
  }

  @Test func `random faults are the same for the same seed`() throws {
    func run(_ seed: UInt64) throws -> [Int32?] {
      let files = FailingFileSystem(over: MemoryFileSystem())
      files.failRandomly(seed: seed, rate: 0.3)
      for number in 0..<200 { try? files.put([1, 2, 3], in: "f\(number % 7)") }
      return files.calls.map(\.code)
    }
    let first = try run(1)
    #expect(first == (try run(1)))
    #expect(first != (try run(2)))
    let failed = first.filter { $0 != nil }.count
    #expect((first.count / 5...first.count * 2 / 5).contains(failed))
  }
}
