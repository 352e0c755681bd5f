import Foundation
import Testing

@testable import CurlewTool

/// A very long list, with lines of each kind of error.
@Suite(.timeLimit(.minutes(30))) struct LongListTests {
  /// `CURLEW_LIST_LINES` sets another number, 1,000,000 in `Scripts/soak`.
  private static let count = Int(ProcessInfo.processInfo.environment["CURLEW_LIST_LINES"] ?? "") ?? 30_000

  /// One line, and what is wrong with it.
  private static func line(_ number: Int) -> (text: String, problem: ListLineProblem?) {
    switch number % 100 {
    case 7: ("http://h/\(number)\0", .control(0))
    case 23: ("http://g/\(number - 1)", .duplicate("\(number - 1)", firstLine: number - 1))
    case 41: ("http://h/\(number)\t../\(number)", .name("../\(number)", .leaves))
    case 59 where number % 20_000 == 59:
      ("http://h/" + String(repeating: "x", count: 1 << 20), .tooLong(limit: ListFile.longestLine))
    default: ("http://h/\(number)", nil)
    }
  }

  private static func write(to path: String) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    for start in stride(from: 1, through: count, by: 1_000) {
      let lines = (start...min(count, start + 999)).map { line($0).text + "\n" }
      try file.write(contentsOf: Data(lines.joined().utf8))
    }
    try file.close()
  }

  /// A figure of this process, in bytes: `VmRSS` is its memory now, and `VmHWM` the most of it so far.
  private static func memory(_ name: String) throws -> Int {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix(name + ":") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1_024
  }

  /// In a process of its own, so that the memory of other tests is not counted.
  @Test func `each wrong line of a long list is named with its number, in the memory that a short one takes`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let folder = FileManager.default.temporaryDirectory.path + "/curlew-long-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try Self.write(to: folder + "/list")
      // The most memory is counted anew from here.
      try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
      let before = try Self.memory("VmRSS")

      let file = try await ListFile(folder + "/list", temporary: folder)
      let census = try await file.census(temporary: folder)
      var (next, items, refused) = (1, 0, 0)
      var wrong: [Int] = []
      try await file.forEach(refused: { line, problem in
        if line != next || problem != Self.line(next).problem { wrong.append(line) }
        refused += 1
        next += 1
      }) { line, item in
        let expected = Self.line(next)
        if line != next || item.url != expected.text { wrong.append(line) }
        // Whether a name is there already is a question for the whole list.
        if case .duplicate = expected.problem { refused += 1 } else { items += 1 }
        next += 1
      }
      let grown = try Self.memory("VmHWM") - before
      #expect(wrong.isEmpty, "\(wrong.count) lines, the first of them \(wrong.first ?? 0)")
      #expect(next == Self.count + 1 && items + refused == Self.count)
      #expect(census.items == items && census.refused == refused)
      var first: [String] = []
      for number in 1...Self.count where first.count < ListFile.mostProblems {
        if let problem = Self.line(number).problem { first.append("\(number): \(problem)") }
      }
      #expect(census.problems.map { "\($0.line): \($0.problem)" } == first)
      // The buffer of a read is 1 MB, and so is the longest line.
      #expect(grown < 16 << 20, "\(grown) bytes for \(Self.count) lines")
      print("figure: a list of \(Self.count) lines, \(refused) of them wrong: \(grown >> 10) kB more at most")
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
  }
}
