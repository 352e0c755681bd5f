import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite struct BoundedStoreTests {
  private func store(
    _ files: any FileSystem, capacity: Int64 = 1 << 20, content: Int64? = nil, entries: Int = 1_000
  ) throws -> BoundedStore {
    try BoundedStore("/store", limits: .init(capacity: capacity, content: content, entries: entries), in: files)
  }

  private func bytes(_ count: Int, _ seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &+ $0 >> 8) }
  }

  private func put(_ store: BoundedStore, _ key: String, _ content: [UInt8], header: String = "header") throws {
    let writer = store.begin()
    var rest = content[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(10_000))
      try piece.withUnsafeBytes { try writer.append($0) }
      rest = rest.dropFirst(piece.count)
    }
    try writer.commit(key, header: Data(header.utf8))
  }

  private func get(_ store: BoundedStore, _ key: String) throws -> (header: String, content: [UInt8])? {
    guard let entry = store.entry(for: key) else { return nil }
    var content: [UInt8] = []
    while Int64(content.count) < entry.length {
      content += try entry.read(at: Int64(content.count), upTo: 50_000)
    }
    return (String(decoding: entry.header, as: UTF8.self), content)
  }

  @Test(arguments: [0, 1, 32_768, 32_769, 200_000])
  func `what is put under a key is got back, in another process too`(_ count: Int) throws {
    let files = MemoryFileSystem()
    let first = try store(files, content: 1 << 20)
    try put(first, "key", bytes(count))
    for store in [first, try store(files)] {
      let entry = try #require(try get(store, "key"))
      #expect(entry.header == "header")
      #expect(entry.content == bytes(count))
      #expect(store.entry(for: "other") == nil)
    }
    first.remove("key")
    #expect(first.entry(for: "key") == nil)
    #expect(try files.list("/store").filter { $0 != "lock" } == [])
  }

  @Test func `a newer entry takes the place of the old one, which stays readable`() throws {
    let files = MemoryFileSystem()
    let store = try store(files, content: 1 << 20)
    try put(store, "key", bytes(100_000, 1), header: "old")
    let old = try #require(store.entry(for: "key"))
    try put(store, "key", bytes(100_000, 2), header: "new")
    #expect(try get(store, "key")?.content == bytes(100_000, 2))
    #expect(try old.read(at: 0, upTo: 200_000) == Data(bytes(100_000, 1)))
    #expect(try files.list("/store").count { $0.hasSuffix(".content") } == 1)
  }

  @Test func `another header leaves the content`() throws {
    for count in [10, 100_000] {
      let store = try store(MemoryFileSystem(), content: 1 << 20)
      try put(store, "key", bytes(count))
      let entry = try #require(store.entry(for: "key"))
      try store.replace(entry, under: "key", header: Data("changed".utf8))
      let changed = try #require(try get(store, "key"))
      #expect(changed.header == "changed")
      #expect(changed.content == bytes(count))
    }
  }

  @Test func `what is too large, discarded or dropped leaves nothing`() throws {
    let files = MemoryFileSystem()
    let store = try store(files, content: 50_000)
    #expect(throws: FileSystemError.self) { try put(store, "key", bytes(50_001)) }
    let writer = store.begin()
    try bytes(40_000).withUnsafeBytes { try writer.append($0) }
    writer.discard()
    #expect(throws: FileSystemError.self) { try writer.commit("key", header: Data()) }
    do {
      let dropped = store.begin()
      try bytes(40_000).withUnsafeBytes { try dropped.append($0) }
    }
    #expect(try files.list("/store") == [])
    #expect(throws: FileSystemError.self) {
      try store.begin().commit("key", header: Data(count: 2 << 20))
    }
  }

  @Test func `a content that is longer than was announced is refused`() throws {
    let files = MemoryFileSystem()
    let writer = try store(files).begin(expecting: 10)
    try bytes(10).withUnsafeBytes { try writer.append($0) }
    #expect(throws: FileSystemError.self) { try bytes(40_000).withUnsafeBytes { try writer.append($0) } }
    #expect(throws: FileSystemError.self) { try writer.commit("key", header: Data()) }
    #expect(try files.list("/store") == [])
  }

  @Test func `any changed, lost or added byte makes an entry none`() throws {
    for count in [40, 40_000] {
      let files = MemoryFileSystem()
      let store = try store(files, content: 1 << 20)
      try put(store, "key", bytes(count))
      for name in try files.list("/store") where name != "lock" {
        let path = "/store/" + name
        let whole = try #require(files.contents(of: path))
        let places = whole.count < 500 ? Array(whole.indices) : Array(stride(from: 0, to: whole.count, by: 777))
        for place in places {
          var changed = whole
          changed[place] ^= 0x10
          try AtomicFile(path, in: files).write(Data(changed))
          #expect(store.entry(for: "key") == nil)
        }
        for other in [Array(whole.dropLast()), whole + [0], []] {
          try AtomicFile(path, in: files).write(Data(other))
          #expect(store.entry(for: "key") == nil)
        }
        try AtomicFile(path, in: files).write(Data(whole))
        #expect(try get(store, "key")?.content == bytes(count))
      }
      for name in try files.list("/store") where name.hasSuffix(".content") {
        try files.remove("/store/" + name)
        #expect(store.entry(for: "key") == nil)
      }
    }
  }

  @Test func `the bytes stay within the capacity, and the least recently used goes`() throws {
    let files = MemoryFileSystem()
    let store = try store(files, capacity: 100_000, content: 50_000)
    for number in 0..<9 { try put(store, "\(number)", bytes(10_000)) }
    #expect(store.entry(for: "0") != nil)
    for number in 9..<60 {
      try put(store, "\(number)", bytes(10_000))
      #expect(store.entry(for: "0") != nil)
      let sizes = try files.list("/store").map { try files.status("/store/" + $0)?.length ?? 0 }
      #expect(sizes.reduce(0, +) <= 100_000)
    }
    #expect(store.entry(for: "59") != nil)
    #expect(store.entry(for: "1") == nil)
    try put(store, "large", bytes(45_000))
    #expect(try get(store, "large")?.content.count == 45_000)
  }

  @Test func `the number of entries is limited, and what others wrote counts`() throws {
    let files = MemoryFileSystem()
    let first = try store(files, entries: 20)
    for number in 0..<20 { try put(first, "\(number)", [1]) }
    let second = try store(files, entries: 20)
    for number in 20..<30 { try put(second, "\(number)", [1]) }
    #expect(try files.list("/store").count { $0.hasSuffix(".entry") } <= 20)
    try second.removeAll()
    #expect(try files.list("/store").filter { $0 != "lock" } == [])
  }

  @Test func `whatever call fails, an entry is the old one, the new one or none`() throws {
    for count in [100, 33_000] {
      for call in 1...30 {
        let files = MemoryFileSystem()
        let failing = FailingFileSystem(over: files)
        let store = try store(failing, content: 1 << 20)
        try put(store, "key", bytes(count, 1), header: "old")
        failing.fail(FileFault(nil, call: call, lasts: call % 2 == 0))
        let failed = (try? put(store, "key", bytes(count, 2), header: "new")) == nil
        failing.heal()
        let found = try get(store, "key")
        #expect(
          found == nil || (found?.header == "new" && found?.content == bytes(count, 2))
            || (failed && found?.header == "old" && found?.content == bytes(count, 1)))
        try put(store, "key", bytes(count, 3), header: "next")
        #expect(try get(store, "key")?.content == bytes(count, 3))
      }
    }
  }

  @Test func `a crash of the machine leaves no wrong entry`() throws {
    for seed in 0..<16 as Range<UInt64> {
      let files = MemoryFileSystem()
      let store = try store(files, content: 1 << 20)
      for number in 0..<4 { try put(store, "\(number)", bytes(20_000 * number, number)) }
      files.crash(.tears(seed: seed))
      let again = try self.store(files)
      for number in 0..<4 {
        if let found = try get(again, "\(number)") { #expect(found.content == bytes(20_000 * number, number)) }
        try put(again, "\(number)", bytes(10, 9))
        #expect(try get(again, "\(number)")?.content == bytes(10, 9))
      }
    }
  }

  @Test func `what killed writers left goes when room is made`() throws {
    let files = MemoryFileSystem()
    let store = try store(files)
    _ = try files.open("/store/.curlew-1.tmp", [.write, .create])
    _ = try files.open("/store/12-34.content", [.write, .create])
    try put(store, "key", bytes(10))
    #expect(try files.list("/store").sorted().map { $0.hasSuffix(".entry") ? "entry" : $0 } == ["entry", "lock"])
  }

  @Test func `the files of a store are their owner's alone`() throws {
    let directory = TemporaryDirectory()
    let store = try BoundedStore(directory.path + "/a/b", limits: .init(capacity: 1 << 20))
    try put(store, "key", bytes(40_000))
    for name in try LocalFileSystem().list(store.directory) {
      var status = stat()
      #expect(stat(store.directory + "/" + name, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
    #expect(try get(store, "key")?.content == bytes(40_000))
  }
}
