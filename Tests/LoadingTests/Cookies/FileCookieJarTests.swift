import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileCookieJarTests {
  private let files = MemoryFileSystem()
  private static let now = HTTPDate(secondsSince1970: 1_700_000_000)
  private static let page = URL(string: "https://www.a.test/dir/page") ?? URL(filePath: "/")

  private func jar(keepsSessionCookies: Bool = true) throws -> FileCookieJar {
    try FileCookieJar("/cookies.txt", keepsSessionCookies: keepsSessionCookies, in: files, date: Self.now)
  }

  private func write(_ text: String) throws {
    let file = try files.open("/cookies.txt", [.write, .create, .truncate])
    // Safe because the bytes are used within the call alone.
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    try file.synchronize()
    try files.synchronizeDirectory("/")
  }

  private func read() throws -> String {
    let file = try files.open("/cookies.txt", .read)
    var bytes = [UInt8](repeating: 0, count: Int(try file.length()))
    // Safe because the buffer is used within the call alone.
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func store(_ jar: FileCookieJar, _ texts: String...) {
    jar.store(texts, from: CookieContext(url: Self.page, date: Self.now.date))
  }

  @Test func `a jar that goes nowhere stays what it is`() throws {
    let path = "/tmp/curlew-jar-\(UInt64.random(in: .min ... .max))"
    #expect(symlink("/dev/null", path) == 0)
    defer { unlink(path) }
    let jar = try FileCookieJar(path, date: Self.now)
    store(jar, "a=b")
    try jar.save()
    #expect(try LocalFileSystem().status(path)?.kind == .other)
  }

  @Test func `what is saved is there again`() throws {
    let first = try jar()
    store(
      first, "a=b; Max-Age=100; Domain=a.test; Path=/; Secure; HttpOnly", "session=1", "quoted=\"x y\"; Max-Age=9",
      "empty=")
    try first.save()
    #expect(
      try read().split(separator: "\n").filter { !$0.hasPrefix("# ") } == [
        "#HttpOnly_.a.test\tTRUE\t/\tTRUE\t1700000100\ta\tb", "www.a.test\tFALSE\t/dir\tFALSE\t0\tsession\t1",
        "www.a.test\tFALSE\t/dir\tFALSE\t1700000009\tquoted\t\"x y\"",
        "www.a.test\tFALSE\t/dir\tFALSE\t0\tempty\t",
      ])
    #expect(try jar().memory.all == first.memory.all)
    #expect(try jar(keepsSessionCookies: false).memory.all.map(\.name) == ["a", "quoted"])
  }

  @Test func `a save that a newer one overtakes does not undo it`() throws {
    let slow = OvertakenFiles(files)
    let jar = try FileCookieJar("/cookies.txt", in: slow, date: Self.now)
    store(jar, "old=1")
    slow.meanwhile.withLock { meanwhile in
      meanwhile = {
        jar.store(["new=1"], from: CookieContext(url: Self.page, date: Self.now.date))
        try? jar.save()
      }
    }
    try jar.save()
    #expect(try self.jar().memory.all.map(\.name) == ["old", "new"])
  }

  @Test func `a newer save that an older one has replaced is written again, also when that fails once`() throws {
    let slow = OvertakenFiles(files)
    let jar = try FileCookieJar("/cookies.txt", in: slow, date: Self.now)
    store(jar, "old=1")
    slow.meanwhile.withLock { meanwhile in
      meanwhile = {
        jar.store(["new=1"], from: CookieContext(url: Self.page, date: Self.now.date))
        try? jar.save()
        slow.isFull.withLock { $0 = true }
      }
    }
    // The first write of this save replaces the newer file, and the second one fails.
    #expect(throws: FileSystemError.self) { try jar.save() }
    #expect(try self.jar().memory.all.map(\.name) == ["old"])
    slow.isFull.withLock { $0 = false }
    try jar.save()
    #expect(try self.jar().memory.all.map(\.name) == ["old", "new"])
  }

  @Test func `saves at the same time leave the newest cookies, whatever their order`() async throws {
    for _ in 0..<50 {
      let jar = try FileCookieJar("/cookies.txt", in: files, date: Self.now)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            jar.store(["c\(number)=1"], from: CookieContext(url: Self.page, date: Self.now.date))
            try? jar.save()
          }
        }
      }
      try jar.save()
      #expect(try Set(self.jar().memory.all.map(\.name)) == Set((0..<8).map { "c\($0)" }))
      try files.remove("/cookies.txt")
    }
  }

  @Test func `lines that hold no cookie are passed over`() throws {
    try write(
      """
      # Netscape HTTP Cookie File\r
      .a.test\tTRUE\t/\tFALSE\t0\tgood\t1\r
      a.test\tFALSE\t/\tFALSE\t0\tnovalue
      #HttpOnly_a.test\tfalse\t/\tfalse\t1700000100\thidden\tx\ty

      # a.test\tFALSE\t/\tFALSE\t0\tcomment\t1
      a.test FALSE / FALSE 0 spaces 1
      a.test\tFALSE\t/\tFALSE\tsoon\tbadend\t1
      a.test\tFALSE\t/\tFALSE\t1699999999\tover\t1
      a b\tFALSE\t/\tFALSE\t0\tbadhost\t1
      .test\tTRUE\t/\tFALSE\t0\tsuffix\t1
      a.test\tFALSE\tx\tFALSE\t0\tbadpath\t1
      a.test\tTRUE\t/\tTRUE\t0\t__Host-x\t1
      """)
    let all = try jar().memory.all
    #expect(all.map(\.name) == ["good", "novalue", "hidden"])
    #expect(all.map(\.value) == ["1", "", "x\ty"])
    #expect(all.map(\.isHTTPOnly) == [false, false, true])
    #expect(all.map(\.isHostOnly) == [false, true, true])
  }

  @Test func `a file that is not there is an empty jar, one that cannot be read is an error`() throws {
    #expect(try jar().memory.all.isEmpty)
    let file = try files.open("/cookies.txt", [.write, .create])
    try file.truncate(to: Int64(FileCookieJar.limit) + 1)
    #expect(throws: FileSystemError(code: EFBIG, operation: "read", path: "/cookies.txt")) { try jar() }
    try file.truncate(to: 0)
    // Safe because the bytes are used within the call alone.
    try [UInt8](arrayLiteral: 0xFF).withUnsafeBytes { try file.write($0, at: 0) }
    #expect(throws: FileSystemError(code: EILSEQ, operation: "read", path: "/cookies.txt")) { try jar() }
  }

  @Test func `nothing is written where nothing changed`() throws {
    let jar = try jar()
    try jar.save()
    #expect(try files.status("/cookies.txt") == nil)
    store(jar, "a=b")
    try jar.save()
    try files.remove("/cookies.txt")
    try jar.save()
    #expect(try files.status("/cookies.txt") == nil)
  }

  @Test func `a crash at any call leaves the old file or the new one`() throws {
    for count in 0..<12 {
      let memory = MemoryFileSystem()
      let old = try FileCookieJar("/cookies.txt", in: memory, date: Self.now)
      store(old, "old=1")
      try old.save()
      let failing = FailingFileSystem(over: memory)
      failing.fail(FileFault(nil, call: count + 1, lasts: true, bytesWritten: 7))
      let new = try? FileCookieJar("/cookies.txt", in: failing, date: Self.now)
      if let new {
        store(new, "new=1")
        try? new.save()
      }
      memory.crash()
      let names = try FileCookieJar("/cookies.txt", in: memory, date: Self.now).memory.all.map(\.name)
      #expect(names == ["old"] || names == ["old", "new"])
    }
  }
}

