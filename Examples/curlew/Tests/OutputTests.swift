import CurlewCore
import CurlewLoading
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewTool

@Suite struct OutputTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-tool-\(UInt64.random(in: 0 ... .max))"

  private func inFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body()
  }

  private func write(_ text: String, to file: TargetFile) throws {
    try Data(text.utf8).withUnsafeBytes { bytes in try file.write(bytes) }
  }

  @Test func `a target appears when it is published and not before`() throws {
    try inFolder {
      let file = try TargetFile(folder + "/a")
      try write("hello", to: file)
      #expect(!FileManager.default.fileExists(atPath: folder + "/a"))
      try file.publish()
      #expect(FileManager.default.contents(atPath: folder + "/a") == Data("hello".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
  }

  @Test func `a target that is given up leaves what was there`() throws {
    try inFolder {
      try Data("old".utf8).write(to: URL(filePath: folder + "/a"))
      do {
        let file = try TargetFile(folder + "/a")
        try write("new", to: file)
      }
      #expect(FileManager.default.contents(atPath: folder + "/a") == Data("old".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
  }

  @Test func `a symbolic link keeps pointing where it does`() throws {
    try inFolder {
      try Data().write(to: URL(filePath: folder + "/real"))
      #expect(symlink("real", folder + "/link") == 0)
      let file = try TargetFile(folder + "/link")
      try write("x", to: file)
      try file.publish()
      #expect(FileManager.default.contents(atPath: folder + "/real") == Data("x".utf8))
    }
  }

  @Test func `a target is called what it was called, be it there or not`() throws {
    try inFolder {
      for _ in 0..<2 {
        let file = try TargetFile(folder + "/./\u{301}a")
        try write("x", to: file)
        try file.publish()
        #expect(file.path == folder + "/./\u{301}a")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["\u{301}a"])
    }
  }

  @Test func `a head is printed with its bytes as they came`() throws {
    let name = try #require(HTTPField.Name("X-A"))
    var head = ResponseHead(
      url: try #require(URL(string: "http://h/")), status: .ok, version: .http2,
      headerFields: HTTPFields([HTTPField(name: name, lenientValue: [0x63, 0xe9])]))
    #expect(head.printed == Array("HTTP/2 200 OK\r\nX-A: c".utf8) + [0xe9] + Array("\r\n\r\n".utf8))
    head.version = nil
    #expect(head.printed.starts(with: Array("HTTP 200 OK\r\n".utf8)))
  }

  @Test func `cookies are written through a link, and a device stays one`() throws {
    try inFolder {
      try Data().write(to: URL(filePath: folder + "/real"))
      #expect(symlink("real", folder + "/link") == 0)
      #expect(symlink("/dev/null", folder + "/nowhere") == 0)
      for name in ["link", "nowhere"] {
        let file = try CookieFile(folder + "/" + name, publicSuffixes: .topLevel)
        let page = try #require(URL(string: "http://a.test/"))
        file.jar.store(["a=b"], from: CookieContext(url: page, date: SystemClock().date))
        try file.save()
      }
      let text = try #require(FileManager.default.contents(atPath: folder + "/real"))
      #expect(String(decoding: text, as: UTF8.self).contains("a.test"))
      var status = stat()
      #expect(lstat(folder + "/link", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }
  }

  @Test func `what is no regular file is written to directly`() throws {
    let file = try TargetFile("/dev/null")
    try write("x", to: file)
    try file.publish()
    #expect(file.isSpecial)
  }

  @Test func `a directory is no target`() {
    #expect(throws: FileSystemError(code: EISDIR, operation: "open", path: "/tmp")) { try TargetFile("/tmp") }
  }

  @Test func `equal names in one run are numbered before their extension`() {
    let names = NameTable()
    let paths = ["a.txt", "a.txt", "b", "b", ".rc", ".rc"].map { names.path(in: "d", for: $0) }
    #expect(paths == ["d/a.txt", "d/a-2.txt", "d/b", "d/b-2", "d/.rc", "d/.rc-2"])
  }

  @Test func `bodies are written in the order of their URLs`() async {
    let turns = OutputTurns()
    let written = Written()
    await withTaskGroup { group in
      for index in (0..<20).reversed() {
        group.addTask {
          await turns.wait(for: index)
          written.indices.withLock { $0.append(index) }
          await turns.done(index)
        }
      }
    }
    #expect(written.indices.withLock { $0 } == Array(0..<20))
  }

  @Test func `numbers are short and right`() {
    #expect(DecimalText.of(1.005, digits: 1) == "1.0")
    #expect(DecimalText.of(-0.04, digits: 1) == "0.0")
    #expect(DecimalText.of(12.5, digits: 3) == "12.500")
    #expect(DecimalText.bytes(999) == "999 B")
    #expect(DecimalText.bytes(1_500_000) == "1.5 MB")
    #expect(DecimalText.bytes(999_999) == "1.0 MB")
    #expect(DecimalText.time(.seconds(3725)) == "1:02:05")
    #expect(DecimalText.time(.seconds(8)) == "8 s")
  }
}

private final class Written: Sendable {
  let indices = Mutex<[Int]>([])
}
