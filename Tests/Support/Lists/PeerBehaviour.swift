package import FoundationEssentials

/// A behaviour that another project documents or tests, and the test of ours that shows it.
package struct PeerBehaviour: Sendable {
  /// The other project's name for it.
  package var name: String
  /// The name of a test of this repository; nil where there is a reason instead.
  package var test: String?
  /// Why there is no test.
  package var reason: String?

  /// A behaviour that a test shows.
  package static func test(_ name: String, _ test: String) -> PeerBehaviour { PeerBehaviour(name: name, test: test) }

  /// A behaviour that has no meaning here.
  package static func none(_ name: String, _ reason: String) -> PeerBehaviour {
    PeerBehaviour(name: name, reason: reason)
  }

  /// Returns what is wrong with a list: a test that does not exist, a reason that is missing.
  package static func problems(in rows: [PeerBehaviour]) throws -> [String] {
    let tests = try Repository.tests.get()
    return rows.compactMap { row in
      guard let test = row.test else { return row.reason?.isEmpty == false ? nil : "\(row.name) has no reason" }
      return tests[test] != nil ? nil : "\(row.name): no test is called “\(test)”"
    }
  }
}

/// The files of this repository, for tests that compare lists with the code.
package enum Repository {
  /// The root of the repository.
  package static var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The names of all tests, each with the sources that have it; read once.
  package static let tests: Result<[String: [String]], any Error> = Result {
    var tests: [String: [String]] = [:]
    for file in try Repository.files(of: "Tests") {
      for line in file.split(separator: "\n") where line.utf8.contains(UInt8(ascii: "`")) {
        let parts = line.split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix("func "), parts[2].hasPrefix("(") else { continue }
        tests[String(parts[1]), default: []].append(file)
      }
    }
    return tests
  }

  /// The contents of one file.
  package static func file(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The contents of each Swift file in a folder.
  package static func files(of folder: String) throws -> [String] {
    let path = root.appending(path: folder)
    return try FileManager.default.subpathsOfDirectory(atPath: path.path).filter { $0.hasSuffix(".swift") }.sorted()
      .map { try String(contentsOf: path.appending(path: $0), encoding: .utf8) }
  }
}
