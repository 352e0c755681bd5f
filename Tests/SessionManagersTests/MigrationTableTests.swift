import CurlewTestHarness
import Foundation
import Testing

/// Reads MIGRATING.md: each symbol exists, and each row is shown by a test.
@Suite struct MigrationTableTests {
  /// The cells of the rows with some number of columns, without the headings.
  private func rows(columns: Int) throws -> [[String]] {
    try Repository.file("MIGRATING.md").split(separator: "\n").filter { $0.hasPrefix("|") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == columns, cells[0] != "before", !cells[0].hasPrefix("---") else { return nil }
      return cells
    }
  }

  /// The parts of a cell between backticks.
  private func symbols(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// What the files of the modules declare in public.
  private struct Declarations {
    /// The names of members and labels by the names of the types that their files declare or extend.
    private var members: [String: Set<String>] = [:]
    private var types: Set<String> = []

    init() throws {
      for file in try Repository.files(of: "Modules") {
        var (named, found): (Set<String>, Set<String>) = ([], [])
        for line in file.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
          let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
          if let place = words.firstIndex(where: { ["class", "struct", "enum", "protocol", "extension"].contains($0) })
          {
            // `extension Transfer.Configuration` is about both.
            named.formUnion(words.dropFirst(place + 1).prefix(2))
            if words[place] != "extension", let name = words.dropFirst(place + 1).first { types.insert(name) }
          }
          if words.contains("public") || words.contains("open") || line.contains(":") { found.formUnion(words) }
        }
        for name in named { members[name, default: []].formUnion(found) }
      }
    }

    /// Whether a symbol such as `Type`, `Type.member` or `Type.member(label:)` is declared.
    func contain(_ symbol: String) -> Bool {
      let parts = symbol.split { ".(:)".contains($0) }.map(String.init)
      guard parts.count > 1 else { return types.contains(symbol) }
      return parts.dropFirst().allSatisfy { members[parts[0]]?.contains($0) == true }
    }
  }

  @Test func `every symbol of the table is declared`() throws {
    let declarations = try Declarations()
    let rows = try rows(columns: 3)
    #expect(rows.count > 70)
    for row in rows {
      let symbols = symbols(row[1])
      #expect(!symbols.isEmpty, "\(row[0])")
      for symbol in symbols {
        let isDeclared = declarations.contain(symbol)
        #expect(isDeclared, "\(row[0]): \(symbol) is not declared")
      }
    }
    let invented = ["NoSuchType", "URLSessionManager.noSuchMember", "URLSessionManager.dataTask(noSuchLabel:)"]
    #expect(invented.filter(declarations.contain) == [])
  }

  @Test func `every row has a test that exists, and what is left out a reason`() throws {
    let tested = try rows(columns: 3).map { PeerBehaviour.test($0[0], $0[2]) }
    let left = try rows(columns: 2).map { PeerBehaviour.none($0[0], $0[1]) }
    #expect(left.count > 5)
    #expect(try PeerBehaviour.problems(in: tested + left) == [])
    #expect(try PeerBehaviour.problems(in: [.test("x", "no such test"), .none("y", "")]).count == 2)
  }

  /// Every setter, method and property that document 002 of the mission names.
  @Test func `every member of FWURLSessionManager is in the table`() throws {
    let text = try Repository.file("MIGRATING.md")
    let members = [
      "session", "operationQueue", "responseSerializer", "securityPolicy", "reachabilityManager", "tasks", "dataTasks",
      "uploadTasks", "downloadTasks", "completionQueue", "completionGroup", "initWithSessionConfiguration:",
      "invalidateSessionCancelingTasks:resetSession:", "dataTaskWithRequest:", "dataTaskWithRequestBuilder:",
      "uploadTaskWithRequest:fromFile:", "uploadTaskWithRequest:fromData:", "uploadTaskWithStreamedRequest:",
      "downloadTaskWithRequest:", "downloadTaskWithResumeData:", "uploadProgressForTask:", "downloadProgressForTask:",
      "setUserInfo:forTask:", "userInfoForTask:", "setRequestTotalCount:forResponse:",
      "requestTotalCountForResponse:", "setRequestTotalTime:forResponse:", "requestTotalTimeForResponse:",
      "setSessionDidBecomeInvalidBlock:", "setSessionDidReceiveAuthenticationChallengeBlock:",
      "setTaskNeedNewBodyStreamBlock:", "setTaskWillPerformHTTPRedirectionBlock:", "setAuthenticationChallengeHandler:",
      "setTaskDidSendBodyDataBlock:", "setTaskDidCompleteBlock:", "setTaskDidFinishCollectingMetricsBlock:",
      "setDataTaskDidReceiveResponseBlock:", "setDataTaskDidBecomeDownloadTaskBlock:",
      "setDataTaskDidReceiveDataBlock:", "setDataTaskWillCacheResponseBlock:",
      "setDidFinishEventsForBackgroundURLSessionBlock:", "setDownloadTaskDidFinishDownloadingBlock:",
      "setDownloadTaskDidWriteDataBlock:", "setDownloadTaskDidResumeBlock:",
    ]
    for member in members { #expect(text.contains("`\(member)"), "\(member)") }
  }
}
