import CurlewCore
import FoundationEssentials
import Glibc
import Testing

@Suite struct FileBodyReaderTests {
  private let path = "/tmp/curlew-body-" + String(UInt64.random(in: .min ... .max), radix: 36)
  private var url: URL { URL(filePath: path) }

  private func write(_ count: Int) throws {
    let file = try LocalFileSystem().open(path, [.write, .create, .truncate])
    // Safe because the bytes are used within the call alone.
    try (0..<count).map { UInt8(truncatingIfNeeded: $0) }.withUnsafeBytes { try file.write($0, at: 0) }
  }

  private func read(_ reader: FileBodyReader, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // Safe because the buffer is used within the call alone.
    let read = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
    return Array(bytes.prefix(read))
  }

  private func region(_ range: Range<Int64>? = nil) throws -> Body.FileRegion {
    guard case .file(let region) = try Body.file(url, range: range).source else {
      throw FileSystemError(
        code: EINVAL, operation: "test", path: path)
    }
    return region
  }

  @Test func `it gives the region's bytes and then none`() throws {
    defer { unlink(path) }
    try write(100)
    let reader = try FileBodyReader(try region(10..<30))
    #expect(reader.left == 20)
    #expect(try read(reader, 15) == Array(10..<25))
    #expect(try read(reader, 15) == Array(25..<30))
    #expect(try read(reader, 15) == [])
    #expect(reader.left == 0)
  }

  @Test func `a file of another length is refused, before and while it is read`() throws {
    defer { unlink(path) }
    try write(100)
    let region = try region()
    let reader = try FileBodyReader(region)
    try write(50)
    var error = #expect(throws: NetworkError.self) { try FileBodyReader(region) }
    #expect(error?.kind == .bodyLengthMismatch)
    error = #expect(throws: NetworkError.self) { try read(reader, 100) }
    #expect(error?.kind == .bodyLengthMismatch)
  }

  @Test func `a file that changes while it is read is refused before its last bytes are handed out`() throws {
    defer { unlink(path) }
    let grows = { @Sendable (path: String) in
      try LocalFileSystem().open(path, .write).write(UnsafeRawBufferPointer(start: nil, count: 0), at: 0)
      _ = truncate(path, 150)
    }
    let changes = { @Sendable (path: String) in
      let file = try LocalFileSystem().open(path, .write)
      // Safe because the bytes are used within the call alone.
      try [UInt8(9)].withUnsafeBytes { try file.write($0, at: 3) }
      // A clock that ticks slowly could give both versions the same time.
      var times = [timespec(tv_sec: 1, tv_nsec: 1), timespec(tv_sec: 1, tv_nsec: 1)]
      _ = utimensat(AT_FDCWD, path, &times, 0)
    }
    let isReplaced = { @Sendable (path: String) in
      #expect(rename(path, path + "-old") == 0)
      _ = try LocalFileSystem().open(path, [.write, .create])
      unlink(path + "-old")
    }
    for (change, kind) in [
      (grows, NetworkError.Kind.bodyLengthMismatch), (changes, .fileError), (isReplaced, .fileError),
    ] {
      unlink(path)
      try write(100)
      let reader = try FileBodyReader(try region())
      #expect(try read(reader, 60).count == 60)
      try change(path)
      let error = #expect(throws: NetworkError.self) { try read(reader, 40) }
      #expect(error?.kind == kind)
      #expect(reader.left == 40)
    }
    // The bytes of a file without a name cannot be replaced by others.
    unlink(path)
    try write(100)
    let reader = try FileBodyReader(try region(0..<100))
    unlink(path)
    #expect(try read(reader, 100) == Array(0..<100))
    // A part before the end is checked at its own end.
    try write(100)
    let part = try FileBodyReader(try region(0..<10))
    _ = truncate(path, 150)
    let error = #expect(throws: NetworkError.self) { try read(part, 10) }
    #expect(error?.kind == .bodyLengthMismatch)
  }

  @Test func `what is no file any more neither holds the thread nor is read`() throws {
    defer { unlink(path) }
    try write(10)
    let region = try region()
    unlink(path)
    let gone = #expect(throws: NetworkError.self) { try FileBodyReader(region) }
    #expect(gone?.kind == .fileError)
    mkfifo(path, 0o600)
    let error = #expect(throws: NetworkError.self) { try FileBodyReader(region) }
    #expect(error?.kind == .bodyLengthMismatch)
  }

  @Test func `a path with a NUL is not cut to another file's`() throws {
    defer { unlink(path) }
    try write(10)
    let forged = try #require(URL(string: "file://" + path + "%00.txt"))
    let error = #expect(throws: NetworkError.self) { try Body.file(forged) }
    #expect(error?.kind == .fileError)
  }
}
