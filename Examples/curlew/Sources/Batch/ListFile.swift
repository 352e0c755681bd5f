import CurlewCore
import FoundationEssentials

/// A list file, which is read line by line: first to check all of it, then to add its items to a store.
///
/// Standard input and pipes cannot be read twice, so their lines are kept in a temporary file in between.
struct ListFile: Sendable {
  /// The limit of a line in bytes.
  static let longestLine = 16_384
  /// The limit of the problems that are reported one by one.
  static let mostProblems = 20

  /// The number of items and the problems of a list.
  struct Census: Sendable {
    var items = 0
    /// How many lines were refused.
    var refused = 0
    /// The first problems, with their lines.
    var problems: [(line: Int, problem: ListLineProblem)] = []
  }

  private let file: any OpenFile
  /// The name for messages.
  let name: String

  /// Opens a list.
  ///
  /// - Parameters:
  ///   - path: The path; `-` is standard input.
  ///   - temporary: The directory for temporary files.
  /// - Throws: `FileSystemError`.
  init(_ path: String, temporary: String) async throws {
    let files = LocalFileSystem()
    name = InputFile(path: path).name
    if path != "-", try files.status(path)?.kind == .regular {
      file = try files.open(path, .read)
      return
    }
    let input = path == "-" ? BlockingInput.standard : BlockingInput(try StreamDescriptor(path, for: .reading))
    let copy = temporary + "/.curlew-list-\(UInt64.random(in: 0 ... .max))"
    file = try files.open(copy, [.read, .write, .create, .exclusive, .noFollow])
    try files.remove(copy)
    var length: Int64 = 0
    while true {
      let bytes = try await input.read()
      guard !bytes.isEmpty else { return }
      try bytes.withUnsafeBytes { try file.write($0, at: length) }
      length += Int64(bytes.count)
    }
  }

  /// Calls `body` with each item and its line, 1 or more.
  ///
  /// - Parameter refused: Called with each line that is refused, instead.
  func forEach(
    refused: (Int, ListLineProblem) throws -> Void, _ body: (Int, ListedItem) async throws -> Void
  ) async throws {
    var lines = InputLines(BlockingInput(FileInput(file)), limit: Self.longestLine)
    var number = 0
    while true {
      number += 1
      if number % 4_096 == 0 { try Task.checkCancellation() }
      do {
        guard let line = try await lines.next() else { return }
        if let item = try ListedItem(line) { try await body(number, item) }
      } catch let problem as ListLineProblem {
        try refused(number, problem)
      } catch let error as InputLines.LineTooLong {
        try refused(number, .tooLong(limit: error.limit))
      }
    }
  }

  /// Reads the whole list and checks every line.
  func census(temporary: String) async throws -> Census {
    var census = Census()
    var names = try SeenNames(in: temporary)
    func refuse(_ line: Int, _ problem: ListLineProblem) {
      census.refused += 1
      if census.problems.count < Self.mostProblems { census.problems.append((line, problem)) }
    }
    try await forEach(refused: refuse) { line, item in
      if let first = try names.insert(item.name, line: line) {
        refuse(line, .duplicate(item.name, firstLine: first))
      } else {
        census.items += 1
      }
    }
    return census
  }
}
