import CurlewCore
import CurlewTestSupport
import Glibc
import Testing

@Suite struct MemoryFileSystemTests {
  private let files = MemoryFileSystem()

  @Test func `it behaves as a file system does`() throws {
    try files.createDirectory("a/b")
    try files.put([1, 2, 3], in: "/a/b/c")
    try files.put([9], in: "a/./b/../b/c", at: 1)
    #expect(try files.take("a/b/c") == [1, 9, 3])
    #expect(try files.list("a") == ["b"])
    let status = try #require(try files.status("a/b/c"))
    #expect(status.kind == .regular)
    #expect(status.length == 3)
    #expect(try files.linkStatus("a/./b/c") == status)
    #expect(try files.resolved("a/./b/../b/c") == "/a/b/c")
    #expect(code { _ = try files.resolved("a/x") } == ENOENT)
    #expect(try files.status("a/x") == nil)
    try files.rename("a/b/c", to: "a/d")
    #expect(try files.take("/a/d") == [1, 9, 3])
    #expect(code { try files.remove("a/b/c") } == ENOENT)
    #expect(code { try files.remove("a") } == ENOTEMPTY)
    #expect(code { try files.put([1], in: "x/y") } == ENOENT)
    #expect(code { _ = try files.open("a/d", [.write, .create, .exclusive]) } == EEXIST)
    #expect(code { _ = try files.open("a", .read) } == EISDIR)
    #expect(code { _ = try files.open("a\0", .read) } == EINVAL)
    #expect(files.openFiles == 0)
  }

  @Test func `a file keeps its identity under another name, and a new one has its own`() throws {
    try files.put([1], in: "a")
    let identity = try files.status("a")?.identity
    try files.rename("a", to: "b")
    #expect(try files.status("b")?.identity == identity)
    #expect(try files.open("b", .read).status().identity == identity)
    try files.put([1], in: "a")
    #expect(try files.status("a")?.identity != identity)
  }

  @Test func `a rename that must not replace fails where anything has the new name`() throws {
    try files.put([1], in: "a")
    try files.put([2], in: "b")
    try files.createDirectory("d")
    #expect(code { try files.rename("a", to: "b", replacing: false) } == EEXIST)
    #expect(code { try files.rename("a", to: "d", replacing: false) } == EEXIST)
    #expect(try files.take("b") == [2])
    try files.rename("a", to: "c", replacing: false)
    #expect(try files.take("c") == [1])
  }

  @Test func `permissions and times are kept`() throws {
    try files.put([1], in: "a")
    #expect(try files.status("a")?.permissions == 0o600)
    let file = try files.open("a", .write)
    try file.setPermissions(0o4755)
    try file.setModified(1_700_000_000)
    #expect(try files.status("a")?.permissions == 0o755)
    #expect(try file.status().modified == 1_700_000_000)
  }

  @Test func `a renamed directory takes its files along`() throws {
    try files.createDirectory("a/b")
    try files.put([1], in: "a/b/c")
    try files.rename("a", to: "z")
    #expect(try files.take("z/b/c") == [1])
    #expect(try files.status("a") == nil)
    #expect(code { try files.rename("z", to: "z/b/inside") } == EINVAL)
  }

  @Test func `holes cost nothing and are zeros`() throws {
    try files.put([7], in: "big", at: 5 << 30)
    #expect(try files.status("big")?.length == (5 << 30) + 1)
    let file = try files.open("big", [.read, .write])
    #expect(try file.take(3, at: (5 << 30) - 2) == [0, 0, 7])
    try file.truncate(to: 1)
    try file.truncate(to: 5 << 30)
    #expect(try file.take(1, at: 0) == [0])
  }

  @Test func `a removed file can be read while it is open`() throws {
    try files.put([1, 2], in: "a")
    let file = try files.open("a", .read)
    try files.remove("a")
    #expect(try file.take(2) == [1, 2])
    try file.close()
    #expect(code { _ = try file.take(2) } == EBADF)
  }

  @Test func `what does not fit is cut short with ENOSPC, and removing makes room`() throws {
    let small = MemoryFileSystem(capacity: 8192)
    #expect(code { try small.put([UInt8](repeating: 1, count: 10_000), in: "a") } == ENOSPC)
    #expect(try small.status("a")?.length == 8192)
    #expect(try small.availableBytes("/") == 0)
    #expect(code { try small.open("a", .write).preallocate(20_000) } == ENOSPC)
    try small.remove("a")
    #expect(try small.availableBytes("/") == 8192)
    try small.put([UInt8](repeating: 1, count: 8000), in: "b")
  }

  @Test func `a lock belongs to one open file`() throws {
    let first = try files.open("l", [.write, .create])
    let second = try files.open("l", .write)
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
    try first.close()
    #expect(try second.tryLock())
    files.crash()
    #expect(code { _ = try second.tryLock() } == EBADF)
  }

  @Test func `a crash loses unsynced bytes and keeps synced ones`() throws {
    let file = try files.open("a", [.write, .create])
    try file.put([1, 2, 3])
    try file.synchronize()
    try files.synchronizeDirectory("/")
    try file.put([9, 9, 9, 9])
    files.crash()
    #expect(try files.take("a") == [1, 2, 3])
    #expect(code { try file.put([1]) } == EBADF)
    #expect(files.openFiles == 0)
  }

  @Test func `a new name is lost without its directory, although its bytes are synced`() throws {
    try files.put([1], in: "a", synchronizing: true)
    files.crash()
    #expect(try files.status("a") == nil)
    #expect(files.contents(of: "a") == nil)
  }

  @Test func `a rename is undone without its directory and done with it`() throws {
    try files.put([1], in: "target", synchronizing: true)
    try files.synchronizeDirectory("/")
    try files.put([2], in: "new", synchronizing: true)
    try files.synchronizeDirectory("/")
    try files.rename("new", to: "target")
    files.crash()
    #expect(try files.take("target") == [1])
    #expect(try files.take("new") == [2])
    try files.rename("new", to: "target")
    try files.synchronizeDirectory("/")
    files.crash()
    #expect(try files.take("target") == [2])
    #expect(try files.status("new") == nil)
  }

  @Test func `a rename that is durable over bytes that are not leaves an empty file`() throws {
    try files.put([1, 2], in: "new")
    try files.rename("new", to: "target")
    try files.synchronizeDirectory("/")
    files.crash()
    #expect(try files.take("target") == [])
  }

  @Test
  func `a tearing crash gives sectors old or new, all three mixtures among some seeds, the same for the same seed`()
    throws
  {
    var seen: Set<[UInt8]> = []
    for seed in 0..<40 as Range<UInt64> {
      var results: [[UInt8]] = []
      for _ in 0..<2 {
        let files = MemoryFileSystem()
        let file = try files.open("a", [.write, .create])
        try file.put([UInt8](repeating: 1, count: 1024))
        try file.synchronize()
        try files.synchronizeDirectory("/")
        try file.put([UInt8](repeating: 2, count: 1024))
        files.crash(.tears(seed: seed))
        results.append(try files.take("a"))
      }
      #expect(results[0] == results[1])
      let first = Set(results[0][..<512])
      let second = Set(results[0][512...])
      #expect(first.count == 1 && second.count == 1)
      seen.insert([first.first ?? 0, second.first ?? 0])
    }
    #expect(seen == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }
}