/// Files before whose first renaming something else happens.
private final class OvertakenFiles: FileSystem {
  private let files: any FileSystem
  let meanwhile = Guarded<(@Sendable () -> Void)?>(nil)
  /// Whether no file can be created.
  let isFull = Guarded(false)

  init(_ files: any FileSystem) { self.files = files }

  func rename(_ path: String, to newPath: String, replacing: Bool) throws(FileSystemError) {
    let action = meanwhile.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
    try files.rename(path, to: newPath, replacing: replacing)
  }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    if options.contains(.create), isFull.withLock({ $0 }) {
      throw FileSystemError(code: ENOSPC, operation: "open", path: path)
    }
    return try files.open(path, options)
  }
  func status(_ path: String) throws(FileSystemError) -> FileStatus? { try files.status(path) }
  func linkStatus(_ path: String) throws(FileSystemError) -> FileStatus? { try files.linkStatus(path) }
  func resolved(_ path: String) throws(FileSystemError) -> String { try files.resolved(path) }
  func remove(_ path: String) throws(FileSystemError) { try files.remove(path) }
  func createDirectory(_ path: String) throws(FileSystemError) { try files.createDirectory(path) }
  func list(_ path: String) throws(FileSystemError) -> [String] { try files.list(path) }
  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try files.synchronizeDirectory(path) }
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 { try files.availableBytes(path) }
}
