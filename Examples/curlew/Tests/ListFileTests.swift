import CurlewCore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// The list files of `curlew batch`.
@Suite struct ListFileTests {
  private func problem(_ line: String) -> ListLineProblem? {
    do throws(ListLineProblem) {
      _ = try ListedItem(Data(line.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func `a line is a URL, a name and a digest, and the name comes from the URL when it is not given`() throws {
    let digest = "sha-256:" + String(repeating: "0f", count: 32)
    let whole = try #require(try ListedItem(Data("http://h/a?x\tb/c.bin\t\(digest)\r".utf8)))
    #expect(whole.url == "http://h/a?x" && whole.name == "b/c.bin" && whole.digest.map { "\($0)" } == digest)
    let short = try #require(try ListedItem(Data("https://h/birds/Gro%C3%9Fe%20V%C3%B6gel.pdf?q=1".utf8)))
    #expect(short.name == "Große Vögel.pdf" && short.digest == nil)
    let unnamed = try #require(try ListedItem(Data("http://h/\t\t\(digest)".utf8)))
    #expect(unnamed.name == "download" && unnamed.digest != nil)
  }

  @Test(arguments: ["", "\r", " \t ", "# http://h/", "#"]) func `an empty line and a comment are no items`(
    line: String
  ) throws {
    #expect(try ListedItem(Data(line.utf8)) == nil)
  }

  @Test(arguments: [
    ("/etc/passwd", ItemName.Problem.absolute), ("../a", .leaves), ("a/../../b", .leaves), ("a/..", .leaves),
    ("./a", .leaves), ("a//b", .emptyPart), ("a/", .emptyPart), (String(repeating: "a", count: 256), .longPart),
    (String(repeating: "a/", count: 1_100) + "b", .tooLong), (".a.curlew-part", .reserved),
    ("b/.a.curlew-state", .reserved), (".curlew-batch-wal", .reserved),
  ]) func `a name that leaves the directory or cannot be a path is refused`(name: String, expected: ItemName.Problem) {
    #expect(problem("http://h/x\t\(name)") == .name(name, expected))
  }

  @Test(arguments: ["..a", "a..b/...", ".hidden", "-rf", "a b", "é", String(repeating: "a", count: 255)])
  func `a name that looks odd and stays in the directory is taken`(name: String) {
    #expect(problem("http://h/x\t\(name)") == nil)
  }

  @Test(arguments: [
    ("ftp://h/a", ListLineProblem.url("ftp://h/a")), ("h/a", .url("h/a")), ("http://", .url("http://")),
    ("http://h/a\tb\tsha-256:00", .digest("sha-256:00")), ("http://h/a\tb\tc\td", .fields(4)),
    ("http://h/\0a", .control(0)), ("http://h/a\tb\u{1B}[2J", .control(0x1B)),
  ]) func `a line with another mistake is refused, and the problem says which`(
    line: String, expected: ListLineProblem
  ) {
    #expect(problem(line) == expected)
    #expect(!expected.description.contains("\0") && !expected.description.contains("\u{1B}"))
  }

  @Test func `a line that is not UTF-8 is refused, and a password is not repeated`() {
    #expect(throws: ListLineProblem.encoding) { try ListedItem(Data("http://h/".utf8 + [0xFF])) }
    #expect(problem("ftp://me:secret@h/")?.description.contains("secret") == false)
  }

  private func withList<Result>(_ content: Data, _ body: (String, String) async throws -> Result) async throws -> Result
  {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-list-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try content.write(to: URL(filePath: folder + "/list"))
    return try await body(folder + "/list", folder)
  }

  @Test func `every bad line of a list is found with its number`() async throws {
    var list = Data("http://h/a\n# comment\nhttp://h/\0\nhttp://g/a\n".utf8)
    list += Data("http://h/".utf8) + Data(repeating: UInt8(ascii: "x"), count: 1 << 20) + Data("\n".utf8)
    list += Data("http://h/b\t../b\nhttp://h/last".utf8)
    let census = try await withList(list) { path, folder in
      try await ListFile(path, temporary: folder).census(temporary: folder)
    }
    #expect(census.items == 2 && census.refused == 4)
    #expect(census.problems.map { $0.line } == [3, 4, 5, 6])
    #expect(
      census.problems.map { $0.problem } == [
        .control(0), .duplicate("a", firstLine: 1), .tooLong(limit: ListFile.longestLine), .name("../b", .leaves),
      ])
  }

  @Test func `names that differ in bytes alone are different, and a list may be longer than the table of names`()
    async throws
  {
    let lines = (0..<20_000).map { "http://h/\($0)\n" }.joined() + "http://h/1\te\u{301}\nhttp://h/2\t\u{E9}\n"
    let census = try await withList(Data(lines.utf8)) { path, folder in
      try await ListFile(path, temporary: folder).census(temporary: folder)
    }
    #expect(census.items == 20_002 && census.refused == 0)
    let twice = try await withList(Data((lines + "http://h/x\t19999\n").utf8)) { path, folder in
      try await ListFile(path, temporary: folder).census(temporary: folder)
    }
    #expect(twice.problems.map { $0.problem } == [.duplicate("19999", firstLine: 20_000)])
  }
}
