import CurlewCore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// `curlew get --resume` against servers that break downloads. `DownloadFaults.md` has what other programs did, as recorded.
@Suite(.timeLimit(.minutes(10))) struct DownloadFaultTests {
  /// What became of a download after up to three runs.
  private enum Outcome: String {
    case right, wrong, failed
  }

  private static let table = URL(filePath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "DownloadFaults.md")

  private func outcome(of fault: DownloadFault, at origin: ScriptedOrigin, in folder: String) async throws -> Outcome {
    let file = folder + "/" + fault.name
    for _ in 0..<3 {
      let run = try await ToolRun([
        "get", "--resume", "--retry", "3", "--idle-timeout", "2", "--progress", "none", "-o", file,
        origin.address("/\(fault.name)/x"),
      ])
      let found = FileManager.default.contents(atPath: file).map { [UInt8]($0) }
      let right = fault.right.resource.map { $0.bytes(count: Int($0.length)) }
      guard run.status == 0 || found != nil else { continue }
      return found == right && run.status == 0 ? .right : .wrong
    }
    return fault.right == .none ? .right : .failed
  }

  @Test func `a download from a server with any fault ends as the right file, or as none`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-faults-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let other = FaultOrigin()
    let elsewhere = try await ScriptedOrigin.start { other.reply(to: $0) }
    let faults = FaultOrigin(elsewhere: elsewhere.address(""))
    let origin = try await ScriptedOrigin.start { faults.reply(to: $0) }

    let outcomes = try await withThrowingTaskGroup(of: (String, Outcome).self) { group in
      var rest = DownloadFault.all.makeIterator()
      func startNext() {
        guard let fault = rest.next() else { return }
        group.addTask { (fault.name, try await outcome(of: fault, at: origin, in: folder)) }
      }
      for _ in 0..<8 { startNext() }
      var outcomes: [String: String] = [:]
      while let (name, outcome) = try await group.next() {
        outcomes[name] = outcome.rawValue
        startNext()
      }
      return outcomes
    }
    // The table says the same, and has a line for each fault.
    let lines = try String(contentsOf: Self.table, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `")
    }
    let stated = lines.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    }
    #expect(stated.map { $0[0] } == DownloadFault.all.map(\.name))
    for line in stated { #expect(outcomes[line[0]] == line[3], "\(line[0])") }
    #expect(outcomes.values.allSatisfy { $0 == "right" }, "\(outcomes.filter { $0.value != "right" })")
    await origin.stop()
    await elsewhere.stop()
  }
}
