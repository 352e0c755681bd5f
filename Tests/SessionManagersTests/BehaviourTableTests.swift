import CurlewTestHarness
import Foundation
import Testing

/// Reads BEHAVIOUR.md: each behaviour of the predecessors has tests that exist, or a reason.
@Suite struct BehaviourTableTests {
  /// The cells of the rows that begin with a number such as `P1`.
  private func rows() throws -> [[String]] {
    try Repository.file("BEHAVIOUR.md").split(separator: "\n").compactMap { line -> [String]? in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = cells.first, first.wholeMatch(of: /[PF][0-9]+/) != nil else { return nil }
      return cells
    }
  }

  @Test func `each number is there, with tests that exist or a reason`() throws {
    let rows = try rows()
    let wanted = (1...18).map { "P\($0)" } + (1...35).map { "F\($0)" }
    #expect(Set(rows.map { $0[0] }) == Set(wanted))
    let left = rows.filter { $0.count == 3 }
    #expect(left.map { $0[0] } == ["P15", "P16", "F34"] && left.allSatisfy { $0[2].contains("UIKit") })
    let tests = try Repository.tests.get()
    for row in rows where row.count != 3 {
      #expect(row.count == 4, "\(row)")
      let suite = row[2].trimmingCharacters(in: ["`"])
      let isThere = tests[row[3]]?.contains { $0.contains("struct \(suite) ") } == true
      #expect(isThere, "\(row[0]): \(suite) has no test “\(row[3])”")
    }
  }
}
